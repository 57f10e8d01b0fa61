import assert from 'node:assert/strict'
import { after, afterEach, describe, it } from 'node:test'
import { parseServiceCode, type Service } from '#merchants/catalog/services.ts'
import { draft } from '#money/transactions/intents.ts'
import { inquire, pay, payBody, postingsOf, topUpBody, unpaidOf } from '#test/bills.ts'
import { untilBlocked } from '#test/database.ts'
import { balance, call, isEnd, liveGateway, ordersOf, post, script, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'
import { recordBillPayments } from './record.ts'

const pace = 20
const gateway = await liveGateway({ pace })
const { db, lab, proxy, newMerchant, connect, url } = gateway
const owner = connect({ asOwner: true })
const merchant = async () => ({ url, ...(await newMerchant()) })
type Caller = Awaited<ReturnType<typeof merchant>>
const funds = 5_000_000
// A second sweeper, which the tests can wake.
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
  /** Recognise the requests that order a payment and that query it. */
  isOrder(request: string): boolean
  isQuery(request: string): boolean
  /** The provider's answer to a query of an order that it does not know. */
  missing: [number, string]
  /** Answers to a repeated order, refused because the first one was executed. */
  refused: [number, string][]
}

const gsmaError = (code: string) => JSON.stringify({ errorCode: code })

/** The requests and answers of each protocol. */
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

/** Ages a transaction by so many seconds, makes it due and wakes the sweeper. */
async function makeDue(id: string, seconds = 0): Promise<void> {
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

/** Drives a transaction until its provider was queried so many more times. */
async function untilQueried(kind: Kind, id: string, times = 1): Promise<void> {
  const count = () => proxy.requests.filter((request) => kind.isQuery(request)).length
  const enough = count() + times
  await eventually(`${times} queries`, async () => {
    await gateway.drive(id)
    return count() >= enough
  })
}

/** Pays, and checks that the outcome is unknown: PROCESSING, with the money held. */
async function payUnknown(kind: Kind, caller: Caller) {
  const body = kind.body()
  const answer = await pay(caller, body)
  const { transaction, message } = answer.body
  assert.deepEqual([answer.status, transaction?.Status], [201, 'PROCESSING'], answer.text)
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

async function assertReleased(caller: Caller, id: string): Promise<void> {
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
        await makeDue(id)
        await assertPaidOnce(caller, id, cost)
      })

    for (const garbage of [
      [200, '<html>'],
      [201, '{}'],
      [401, ''],
    ] as const)
      it(`(it answers ${garbage.join(' ')}) is resolved by a status query`, async () => {
        const caller = await merchant()
        proxy.answerInstead = (request) => (kind.isOrder(request) ? [...garbage] : undefined)
        const { id, cost } = await payUnknown(kind, caller)
        proxy.answerInstead = () => undefined
        await makeDue(id)
        await assertPaidOnce(caller, id, cost)
      })

    it('stays PROCESSING as long as status queries fail', async () => {
      const caller = await merchant()
      await script(gateway, kind.customer, [{ do: 'lose_answer' }, { do: 'succeed' }])
      const { id, cost, body } = await payUnknown(kind, caller)
      proxy.answerInstead = (request) => (kind.isQuery(request) ? [502, 'Bad gateway'] : undefined)
      for (const seconds of [61, 3600, 7 * 86_400]) {
        await makeDue(id, seconds)
        await untilQueried(kind, id)
        assert.deepEqual(await stateOf(id), { status: 'PROCESSING', state: 'unknown', attempts: 1 })
        assert.equal(await balance(caller), funds - cost)
        const again = await pay(caller, body)
        assert.deepEqual([again.status, again.body.transaction.Status], [409, 'PROCESSING'])
      }
      const { body: feed } = await call(caller, 'GET /api/v1/events')
      assert.deepEqual(feed.events, [])
      proxy.answerInstead = () => undefined
      await makeDue(id)
      await assertPaidOnce(caller, id, cost)
    })

    it('gets no new attempt while the provider’s search lags behind', async () => {
      const caller = await merchant()
      await script(gateway, kind.customer, [{ do: 'lose_answer' }, { do: 'succeed' }])
      proxy.requests.length = 0
      proxy.answerInstead = (request) => (kind.isQuery(request) ? kind.missing : undefined)
      const { id, cost } = await payUnknown(kind, caller)
      await untilQueried(kind, id, 2)
      const ids = await db`select from attempts where transaction_id = ${id}`
      assert.equal(ids.length, 1)
      proxy.answerInstead = () => undefined
      await makeDue(id)
      await assertPaidOnce(caller, id, cost)
    })

    for (const refusal of kind.refused)
      it(`does not fail when its repetition is refused: ${refusal.join(' ')}`, async () => {
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
        await eventually('it is sent again', async () => {
          await gateway.drive(id)
          return sent > 1
        })
        assert.equal((await stateOf(id))?.status, 'PROCESSING')
        assert.equal(await balance(caller), funds - cost)
        proxy.answerInstead = () => undefined
        await makeDue(id)
        await assertPaidOnce(caller, id, cost)
      })

    it('fails once "not found" has lasted for the declared delay', async () => {
      const caller = await merchant()
      proxy.answerInstead = (request) =>
        kind.isOrder(request) ? [500, ''] : kind.isQuery(request) ? kind.missing : undefined
      const { id, cost } = await payUnknown(kind, caller)
      // Not found, but before the declared delay is over: it is repeated under its id.
      await makeDue(id, 120)
      await untilQueried(kind, id)
      assert.equal((await stateOf(id))?.status, 'PROCESSING')
      assert.equal(await balance(caller), funds - cost)
      // Aged until no repetition is under way, whose end would begin the delay anew.
      await eventually('it fails', async () => {
        await makeDue(id, 600)
        return isEnd((await stateOf(id))?.status ?? '')
      })
      await assertReleased(caller, id)
      assert.deepEqual(await ordersOf(gateway, id), [])
    })
  })

describe('a connection lost between inquiry and order', () => {
  for (const kind of kinds) {
    it(`and restored: ${kind.name} is paid once`, async () => {
      const caller = await merchant()
      const { id, cost } = await payDisconnected(kind, caller)
      assert.deepEqual(await ordersOf(gateway, id), [])
      await proxy.acceptConnections()
      await makeDue(id)
      await assertPaidOnce(caller, id, cost)
    })

    it(`and not restored: ${kind.name} fails after its send window, not before`, async () => {
      const caller = await merchant()
      const [bill] = kind.name === 'WATER' ? await unpaidOf(caller, kind.customer) : []
      const { id, cost } = await payDisconnected(kind, caller)
      await makeDue(id, 40)
      await eventually('another try', async () => Number((await stateOf(id))?.attempts) > 1)
      assert.equal(await balance(caller), funds - cost)
      await makeDue(id, 21)
      await assertReleased(caller, id)
      await proxy.acceptConnections()
      // The bill can be paid again.
      const next = await pay(caller, kind.body())
      assert.equal(next.status, 201, next.text)
      assert.equal(next.body.transaction.referenceFacture, bill)
    })
  }

  /** Keeps a payment from being recorded until connections are refused. */
  async function payDisconnected(kind: Kind, caller: Caller) {
    proxy.requests.length = 0
    return owner.session(async (run) => {
      await run`begin`
      await run`select from ledger_accounts where client_id = ${caller.clientId} for update`
      const paying = payUnknown(kind, caller)
      await eventually('the inquiry', () =>
        proxy.requests.some((request) => /bills$|ibers/.test(request)),
      )
      await untilBlocked(owner)
      await proxy.refuseConnections()
      await run`commit`
      return paying
    })
  }
})

describe('a provider that answers after the deadline', { concurrency: true }, () => {
  for (const kind of kinds)
    it(`${kind.name} is paid once, and the caller does not wait for it`, async () => {
      const caller = await merchant()
      const late = [{ do: 'succeed' }, { do: 'delay', ms: 9000 * pace }, { do: 'answer' }]
      await script(gateway, kind.customer, late)
      const { id, cost } = await payUnknown(kind, caller)
      await makeDue(id)
      await assertPaidOnce(caller, id, cost)
    })
})

describe('with a provider that does not deduplicate orders by id', () => {
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
        await makeDue(id)
        await assertPaidOnce(caller, id, cost)
      }
    await post(`${lab.url}/lab/idempotency`, { enabled: true })
  })
})

describe('a process that dies', () => {
  for (const kind of kinds)
    for (const isSent of [false, true])
      it(`${isSent ? 'after' : 'before'} it sent an order to ${kind.name}: paid once`, async () => {
        const caller = await merchant()
        const { transaction } = await recordOnly(kind, caller)
        if (isSent) {
          const bound = await gateway.transactions.context.bind(transaction)
          assert.equal((await bound?.connector.submit(bound.attempt))?.kind, 'succeeded')
        }
        const { id, amount, fee } = transaction
        assert.equal((await stateOf(id))?.state, 'recorded')
        await makeDue(id)
        await assertPaidOnce(caller, id, amount + fee)
        const { body } = await call(caller, 'GET /api/v1/events')
        const { STATUS, TOKEN } = body.events[0].event
        assert.equal(STATUS, 'SUCCESS')
        if (kind.name === 'PREPAID') assert.match(TOKEN, /^\d{4}(-\d{4}){4}$/)
      })

  /** An intent that was recorded and not sent. */
  async function recordOnly(kind: Kind, { clientId, url: base, secret }: Caller) {
    const isBill = kind.name === 'WATER'
    const service = parseServiceCode(`${kind.name}_SN_BILL`) as Service
    const inquiry = await inquire({ url: base, secret }, service.code, kind.customer)
    const bill = inquiry.body.bills.find((one: { paid: boolean }) => !one.paid)
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
    const one = { ...draft(intent, new Date()), account: inquiry.body.referenceClient }
    await db.transaction((tx) => recordBillPayments(tx, [one], new Date()))
    return one
  }
})

it('keeps ledger, transactions and lab consistent', () => assertMoney(gateway))
