import assert from 'node:assert/strict'
import { after, afterEach, describe, it } from 'node:test'
import { inquire, pay, payBody, postingsOf, topUpBody, unpaidOf } from '../../test/bills.ts'
import { untilBlocked } from '../../test/database.ts'
import {
  balance,
  call,
  isEnd,
  liveGateway,
  ordersOf,
  post,
  script,
  until,
} from '../../test/live.ts'
import { assertMoney } from '../../test/money.ts'
import { eventually } from '../../test/wait.ts'
import type { Service } from '../catalog/services.ts'
import { parseServiceCode } from '../catalog/services.ts'
import { draft } from '../transactions/intents.ts'
import { recordBillPayments } from './record.ts'

const pace = 20
const gateway = await liveGateway({ pace })
const { db, lab, proxy, newMerchant, connect, url } = gateway
const owner = connect({ asOwner: true })
const merchant = async () => ({ url, ...(await newMerchant()) })
type Caller = Awaited<ReturnType<typeof merchant>>
const funds = 5_000_000
// One more, that can be told to look at once.
const sweeper = gateway.transactions.startSweeper()
after(() => sweeper.stop())

afterEach(() => {
  proxy.answerInstead = () => undefined
  proxy.losesAnswerTo = () => false
})

interface Kind {
  name: string
  customer: string
  body(): ReturnType<typeof payBody>
  /** What goes over the line: the order, and the question about it. */
  isOrder(request: string): boolean
  isQuery(request: string): boolean
  /** How the provider says that it knows no such order. */
  missing: [number, string]
  /** The same order again, refused because of what the first one did. */
  refused: [number, string][]
}

const gsmaError = (code: string) => JSON.stringify({ errorCode: code })

/** What a provider looks like on the line, for each way to pay. */
const kinds: Kind[] = [
  {
    name: 'WATER',
    customer: '100000002',
    body: () => payBody({ reference_client: '100000002' }),
    isOrder: (request) => request.endsWith('/payments'),
    isQuery: (request) => /\/WATER\/SN\/(responses|requeststates|transactions)\//.test(request),
    missing: [404, gsmaError('identifierError')],
    refused: [
      [400, gsmaError('incorrectState')],
      [404, gsmaError('identifierError')],
      [400, gsmaError('overPaymentNotAllowed')],
    ],
  },
  {
    name: 'PREPAID',
    customer: '200000001',
    body: () => topUpBody({ reference_client: '200000001' }),
    isOrder: (request) => request.endsWith('/PREPAID/SN/pay'),
    isQuery: (request) => /^GET .*\/PREPAID\/SN\/transactions/.test(request),
    missing: [200, '{"content":[]}'],
    refused: [[400, '{"errorCode":"INSUFFICIENT_BALANCE"}']],
  },
]

/** Has a transaction looked at now, as if so many seconds had passed since it was made. */
async function hurry(id: string, seconds = 0): Promise<void> {
  await owner`
    update transactions
    set version = version + 1, created_at = created_at - ${seconds} * interval '1 second',
      attempted_at = attempted_at - ${seconds} * interval '1 second', due_at = now()
    where id = ${id} and completed_at is null`
  sweeper.wake()
}

async function stateOf(id: string) {
  const [row] = await db<{ status: string; state: string; attempts: number }>`
    select status, attempt_state as state, attempt_number::integer as attempts
    from transactions where id = ${id}`
  return row
}

/** Has the provider asked about an order so many times more. */
async function asked(kind: Kind, id: string, times = 1): Promise<void> {
  const count = () => proxy.requests.filter((request) => kind.isQuery(request)).length
  const enough = count() + times
  await eventually(`${times} questions`, async () => {
    await gateway.drive(id)
    return count() >= enough
  })
}

/** Pays into the unknown: PROCESSING, with the money held. */
async function payUnknown(kind: Kind, caller: Caller) {
  const body = kind.body()
  const told = await pay(caller, body)
  const { transaction, message } = told.body
  assert.deepEqual([told.status, transaction?.Status], [201, 'PROCESSING'], told.text)
  const { amount, transactionFee, currentBalance, transactionId: id } = transaction
  assert.equal(currentBalance, funds - amount - transactionFee)
  assert.equal(transaction.message, message)
  assert.equal(await balance(caller), currentBalance)
  return { id, body, cost: amount + transactionFee }
}

async function assertPaidOnce(caller: Caller, id: string, cost: number): Promise<void> {
  assert.equal(await until(caller, id, isEnd), 'SUCCESS')
  const orders = await ordersOf(gateway, id)
  assert.deepEqual(
    orders.map(({ executed }) => executed),
    [1],
  )
  assert.equal(await balance(caller), funds - cost)
  assert.deepEqual(await postingsOf(gateway, id), ['hold', 'capture'])
}

async function assertGivenBack(caller: Caller, id: string): Promise<void> {
  assert.equal(await until(caller, id, isEnd), 'FAILED')
  assert.equal(await balance(caller), funds)
  assert.deepEqual(await postingsOf(gateway, id), ['hold', 'release'])
  const claims = await db`select from bill_claims where transaction_id = ${id}`
  assert.equal(claims.length, 0)
}

for (const kind of kinds)
  describe(`an order to ${kind.name} whose outcome is unknown`, () => {
    // what the provider does with the order
    const taken: [string, object[]][] = [
      ['its answer is lost', [{ do: 'lose_answer' }, { do: 'succeed' }]],
      [
        '500 although it was taken',
        [{ do: 'delay', ms: 0 }, { do: 'status', code: 500 }, { do: 'succeed' }],
      ],
      ['503 before it was taken', [{ do: 'status', code: 503 }, { do: 'succeed' }]],
    ]
    for (const [name, steps] of taken)
      it(`(${name}) is paid once`, async () => {
        const caller = await merchant()
        await script(gateway, kind.customer, steps)
        const { id, cost } = await payUnknown(kind, caller)
        await hurry(id)
        await assertPaidOnce(caller, id, cost)
      })

    for (const garbage of [
      [200, '<html>'],
      [201, '{}'],
      [401, ''],
    ] as const)
      it(`(it answers ${garbage.join(' ')}) is found out by asking`, async () => {
        const caller = await merchant()
        proxy.answerInstead = (request) => (kind.isOrder(request) ? [...garbage] : undefined)
        const { id, cost } = await payUnknown(kind, caller)
        proxy.answerInstead = () => undefined
        await hurry(id)
        await assertPaidOnce(caller, id, cost)
      })

    it('stays so however long nobody can say', async () => {
      const caller = await merchant()
      await script(gateway, kind.customer, [{ do: 'lose_answer' }, { do: 'succeed' }])
      const { id, cost, body } = await payUnknown(kind, caller)
      proxy.answerInstead = (request) => (kind.isQuery(request) ? [502, 'Bad gateway'] : undefined)
      for (const seconds of [61, 3600, 7 * 86_400]) {
        await hurry(id, seconds)
        await asked(kind, id)
        assert.deepEqual(await stateOf(id), { status: 'PROCESSING', state: 'unknown', attempts: 1 })
        assert.equal(await balance(caller), funds - cost)
        const again = await pay(caller, body)
        assert.deepEqual([again.status, again.body.transaction.Status], [409, 'PROCESSING'])
      }
      const { body: feed } = await call(caller, 'GET /api/v1/events')
      assert.deepEqual(feed.events, [])
      proxy.answerInstead = () => undefined
      await hurry(id)
      await assertPaidOnce(caller, id, cost)
    })

    it('is not sent anew while the provider’s lists lag behind', async () => {
      const caller = await merchant()
      await script(gateway, kind.customer, [{ do: 'lose_answer' }, { do: 'succeed' }])
      proxy.requests.length = 0
      proxy.answerInstead = (request) => (kind.isQuery(request) ? kind.missing : undefined)
      const { id, cost } = await payUnknown(kind, caller)
      await asked(kind, id, 2)
      const ids = await db`select from attempts where transaction_id = ${id}`
      assert.equal(ids.length, 1)
      proxy.answerInstead = () => undefined
      await hurry(id)
      await assertPaidOnce(caller, id, cost)
    })

    for (const refusal of kind.refused)
      it(`is not refused by what a second sending hears: ${refusal.join(' ')}`, async () => {
        const caller = await merchant()
        await script(gateway, kind.customer, [{ do: 'lose_answer' }, { do: 'succeed' }])
        let sent = 0
        proxy.answerInstead = (request) => {
          if (kind.isQuery(request)) return kind.missing
          if (!kind.isOrder(request)) return undefined
          sent += 1
          return sent > 1 ? refusal : undefined
        }
        const { id, cost } = await payUnknown(kind, caller)
        await eventually('it to be sent again', async () => {
          await gateway.drive(id)
          return sent > 1
        })
        assert.equal((await stateOf(id))?.status, 'PROCESSING')
        assert.equal(await balance(caller), funds - cost)
        proxy.answerInstead = () => undefined
        await hurry(id)
        await assertPaidOnce(caller, id, cost)
      })

    it('has failed once it is long proven that nothing arrived', async () => {
      const caller = await merchant()
      proxy.answerInstead = (request) =>
        kind.isOrder(request) ? [500, ''] : kind.isQuery(request) ? kind.missing : undefined
      const { id, cost } = await payUnknown(kind, caller)
      // Not found, but not for long enough.
      await hurry(id, 120)
      await asked(kind, id)
      assert.equal((await stateOf(id))?.status, 'PROCESSING')
      assert.equal(await balance(caller), funds - cost)
      await hurry(id, 600)
      await assertGivenBack(caller, id)
      assert.deepEqual(await ordersOf(gateway, id), [])
    })
  })

describe('a line that is cut between the question and the order', () => {
  for (const kind of kinds) {
    it(`and mended: ${kind.name} is paid once`, async () => {
      const caller = await merchant()
      const { id, cost } = await cutBefore(kind, caller)
      assert.deepEqual(await ordersOf(gateway, id), [])
      await proxy.acceptConnections()
      await hurry(id)
      await assertPaidOnce(caller, id, cost)
    })

    it(`and not mended: ${kind.name} has failed when its window is over, not before`, async () => {
      const caller = await merchant()
      const [bill] = kind.name === 'WATER' ? await unpaidOf(caller, kind.customer) : []
      const { id, cost } = await cutBefore(kind, caller)
      await hurry(id, 40)
      await eventually('another try', async () => Number((await stateOf(id))?.attempts) > 1)
      assert.equal(await balance(caller), funds - cost)
      await hurry(id, 21)
      await assertGivenBack(caller, id)
      await proxy.acceptConnections()
      // The bill is as free as before.
      const next = await pay(caller, kind.body())
      assert.equal(next.status, 201, next.text)
      assert.equal(next.body.transaction.referenceFacture, bill)
    })
  }

  /** Keeps a payment from being recorded until the line is cut. */
  async function cutBefore(kind: Kind, caller: Caller) {
    proxy.requests.length = 0
    return owner.session(async (run) => {
      await run`begin`
      await run`select from ledger_accounts where client_id = ${caller.clientId} for update`
      const paying = payUnknown(kind, caller)
      await eventually('the question', () =>
        proxy.requests.some((request) => /bills$|ibers/.test(request)),
      )
      await untilBlocked(owner)
      await proxy.refuseConnections()
      await run`commit`
      return paying
    })
  }
})

describe('a provider that takes too long', { concurrency: true }, () => {
  for (const kind of kinds)
    it(`${kind.name} is not waited for, and paid once`, async () => {
      const caller = await merchant()
      const late = [{ do: 'succeed' }, { do: 'delay', ms: 9000 * pace }, { do: 'answer' }]
      await script(gateway, kind.customer, late)
      const { id, cost } = await payUnknown(kind, caller)
      await hurry(id)
      await assertPaidOnce(caller, id, cost)
    })
})

describe('with a provider that makes another order of the same id', () => {
  it('nothing is paid twice', async () => {
    await post(`${lab.url}/lab/idempotency`, { enabled: false })
    const faults = [
      [{ do: 'lose_answer' }, { do: 'succeed' }],
      [{ do: 'delay', ms: 0 }, { do: 'status', code: 500 }, { do: 'succeed' }],
    ]
    for (const kind of kinds)
      for (const steps of faults) {
        const caller = await merchant()
        await script(gateway, kind.customer, steps)
        const { id, cost } = await payUnknown(kind, caller)
        await hurry(id)
        await assertPaidOnce(caller, id, cost)
      }
    await post(`${lab.url}/lab/idempotency`, { enabled: true })
  })
})

describe('a process that died', () => {
  for (const kind of kinds)
    for (const isSent of [false, true])
      it(`${isSent ? 'after' : 'before'} it sent an order to ${kind.name}: paid once`, async () => {
        const caller = await merchant()
        const { transaction } = await left(kind, caller)
        if (isSent) {
          const bound = await gateway.transactions.context.bind(transaction)
          assert.equal((await bound?.connector.submit(bound.attempt))?.kind, 'succeeded')
        }
        const { id, amount, fee } = transaction
        assert.equal((await stateOf(id))?.state, 'recorded')
        await hurry(id)
        await assertPaidOnce(caller, id, amount + fee)
        const { body } = await call(caller, 'GET /api/v1/events')
        const { STATUS, TOKEN } = body.events[0].event
        assert.equal(STATUS, 'SUCCESS')
        if (kind.name === 'PREPAID') assert.match(TOKEN, /^\d{4}(-\d{4}){4}$/)
      })

  /** An intent that was recorded, and that nobody went on with. */
  async function left(kind: Kind, { clientId, url: base, secret }: Caller) {
    const isBill = kind.name === 'WATER'
    const service = parseServiceCode(`${kind.name}_SN_BILL`) as Service
    const asked = await inquire({ url: base, secret }, service.code, kind.customer)
    const bill = asked.body.bills.find((one: { paid: boolean }) => !one.paid)
    const [key] = await db<{ id: string }>`select id from api_keys where client_id = ${clientId}`
    const intent = {
      clientId,
      keyId: String(key?.id),
      externalId: null,
      service,
      operation: 'BILL' as const,
      amount: isBill ? bill.montant : 5000,
      fee: 100,
      phone: kind.customer,
      payeeName: 'Shop',
      billReference: isBill ? bill.referenceFacture : null,
      callbackUrl: null,
      successUrl: '',
      failureUrl: '',
    }
    const one = { ...draft(intent, new Date()), account: asked.body.referenceClient }
    await db.transaction((tx) => recordBillPayments(tx, [one], new Date()))
    return one
  }
})

it('moves money where the lab says, and nowhere else', () => assertMoney(gateway))
