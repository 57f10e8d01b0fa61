import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import {
  type Answer,
  balance,
  call,
  collected,
  initBody,
  isEnd,
  liveGateway,
  ordersByTransaction,
  script,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { sized } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import { draft } from './intents.ts'
import { findTransaction } from './store.ts'
import { driveOne } from './sweep.ts'

const live = await liveGateway({ pace: 20 })
const { db, clientId, connect, proxy, newMerchant, newProcess } = live
const owner = connect({ asOwner: true })
const processes = [live, await newProcess(), await newProcess()]
const init = 'POST /api/v1/transaction/init'
const silent = '770000004'

let turn = 0
/** The caller, directed to the next process in turn. */
function viaNextProcess<Caller extends { secret: string }>(
  caller: Caller,
): Caller & { url: string } {
  turn += 1
  return { ...caller, url: (processes[turn % processes.length] ?? live).url }
}

/** Runs `work` for each item, `atOnce` of them concurrently. */
async function each<Item>(
  items: Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = [...items]
  const workers = Array.from({ length: atOnce }, async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item)
  })
  await Promise.all(workers)
}

function times<Result>(count: number, make: (index: number) => Result): Result[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

/** How many answers there are of each status and code. */
function tally(answers: Answer[]): Record<string, number> {
  const kinds = Map.groupBy(answers, ({ status, body }) =>
    [status, ...(body.code ? [body.code] : [])].join(' '),
  )
  return Object.fromEntries([...kinds].map(([kind, { length }]) => [kind, length]))
}

describe('the same request sent many times concurrently', () => {
  const idCount = sized(60, 300)
  it(`makes one record and one provider order for each of ${idCount} external ids`, async () => {
    const codes = ['WALLETA_SN_CASHOUT', 'WALLETA_SN_CASHIN', 'WALLETF_CI_CASHIN']
    const recorded = new Set<string>()
    await each(
      times(idCount, (index) => index),
      12,
      async (index) => {
        const body = initBody({ serviceCode: codes[index % codes.length], amount: 200 + index })
        const key: Record<string, string> =
          index % 4 === 0 ? { 'Idempotency-Key': `race-${index}` } : {}
        const count = index % 50 === 0 ? 50 : 2 + (index % 3)
        const answers = await Promise.all(
          times(count, () => call(viaNextProcess(live), init, body, key)),
        )
        const isReplay = ({ headers }: Answer) => headers.has('idempotent-replayed')
        const [first, ...others] = answers.filter(
          (answer) => answer.status === 201 && !isReplay(answer),
        )
        assert.ok(first !== undefined, JSON.stringify(tally(answers)))
        assert.deepEqual(others, [])
        const { transactionId } = first.body.transaction
        for (const answer of answers)
          if (isReplay(answer)) assert.equal(answer.text, first.text)
          else if (answer !== first) {
            assert.equal(answer.status, 409, answer.text)
            if (answer.body.code === 'DUPLICATE_TRANSACTION')
              assert.equal(answer.body.transaction.transactionId, transactionId)
            else assert.equal(answer.body.code, 'REQUEST_IN_PROGRESS')
          }
        recorded.add(transactionId)
      },
    )
    assert.equal(recorded.size, idCount)
    const rows = await db<{ id: string }>`select id from transactions`
    assert.deepEqual(new Set(rows.map(({ id }) => id)), recorded)
    const orders = await ordersByTransaction(live)
    for (const id of recorded) assert.equal(orders.get(id)?.length, 1, id)
  })

  it('is refused for its balance, never as a duplicate of a refused one', async () => {
    await each(
      times(sized(4, 12), () => newMerchant(1000)),
      4,
      async (created) => {
        const body = initBody({ serviceCode: 'WALLETA_SN_CASHIN' })
        const merchant = await created
        const answers = await Promise.all(
          times(20, () => call(viaNextProcess(merchant), init, body)),
        )
        assert.deepEqual(tally(answers), { '400 INSUFFICIENT_FUNDS': 20 })
        const fitting = { ...body, amount: 300 }
        assert.equal((await call(viaNextProcess(merchant), init, fitting)).status, 201)
      },
    )
  })
})

describe('concurrent debits beyond the balance', () => {
  // funds, amount, how many are affordable with the fee of 2 %
  for (const [funds, amount, affordable] of [
    [20_000, 1000, 19],
    [10_000, 6000, 1],
    [612, 300, 2],
    [305, 300, 0],
  ] as const)
    it(`of ${amount} from ${funds}: ${affordable} of 40 are accepted`, async () => {
      const merchant = await newMerchant(funds)
      const answers = await Promise.all(
        times(40, () => {
          const body = initBody({ serviceCode: 'WALLETA_SN_CASHIN', number: silent, amount })
          return call(viaNextProcess(merchant), init, body)
        }),
      )
      const refused = { '400 INSUFFICIENT_FUNDS': 40 - affordable }
      assert.deepEqual(tally(answers), { ...(affordable > 0 && { 201: affordable }), ...refused })
      const left = funds - affordable * (amount + Math.round(amount / 50))
      assert.equal(await balance(viaNextProcess(merchant)), left)
    })
})

describe('concurrent refunds of one payment', () => {
  const payments = sized(18, 60)
  it(`never exceed it, for each of ${payments} payments`, async () => {
    // the refunds requested, how many of them are accepted
    const wishes: [object[], number][] = [
      [[{}, {}], 1],
      [[{ amount: 5000 }, { amount: 5000 }, {}], 1],
      [times(4, () => ({ amount: 2000 })), 2],
      [times(12, () => ({ amount: 417 })), 11],
      [[{ amount: 3000 }, { amount: 2001 }], 1],
      [[{ amount: 2500 }, { amount: 2500 }], 2],
    ]
    await each(
      times(payments, (index) => index),
      12,
      async (index) => {
        const [orders, granted] = wishes[index % wishes.length] ?? [[], 0]
        const codes = ['WALLETA_SN_CASHOUT', 'WALLETF_CI_CASHOUT', 'WALLETB_SN_CASHOUT']
        const id = await collected(live, { serviceCode: codes[index % codes.length] })
        const answers = await Promise.all(
          orders.map((order) =>
            call(viaNextProcess(live), `POST /api/v1/transaction/refund/${id}`, order),
          ),
        )
        const refused = orders.length - granted
        assert.deepEqual(tally(answers), {
          201: granted,
          ...(refused > 0 && { '400 REFUND_NOT_ALLOWED': refused }),
        })
        for (const { status, body } of answers)
          if (status === 201)
            assert.equal(await until(live, body.refund.refundId, isEnd), 'SUCCESS')
      },
    )
  })

  it('with the same external id are recorded once', async () => {
    await each(
      times(sized(8, 20), (index) => `refund-${index}`),
      10,
      async (externalTransactionId) => {
        const id = await collected(live)
        const target = `POST /api/v1/transaction/refund/${id}`
        const answers = await Promise.all(
          times(6, (index) =>
            call(viaNextProcess(live), target, {
              externalTransactionId,
              ...(index % 2 === 0 && { amount: 5000 }),
            }),
          ),
        )
        assert.deepEqual(tally(answers), { 201: 1, '409 DUPLICATE_TRANSACTION': 5 })
      },
    )
  })
})

describe('concurrent reports on one payment', () => {
  it('settle it once when a success and its contradiction arrive together', async () => {
    await each(
      times(sized(8, 20), (index) => index),
      5,
      async (index) => {
        const number = String(778_000_000 + index)
        await script(live, number, [{ do: 'delay', ms: 600_000 }, { do: 'succeed' }])
        const body = initBody({ serviceCode: 'WALLETB_SN_CASHOUT', number })
        const { transaction } = (await call(viaNextProcess(live), init, body)).body
        const { transactionId: id, cashout_url: page } = transaction
        await fetch(`${page}/approve`, { method: 'POST', redirect: 'manual' })
        const statuses = ['succeeded', 'cancelled', 'succeeded', 'cancelled', 'succeeded']
        const refund = call(viaNextProcess(live), `POST /api/v1/transaction/refund/${id}`, {})
        const events = statuses.map((status, place) =>
          sendEvent(id, status, `EV_${index}_${place % 3}`),
        )
        await Promise.all([refund, ...events, ...requeries(id)])
        const status = await until(live, id, isEnd)
        const seen = await traceOf(id)
        if (status === 'SUCCESS')
          assert.deepEqual(
            { ...seen, conflicts: [] },
            { conflicts: [], suspense: [], collected: 1 },
          )
        else {
          assert.equal(status, 'CANCELLED')
          assert.deepEqual(seen, { conflicts: ['late_success'], suspense: [5000], collected: 0 })
        }
        // A refund that came before the end was refused.
        const { status: answered, body: answer } = await refund
        if (answered === 201) assert.equal(status, 'SUCCESS')
        else assert.equal(answer.code, 'REFUND_NOT_ALLOWED')
      },
    )
  })

  it('settle it once when codes, callbacks, queries and refunds arrive together', async () => {
    await each(
      times(sized(8, 20), (index) => index),
      5,
      async (index) => {
        const serviceCode = ['WALLETD_SN_CASHOUT', 'WALLETF_CI_CASHOUT'][index % 2]
        const body = initBody({ serviceCode })
        const { transactionId } = (await call(viaNextProcess(live), init, body)).body.transaction
        const code = (otp: string) =>
          call(viaNextProcess(live), 'POST /api/v1/transaction/confirm/walletd', {
            transactionId,
            otp,
          })
        const refund = () =>
          call(viaNextProcess(live), `POST /api/v1/transaction/refund/${transactionId}`, {})
        const answers = await Promise.all([
          ...['0000', '123456', '123456', '1111'].map(code),
          ...times(3, refund),
          ...times(4, (place) => hint(transactionId, place % 2 === 0)),
          ...requeries(transactionId),
        ])
        for (const answer of answers) if (answer) assert.ok(answer.status < 500, `${answer.status}`)
        assert.equal(await until(live, transactionId, isEnd), 'SUCCESS')
        const late = await Promise.all([refund(), refund()])
        const won = answers.filter((answer) => answer?.body?.refund !== undefined).length
        assert.equal(won + late.filter(({ status }) => status === 201).length, 1)
        assert.equal((await traceOf(transactionId)).collected, 1)
      },
    )
  })
})

async function attemptOf(id: string): Promise<string> {
  const [attempt] = await db<{ id: string }>`select id from attempts where transaction_id = ${id}`
  return String(attempt?.id)
}

/** Sends a signed callback about a checkout session. */
async function sendEvent(id: string, status: string, event: string): Promise<void> {
  const row = await findTransaction(db, { clientId, id })
  const body = JSON.stringify({
    id: `${event}_${status}`,
    type: 'checkout.session.completed',
    data: {
      id: row?.reference ?? '',
      launch_url: 'https://pay.example/',
      checkout_status: 'complete',
      payment_status: status,
      client_reference: `${clientId}.${await attemptOf(id)}`,
      amount: '5000',
      currency: 'XOF',
    },
  })
  const time = String(Math.floor(Date.now() / 1000))
  const mac = createHmac('sha256', 'lab_checkout_secret').update(time).update(body).digest('hex')
  const headers = { 'checkout-signature': `t=${time},v1=${mac}` }
  const { url } = viaNextProcess(live)
  const answer = await fetch(`${url}/callbacks/checkout-session`, { method: 'POST', headers, body })
  assert.equal(answer.status, 204)
}

/** Sends an unsigned callback, true or false. */
async function hint(id: string, isTrue: boolean): Promise<undefined> {
  const row = await findTransaction(db, { clientId, id })
  const bound = row && (await live.transactions.context.bind(row))
  const status = isTrue ? 'SUCCESSFUL' : 'FAILED'
  const body = { status, data: { status: isTrue ? 'completed' : 'failed', amount: 5000 } }
  const address = new URL(bound?.attempt.callbackUrl ?? '')
  const { url } = viaNextProcess(live)
  const answer = await fetch(url + address.pathname, {
    method: 'PUT',
    body: JSON.stringify(body),
  })
  assert.equal(answer.status, 204)
}

/** Drives a transaction in every process concurrently. */
function requeries(id: string): Promise<undefined>[] {
  return processes.map(async ({ transactions }) => {
    await driveOne(transactions.context, { clientId, id })
    return undefined
  })
}

/** The conflicts, suspense entries and number of collect postings of a transaction. */
async function traceOf(id: string) {
  const conflicts = await db<{ kind: string }>`
    select kind from conflicts where transaction_id = ${id} order by kind`
  const postings = await db<{ kind: string; suspense: number | null }>`
    select p.kind, e.amount as suspense from ledger_postings p
    left join ledger_entries e on (e.client_id, e.posting_id) = (p.client_id, p.id)
      and e.account = 'suspense'
    where p.ref in (${id}, ${await attemptOf(id)})`
  return {
    conflicts: conflicts.map(({ kind }) => kind),
    suspense: postings.flatMap(({ suspense }) => (suspense === null ? [] : [suspense])),
    collected: postings.filter(({ kind }) => kind === 'collect').length,
  }
}

describe('several processes', () => {
  /** Starts so many more sweepers in each process, until the test that calls it ends. */
  function startSweepers(count: number): void {
    const sweepers = processes.flatMap(({ transactions }) =>
      times(count, () => transactions.startSweeper()),
    )
    after(() => Promise.all(sweepers.map((sweeper) => sweeper.stop())))
  }

  it('query each due transaction once', async () => {
    const sent = await Promise.all(
      times(60, () => call(viaNextProcess(live), init, initBody({ number: silent }))),
    )
    const ids = sent.map(({ body }) => String(body.transaction.transactionId))
    const references = sent.map(({ body }) => String(body.transaction.ApiTransactionId))
    // The processes' own sweepers stop first, with their work done.
    await Promise.all(processes.map(({ sweeper }) => sweeper.stop()))
    proxy.requests.length = 0
    // After nine polls the next one is minutes away.
    await owner`update transactions set version = version + 1, due_at = now(), polls = 9
      where id = any(${ids})`
    // All of them claim at the same moment.
    startSweepers(4)
    await eventually('all outcomes are recorded', async () => {
      const rows = await db`select from transactions where id = any(${ids}) and polls > 9`
      return rows.length === ids.length
    })
    const countOf = (name: string) =>
      proxy.requests.filter((request) => request.includes(name)).length
    assert.deepEqual([...new Set(references.map(countOf))], [1])
  })

  it('send an order that a dead process left behind once', async () => {
    const service = parseServiceCode('WALLETA_SN_CASHIN')
    assert.ok(service !== undefined)
    const [key] = await db<{ id: string }>`select id from api_keys where client_id = ${clientId}`
    const drafts = times(40, (index) => {
      const { callBackURL: url } = initBody()
      const urls = { callbackUrl: url, successUrl: url, failureUrl: url }
      const payee = { payeeName: 'Shop', subMerchantId: null }
      const order = { amount: 1000, fee: 20, phone: '771234567', ...payee, ...urls }
      const owned = { clientId, keyId: key?.id ?? '', externalId: `left-${index}` }
      return draft({ ...owned, ...order, service, operation: 'CASHIN' }, new Date())
    })
    // Recorded, but not sent.
    await Promise.all(drafts.map((one) => live.transactions.context.recordIntent(one)))
    const ids = drafts.map(({ transaction }) => transaction.id)
    const path = 'POST /gsma/WALLETA/SN/transactions/type/disbursement'
    proxy.requests.length = 0
    await owner`update transactions set due_at = now() where id = any(${ids})`
    startSweepers(1)
    for (const id of ids) assert.equal(await until(live, id, isEnd), 'SUCCESS')
    assert.equal(proxy.requests.filter((request) => request === path).length, 40)
    const orders = await ordersByTransaction(live)
    for (const id of ids) assert.equal(orders.get(id)?.length, 1)
  })
})

it('keeps ledger, transactions and lab consistent', () => assertMoney(live))
