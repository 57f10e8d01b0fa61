import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pino } from 'pino'
import { systemClock as clock } from '#base/kit/clock.ts'
import type { Db } from '#data/db/db.ts'
import { changeClient } from '#merchants/clients/clients.ts'
import {
  type Answer,
  call,
  collected,
  initBody,
  isEnd,
  liveGateway,
  ordersOf,
  script,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { openReceiver, type Received } from '#test/receiver.ts'
import { eventually } from '#test/wait.ts'

const logged: { msg: string; callBackURL?: string; problem?: string }[] = []
const log = pino({ level: 'warn' }, { write: (line) => void logged.push(JSON.parse(line)) })
const live = await liveGateway({ pace: 20, log })
const { db, newMerchant } = live
type Gateway = typeof live

const merchant = async (): Promise<Gateway> => ({ ...live, ...(await newMerchant()) })

const init = (gateway: Gateway, change: object): Promise<Answer> =>
  call(gateway, 'POST /api/v1/transaction/init', initBody(change))

/** The rows of a transaction: its events, their deliveries, its last ledger entry, itself. */
async function rowsOf(run: Db, id: string) {
  const events = await run<{ id: string; body: string }>`
    select id, body from events where record_id = ${id}`
  const deliveries = await run<{ state: string; url: string; tries: number }>`
    select d.state, d.url, d.tries from deliveries d
    join events e on (e.client_id, e.id) = (d.client_id, d.event_id) where e.record_id = ${id}`
  const [entry] = await run<{ before: number; after: number }>`
    select e.before, e.after from ledger_entries e
    join ledger_postings p on (p.client_id, p.id) = (e.client_id, e.posting_id)
    where p.ref = ${id} and e.account = 'available' order by e.version desc limit 1`
  const [row] = await run<Record<string, string | number>>`
    select id, external_id, operation, amount, fee, phone, status, completed_at, original_id
    from transactions where id = ${id}`
  return { events, deliveries, entry, row }
}

/** Has a payment looked at once its payer has paid, which cannot be recorded now. */
async function endInVain(id: string): Promise<void> {
  const isPaid = async () => (await ordersOf(live, id)).some(({ executed }) => executed === 1)
  await eventually('the payer pays', isPaid)
  await live.drive(id)
}

const delivered = (id: string) =>
  eventually(`the delivery of ${id}`, async () => {
    const { deliveries } = await rowsOf(db, id)
    return deliveries.length === 1 && deliveries[0]?.state === 'delivered'
  })

/**
 * Fails unless one webhook arrived with all fields and the balances of the ledger; without
 * an entry in the ledger, with the balance `unmoved`.
 */
async function assertDeliveredOnce(
  got: Received[],
  id: string,
  unmoved?: number,
  failureCode: keyof typeof sentences = '',
): Promise<void> {
  await delivered(id)
  const { events, entry, row } = await rowsOf(db, id)
  const own = got.filter(({ body }) => JSON.parse(body).id === id)
  assert.deepEqual([own.length, events.length], [1, 1])
  assert.equal(own[0]?.body, events[0]?.body)
  assert.equal(own[0]?.headers['webhook-id'], `evt_${events[0]?.id}`)
  const { before: first, after } = entry ?? { before: unmoved, after: unmoved }
  // What was held and released was not debited in the end.
  const before = row?.status === 'SUCCESS' ? first : after
  const expected = {
    id,
    externalTransactionId: row?.external_id ?? '',
    transactionType: row?.operation,
    AMOUNT: row?.amount,
    FEE: row?.status === 'SUCCESS' ? row.fee : 0,
    PHONE_NUMBER: row?.phone,
    STATUS: row?.status,
    CUSTOM_DATA: '{}',
    COMPLETED_AT: new Date(row?.completed_at ?? '').toISOString(),
    BALANCE: after,
    PREVIOUS_BALANCE: before,
    CURRENT_BALANCE: after,
    FAILURE_CODE: failureCode,
    FAILURE_MESSAGE: sentences[failureCode],
    ...(row?.operation !== 'REFUND' ? {} : { ORIGINAL_ID: row.original_id }),
  }
  const payload = JSON.parse(own[0]?.body ?? '{}')
  assert.deepEqual(payload, expected)
  assert.deepEqual(Object.keys(payload), Object.keys(expected))
  assert.ok(Object.values(payload).every((value) => value !== null && value !== undefined))
}

const sentences = {
  '': '',
  PAYER_BALANCE_LOW: 'Le solde du client ne suffit pas',
  PAYER_REFUSED: 'Le client a refusé le paiement',
  PROVIDER_DECLINED: 'Le prestataire a refusé le paiement',
}

// service, number of the lab, final status, why it failed. A payout that our own account at the
// provider cannot pay is no matter of the customer's balance.
const endings: [string, string, string, keyof typeof sentences][] = [
  ['WALLETA_SN_CASHOUT', '771234567', 'SUCCESS', ''],
  ['WALLETA_SN_CASHOUT', '770000001', 'FAILED', 'PAYER_BALANCE_LOW'],
  ['WALLETF_CI_CASHOUT', '770000002', 'CANCELLED', 'PAYER_REFUSED'],
  ['WALLETA_SN_CASHIN', '771234567', 'SUCCESS', ''],
  ['WALLETA_SN_CASHIN', '770000001', 'FAILED', 'PROVIDER_DECLINED'],
  ['OPERATOR1_SN_AIRTIME', '771234567', 'SUCCESS', ''],
  ['OPERATOR1_SN_AIRTIME', '770000001', 'FAILED', 'PROVIDER_DECLINED'],
]

describe('one webhook is delivered for each ended transaction', { concurrency: true }, () => {
  for (const [serviceCode, number, end, failureCode] of endings)
    it(`sends one webhook when a ${serviceCode} ends as ${end}`, async () => {
      const gateway = await merchant()
      const receiver = await openReceiver()
      const { body, text } = await init(gateway, { serviceCode, number, callBackURL: receiver.url })
      assert.ok(body.success, text)
      const id = body.transaction.transactionId
      assert.equal(await until(gateway, id, isEnd), end)
      await receiver.has(1)
      await assertDeliveredOnce(receiver.got, id, 5_000_000, failureCode)
    })

  it('sends a refund’s webhook to the original’s address when the refund names none', async () => {
    const gateway = await merchant()
    const [first, second] = [await openReceiver(), await openReceiver()]
    const original = await collected(gateway, { callBackURL: first.url })
    const target = `POST /api/v1/transaction/refund/${original}`
    const parts = [
      await call(gateway, target, { amount: 1000, callBackURL: second.url }),
      await call(gateway, target, { amount: 500 }),
    ]
    const [own, fallback] = parts.map(({ body }) => String(body.refund.refundId))
    for (const id of [own, fallback]) assert.equal(await until(gateway, id ?? '', isEnd), 'SUCCESS')
    await Promise.all([first.has(2), second.has(1)])
    await assertDeliveredOnce(second.got, own ?? '')
    await assertDeliveredOnce(first.got, fallback ?? '')
    await assertDeliveredOnce(first.got, original)
    assert.deepEqual([first.got.length, second.got.length], [2, 1])
  })

  it('sends one webhook when a refund fails', async () => {
    const gateway = await merchant()
    const receiver = await openReceiver()
    const number = '779000001'
    const original = await collected(gateway, { number, callBackURL: receiver.url })
    const refusal = { do: 'decline', reason: 'payee_refused' }
    await script(gateway, number, [refusal, { do: 'callback' }])
    const { body } = await call(gateway, `POST /api/v1/transaction/refund/${original}`, {})
    const id = String(body.refund.refundId)
    assert.equal(await until(gateway, id, isEnd), 'FAILED')
    await receiver.has(2)
    await assertDeliveredOnce(receiver.got, id, undefined, 'PROVIDER_DECLINED')
  })

  it('goes to the client’s address if a transaction has none, else to the feed only', async () => {
    const gateway = await merchant()
    const receiver = await openReceiver()
    const original = await collected(gateway, { callBackURL: receiver.url })
    await delivered(original)
    const forget = live.connect({ asOwner: true })
    await forget`update transactions set callback_url = null where id = ${original}`
    const refund = async () => {
      const target = `POST /api/v1/transaction/refund/${original}`
      const id = String((await call(gateway, target, { amount: 500 })).body.refund.refundId)
      await until(gateway, id, isEnd)
      return id
    }
    const silent = await refund()
    const { events, deliveries } = await rowsOf(db, silent)
    assert.deepEqual([events.length, deliveries.length], [1, 0])
    const change = { callbackUrl: `${receiver.url}/default` }
    await changeClient({ db, clock }, { id: gateway.clientId, change, actor: 'test' })
    const announced = await refund()
    await receiver.has(2)
    await assertDeliveredOnce(receiver.got, announced)
    assert.deepEqual(
      receiver.got.map(({ path }) => path),
      ['/', '/default'],
    )
  })
})

describe('a webhook', () => {
  it('is sent after the commit: a lookup from the receiver shows the final status', async () => {
    const gateway = await merchant()
    const seen: string[] = []
    const receiver = await openReceiver(async (got, response) => {
      const { body } = await call(gateway, `GET /api/v1/transaction/${JSON.parse(got.body).id}`)
      seen.push(body.transaction.Status)
      response.end()
    })
    for (const number of ['771234567', '770000001'])
      await init(gateway, { number, callBackURL: receiver.url })
    await eventually('two lookups', () => seen.length === 2)
    assert.deepEqual(seen.toSorted(), ['FAILED', 'SUCCESS'])
  })

  it('is retried byte for byte until the receiver answers 2xx', async () => {
    const gateway = await merchant()
    const receiver = await openReceiver((_got, response, count) =>
      response.writeHead(count < 3 ? 500 : 200).end(),
    )
    const { body } = await init(gateway, { callBackURL: receiver.url })
    const id = body.transaction.transactionId
    for (const count of [1, 2]) {
      await receiver.has(count)
      await eventually(
        'a recorded try',
        async () => (await rowsOf(db, id)).deliveries[0]?.tries === count,
      )
      await db`
        update deliveries set due_at = now() where client_id = ${gateway.clientId}
          and due_at is not null`
    }
    await receiver.has(3)
    await delivered(id)
    assert.equal(receiver.got.length, 3)
    assert.equal(new Set(receiver.got.map((got) => got.body)).size, 1)
    assert.equal(new Set(receiver.got.map(({ headers }) => headers['webhook-id'])).size, 1)
  })

  it('is written with the end of the transaction: when its row fails, both roll back', async () => {
    const gateway = await merchant()
    const owner = live.connect({ asOwner: true })
    const receiver = await openReceiver()
    // Makes the insert of a delivery to this address fail.
    await owner`
      alter table deliveries add constraint planted check (url not like '%/planted')`
    const { body } = await init(gateway, { callBackURL: `${receiver.url}/planted` })
    const id = body.transaction.transactionId
    await endInVain(id)
    const { events, deliveries, entry, row } = await rowsOf(db, id)
    assert.deepEqual([events, deliveries, entry], [[], [], undefined])
    assert.ok(!isEnd(String(row?.status)), String(row?.status))
    const history = await db`
      select 1 from status_history where record_id = ${id} and to_status = 'SUCCESS'`
    assert.deepEqual([history.length, receiver.got.length], [0, 0])
    await owner`alter table deliveries drop constraint planted`
    assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
    await receiver.has(1)
    await assertDeliveredOnce(receiver.got, id)
  })

  it('is neither written nor sent when the commit of the end fails', async () => {
    const gateway = await merchant()
    const owner = live.connect({ asOwner: true })
    const receiver = await openReceiver()
    // A deferred trigger fails at the commit itself.
    await owner`
      create function planted() returns trigger language plpgsql as
        $$begin raise 'planted'; end$$`
    await owner`
      create constraint trigger planted after update on transactions
        deferrable initially deferred for each row
        when (new.status = 'SUCCESS' and new.callback_url like '%/planted')
        execute function planted()`
    const { body } = await init(gateway, { callBackURL: `${receiver.url}/planted` })
    const id = body.transaction.transactionId
    await endInVain(id)
    const { events, deliveries, row } = await rowsOf(db, id)
    assert.deepEqual([events, deliveries, receiver.got], [[], [], []])
    assert.ok(!isEnd(String(row?.status)), String(row?.status))
    await owner`drop trigger planted on transactions`
    assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
    await receiver.has(1)
    await assertDeliveredOnce(receiver.got, id)
  })

  it('warns once of each address where nobody answers', async () => {
    const [gateway, receiver, closed] = [
      await merchant(),
      await openReceiver(),
      await openReceiver(),
    ]
    closed.close()
    const urls = [
      `${closed.url}/hook?secret=1`,
      `${closed.url}/hook?secret=2`,
      `${closed.url}/other`,
      `${receiver.url}/hook`,
    ]
    for (const callBackURL of urls) {
      const { transactionId: id } = (await init(gateway, { callBackURL })).body.transaction
      await eventually(`a try at ${callBackURL}`, async () =>
        (await rowsOf(db, id)).deliveries.some(({ tries }) => tries === 1),
      )
    }
    const warned = logged.filter(({ msg }) => msg.startsWith('nobody answers at this callBackURL'))
    assert.deepEqual(
      warned.map(({ callBackURL, problem }) => [callBackURL, problem]),
      ['/hook', '/other'].map((path) => [closed.url + path, 'ECONNREFUSED']),
    )
  })

  it('has an event for every ended transaction and no other, and the ledger is right', async () => {
    const wrong = await db`
      select t.id from transactions t
      left join events e on (e.client_id, e.record_id) = (t.client_id, t.id)
      where (t.completed_at is null) <> (e.id is null)`
    assert.deepEqual(wrong, [])
    await assertMoney(live)
  })
})
