import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { pino } from 'pino'
import { type Service, services } from '#merchants/catalog/services.ts'
import { newAttempt } from '#test/attempt.ts'
import { eventually } from '#test/wait.ts'
import { startLab } from '../../../lab/server.ts'
import { sandboxBindings } from './bindings.ts'
import type { Attempt, Operation, Outcome } from './contract.ts'
import { openGatedClient } from './gated-client.ts'
import { openProviders } from './open.ts'
import { protocolNamed } from './protocols.ts'

/*
 * The same suite for every connector and operation, against the real lab over HTTP. The lab's own
 * order book tells how often money moved.
 */
const pace = 20
const lab = await startLab({ pace })
const log = pino({ level: 'silent' })
const bindings = sandboxBindings(lab.url)
const providers = openProviders({ bindings, log })
const unreachable = openProviders({ bindings: sandboxBindings('http://127.0.0.1:1'), log })
after(async () => {
  providers.close()
  unreachable.close()
  await lab.close()
})

const cases: [string, Operation][] = [
  ['WALLETA_SN_CASHOUT', 'collect'],
  ['WALLETA_CI_CASHIN', 'disburse'],
  ['WALLETC_SN_CASHOUT', 'reverse'],
  ['WALLETF_CM_CASHOUT', 'collect'],
  ['WALLETF_CI_CASHIN', 'disburse'],
  ['WALLETD_SN_CASHOUT', 'collect'],
  ['WALLETD_SN_CASHIN', 'disburse'],
  ['WALLETB_SN_CASHOUT', 'collect'],
  ['WALLETB_CI_CASHIN', 'disburse'],
  ['WALLETB_ML_CASHOUT', 'reverse'],
  ['OPERATOR1_SN_AIRTIME', 'top_up'],
  ['WATER_SN_BILL', 'pay_bill'],
  ['PREPAID_SN_BILL', 'pay_bill'],
]

// The lab's billers know few customers, so their tests run one after the other.
const customers: Record<string, string> = { WATER: '100000002', PREPAID: '200000007' }

for (const [code, operation] of cases) {
  const service = services.find((one) => one.code === code) as Service
  const { connector } = providers.find(service) ?? assert.fail(`${code} is not bound`)
  const capability = connector.capabilities[operation] ?? assert.fail(`${code} has no ${operation}`)
  const isCollect = operation === 'collect'
  const isCheckoutRefund = connector.name === 'checkout-session' && operation === 'reverse'
  const customer = customers[service.provider]

  /** An attempt whose order the lab runs by these steps; a reversal's original is paid first. */
  async function attemptWith(steps?: object[], overrides: Partial<Attempt> = {}): Promise<Attempt> {
    const owed = customer === undefined ? {} : await owedBy(customer)
    const attempt = attemptOf(service, operation, { ...owed, ...overrides })
    if (operation === 'reverse') {
      const original = attemptOf(service, 'collect', { phone: attempt.phone })
      await connector.submit(original).then((outcome) => keepReference(original, outcome))
      const paid = await settle(original)
      attempt.originalReference = paid.kind === 'succeeded' ? paid.reference : null
    }
    if (steps) await postToLab('/lab/scenario', { number: attempt.phone, steps })
    return attempt
  }

  /** The fields of an attempt that pays a customer's first unpaid bill, or tops up its meter. */
  async function owedBy(phone: string): Promise<Partial<Attempt>> {
    const inquiry = await connector.inquire?.(phone)
    const bill = inquiry?.kind === 'found' ? inquiry.bills.find((one) => !one.isPaid) : undefined
    if (bill === undefined) return assert.fail(`${phone} owes nothing`)
    return bill.reference === ''
      ? { phone }
      : { phone, billReference: bill.reference, amount: bill.amount }
  }

  async function send(attempt: Attempt): Promise<Outcome> {
    if (connector.prepare && attempt.reference === null) {
      const prepared = keepReference(attempt, await connector.prepare(attempt))
      if (prepared.kind !== 'accepted') return prepared
    }
    return keepReference(attempt, await connector.submit(attempt))
  }

  /** Sends the one-time code if there is one, then queries until the order succeeded or failed. */
  async function settle(attempt: Attempt): Promise<Outcome> {
    if (attempt.operation === 'collect' && connector.confirm && attempt.reference?.includes(':')) {
      const confirmed = await connector.confirm(attempt, '123456')
      assert.notEqual(confirmed.kind, 'wrong_code')
      assert.notEqual(confirmed.kind, 'not_sent')
    }
    return eventually('the order ends', async () => {
      const outcome = keepReference(attempt, await connector.query(attempt))
      assert.notEqual(outcome.kind, 'not_sent', 'a query is never not_sent')
      return (outcome.kind === 'succeeded' || outcome.kind === 'declined') && outcome
    })
  }

  /** Sends the order and waits for its result; a checkout refund has its result in the answer. */
  async function sendAndSettle(attempt: Attempt): Promise<Outcome> {
    const outcome = await send(attempt)
    if (outcome.kind === 'succeeded' || outcome.kind === 'declined') return outcome
    assert.ok(['accepted', 'pending'].includes(outcome.kind), JSON.stringify(outcome))
    return settle(attempt)
  }

  const concurrency = customer === undefined
  describe(`${connector.name} ${operation} (${code})`, { concurrency }, () => {
    it('succeeds, and money moves once', async () => {
      const attempt = await attemptWith()
      const outcome = await sendAndSettle(attempt)
      assert.ok(outcome.kind === 'succeeded', JSON.stringify(outcome))
      const { amount, currency } = attempt
      assert.deepEqual([outcome.amount, outcome.currency], [amount, currency])
      assert.ok(outcome.reference.length > 0)
      await assertExecuted(attempt, 1)
    })

    it('returns a payment URL exactly when the payer has to visit one', async () => {
      const outcome = await send(await attemptWith())
      const url = outcome.kind === 'accepted' ? outcome.paymentUrl : undefined
      assert.equal(
        url?.startsWith(`${lab.url}/checkout/`) ?? false,
        capability.payerStep === 'redirect',
      )
    })

    // Reason in the lab, causes where there is a payer, causes where there is none. Not every
    // protocol says why it declines a payout; `status.test.ts` has the cause of each code.
    const declines: [string, string[], string[]][] = [
      ['insufficient_funds', ['balance_low'], ['balance_low', 'declined']],
      ['refused', ['payer_refused'], ['payer_blocked', 'declined']],
      ['expired', [connector.name === 'otp-confirm' ? 'code_expired' : 'payer_timeout'], []],
    ]
    for (const [reason, collectCauses, otherCauses] of declines) {
      const causes = isCollect ? collectCauses : otherCauses
      if (causes.length === 0) continue
      it(`is declined: ${reason}`, async () => {
        const attempt = await attemptWith([{ do: 'soon' }, { do: 'decline', reason }])
        const outcome = await sendAndSettle(attempt)
        assert.ok(outcome.kind === 'declined', JSON.stringify(outcome))
        assert.ok(causes.includes(outcome.cause), outcome.cause)
        await assertExecuted(attempt, 0)
      })
    }

    it('is unknown when the answer is lost, and a query finds it', async () => {
      const attempt = await attemptWith([{ do: 'lose_answer' }, { do: 'soon' }, { do: 'succeed' }])
      const lost = await send(attempt)
      assert.equal(lost.kind, 'unknown')
      const outcome = isCheckoutRefund ? await send(attempt) : await settle(attempt)
      assert.equal(outcome.kind, 'succeeded')
      await assertExecuted(attempt, 1)
    })

    it('moves money once when the same id is sent twice', async () => {
      assert.notEqual(capability.idempotency, 'none')
      const attempt = await attemptWith()
      await send(attempt)
      // The lab pays every page, so this test makes only one: callers query before a second one.
      if (capability.payerStep === 'redirect') {
        const found = await connector.query({ ...attempt, reference: null })
        return assert.equal(found.kind, 'accepted')
      }
      const again = keepReference(attempt, await connector.submit({ ...attempt }))
      assert.ok(['accepted', 'succeeded'].includes(again.kind), JSON.stringify(again))
      if (!isCheckoutRefund) await settle(attempt)
      await assertExecuted(attempt, 1)
      if (capability.idempotency === 'harmless') return
      assert.ok(['accepted', 'succeeded'].includes((await connector.submit(attempt)).kind))
      assert.equal((await ordersOf(attempt)).length, 1)
    })

    it('may be declined when it is repeated, though it was carried out', async () => {
      const lost = [{ do: 'succeed' }, { do: 'lose_answer' }]
      const attempt = await attemptWith([
        { do: 'hide', times: 1 },
        { do: 'decline_repeats' },
        ...lost,
      ])
      assert.equal((await send(attempt)).kind, 'unknown')
      if (!isCheckoutRefund) assert.equal((await connector.query(attempt)).kind, 'not_found')
      const { kind } = await connector.submit(attempt)
      // A prompt that is declined says nothing of its invoice.
      assert.equal(kind, capability.payerStep === 'otp' ? 'unknown' : 'declined')
      if (!isCheckoutRefund) assert.equal((await connector.query(attempt)).kind, 'succeeded')
      await assertExecuted(attempt, 1)
    })

    it('is unknown when the answer comes after the deadline, and a query finds it', async () => {
      const steps = [{ do: 'succeed' }, { do: 'delay', ms: 1500 * pace }, { do: 'answer' }]
      const attempt = await attemptWith(steps)
      if (connector.prepare) keepReference(attempt, await connector.prepare(attempt))
      const late = keepReference(attempt, await withShortDeadline(service).submit(attempt))
      assert.equal(late.kind, 'unknown')
      if (isCheckoutRefund) return
      assert.equal((await settle(attempt)).kind, 'succeeded')
      await assertExecuted(attempt, 1)
    })

    it('is unknown after a 503, not found by a query, and accepted when sent again', async () => {
      const attempt = await attemptWith([
        { do: 'status', code: 503 },
        { do: 'soon' },
        { do: 'succeed' },
      ])
      const refused = await send(attempt)
      assert.equal(refused.kind, 'unknown')
      assert.equal(refused.evidence?.status, 503)
      if (!isCheckoutRefund) assert.equal((await connector.query(attempt)).kind, 'not_found')
      assert.equal((await sendAndSettle(attempt)).kind, 'succeeded')
      await assertExecuted(attempt, 1)
    })

    it('is not_found when it was never sent, but unknown when it has a reference', async () => {
      const attempt = attemptOf(service, operation, {})
      const asked = await connector.query(attempt)
      assert.equal(asked.kind, isCheckoutRefund ? 'unknown' : 'not_found')
      for (const reference of [randomUUID(), 'cos-1', '12', 'invoice:TX1'])
        assert.equal((await connector.query({ ...attempt, reference })).kind, 'unknown')
    })

    it('reports the amount that was paid, not the amount ordered', async (test) => {
      if (isCheckoutRefund) return test.skip('its answer has no amount')
      const attempt = await attemptWith([{ do: 'soon' }, { do: 'succeed', amount: 450 }])
      const outcome = await sendAndSettle(attempt)
      assert.ok(outcome.kind === 'succeeded')
      assert.equal(outcome.amount, 450)
    })

    it('stays accepted or pending while the provider is silent', async (test) => {
      if (isCheckoutRefund) return test.skip('its answer is its result')
      const attempt = await attemptWith([])
      await send(attempt)
      const { kind } = await connector.query(attempt)
      assert.ok(kind === 'accepted' || kind === 'pending')
    })

    it('is not_sent when the connection is refused; a query is then unknown', async () => {
      const attempt = attemptOf(service, operation, { originalReference: 'cos-1' })
      const { connector: refused } = unreachable.find(service) ?? assert.fail()
      if (refused.prepare) assert.equal((await refused.prepare(attempt)).kind, 'not_sent')
      if (refused.prepare) attempt.reference = 'invoice'
      assert.equal((await refused.submit(attempt)).kind, 'not_sent')
      assert.equal((await refused.query(attempt)).kind, 'unknown')
      assert.equal((await refused.query({ ...attempt, reference: 'r' })).kind, 'unknown')
    })

    it('keeps evidence without phone numbers, secrets and recharge codes', async () => {
      const attempt = await attemptWith()
      const outcomes = [await send(attempt), await connector.query(attempt)]
      const text = JSON.stringify(outcomes.map(({ evidence }) => evidence))
      assert.ok(!text.includes(attempt.phone), text)
      assert.doesNotMatch(text, /lab\.[a-z-]+\.\d|lab_/)
      // This meter gets three recharge codes at a time.
      assert.doesNotMatch(text, /\d{4}(-\d{4}){3}/)
    })
  })

  describe(`${connector.name} ${operation} references`, () => {
    if (connector.name !== 'gsma') return

    it('lead to the order by themselves, before and after it is paid', async () => {
      const attempt = await attemptWith(operation === 'pay_bill' ? undefined : [])
      await send(attempt)
      // With an id that the provider never got, nothing but the reference finds the order.
      const byReference = () => connector.query({ ...attempt, id: randomUUID() })
      if (operation !== 'pay_bill') assert.equal((await byReference()).kind, 'accepted')
      const paid = await attemptWith()
      assert.equal((await sendAndSettle(paid)).kind, 'succeeded')
      const found = await connector.query({ ...paid, id: randomUUID() })
      assert.equal(found.kind, 'succeeded', paid.reference ?? '')
    })
  })

  describe(`${connector.name} ${operation} inquiries`, () => {
    if (customer === undefined) return

    it('find the bills of a customer, and no customer for another number', async () => {
      const found = await connector.inquire?.(customer)
      assert.ok(found?.kind === 'found')
      assert.equal(found.account, customer.padStart(12, '0'))
      assert.equal(found.bills.length, service.isPrepaid ? 1 : 3)
      for (const { account, amount } of found.bills)
        assert.deepEqual([account, amount > 0], [found.account, !service.isPrepaid])
      assert.equal((await connector.inquire?.('999999999'))?.kind, 'not_found')
    })

    it('are unavailable when the connection is refused', async () => {
      const { connector: refused } = unreachable.find(service) ?? assert.fail()
      assert.equal((await refused.inquire?.(customer))?.kind, 'unavailable')
    })
  })

  describe(`${connector.name} ${operation} one-time codes`, () => {
    if (connector.confirm === undefined || !isCollect) return

    it('a wrong code leaves the order pending, and the right one pays it once', async () => {
      const attempt = await attemptWith()
      await send(attempt)
      assert.equal((await connector.confirm?.(attempt, '000000'))?.kind, 'wrong_code')
      assert.equal((await connector.query(attempt)).kind, 'pending')
      assert.equal((await connector.confirm?.(attempt, '123456'))?.kind, 'accepted')
      assert.equal((await settle(attempt)).kind, 'succeeded')
      assert.equal((await connector.confirm?.(attempt, '123456'))?.kind, 'accepted')
      await assertExecuted(attempt, 1)
    })

    it('a code is not_sent while the transaction id is unknown', async () => {
      const attempt = attemptOf(service, operation, { reference: 'invoice' })
      assert.equal((await connector.confirm?.(attempt, '123456'))?.kind, 'not_sent')
    })
  })
}

// Not one of the demo numbers.
let phones = 781_000_000

function attemptOf(service: Service, operation: Operation, overrides: Partial<Attempt>): Attempt {
  phones += 1
  const phone = String(phones)
  return newAttempt(service, operation, {
    phone,
    payeeName: "L'Échoppe d'Awa & <fils>",
    ...overrides,
  })
}

/** Keeps the reference of an outcome in the attempt, as the caller of a connector does. */
function keepReference<Kind extends Outcome>(attempt: Attempt, outcome: Kind): Kind {
  if ('reference' in outcome && outcome.reference !== null) attempt.reference = outcome.reference
  return outcome
}

/** The connector of a service, with a deadline that the lab's late answers miss. */
function withShortDeadline(service: Service) {
  const binding = bindings.find(
    (one) => one.provider === service.provider && one.country === service.country,
  )
  const protocol = protocolNamed(binding?.connector ?? '')
  if (binding === undefined || protocol === undefined) return assert.fail()
  const { name, probePath } = protocol
  const { baseUrl } = binding
  const client = openGatedClient({ name, baseUrl, probePath, isPaused: () => false, log })
  after(() => client.close())
  return protocol.open(async (call) => {
    if (!call.isOrder) return client.send(call)
    // Opens the connection, so that the order leaves at once.
    await client.send({ method: 'GET', path: probePath, deadlineMs: 60_000 })
    return client.send({ ...call, deadlineMs: 300 })
  }, binding.credentials)
}

async function postToLab(path: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(lab.url + path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  })
  assert.equal(answer.status, 200, await answer.text())
}

interface LabOrder {
  key: string
  phone: string
  operation: string
  executed: number
}

async function ordersOf({ id, phone, operation }: Attempt): Promise<LabOrder[]> {
  const answer = await fetch(`${lab.url}/lab/books`)
  const books = await answer.text()
  assert.equal(answer.status, 200, books)
  const { orders } = JSON.parse(books) as { orders: LabOrder[] }
  return operation === 'pay_bill'
    ? orders.filter(({ key }) => key === id)
    : orders.filter((order) => order.phone === phone && order.operation === operation)
}

/** Asserts that money moved this often; waits for it, since a refund is answered early. */
async function assertExecuted(attempt: Attempt, times: number): Promise<void> {
  const executed = async () =>
    (await ordersOf(attempt)).reduce((total, order) => total + order.executed, 0)
  await eventually('money moves', async () => (await executed()) >= times)
  assert.equal(await executed(), times)
}
