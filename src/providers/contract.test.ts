import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { after, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { startLab } from '../../lab/server.ts'
import type { Service } from '../catalog/services.ts'
import { services } from '../catalog/services.ts'
import { sandboxBindings } from './bindings.ts'
import type { Attempt, Operation, Outcome } from './contract.ts'
import { openLine } from './line.ts'
import { protocolNamed } from './protocols.ts'
import { openProviders } from './registry.ts'

/*
 * One suite for every connector and operation, against the real lab over HTTP. The lab's own books
 * say how often money moved.
 */
const pace = 20
const lab = await startLab({ pace })
const log = pino({ level: 'silent' })
const bindings = sandboxBindings(lab.url)
const providers = openProviders({ bindings, log })
const dead = openProviders({ bindings: sandboxBindings('http://127.0.0.1:1'), log })
after(async () => {
  providers.close()
  dead.close()
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

// The lab's billers know few customers, so their tests take turns.
const customers: Record<string, string> = { WATER: '100000002', PREPAID: '200000007' }

for (const [code, operation] of cases) {
  const service = services.find((one) => one.code === code) as Service
  const { connector } = providers.find(service) ?? assert.fail(`${code} is not bound`)
  const capability = connector.capabilities[operation] ?? assert.fail(`${code} has no ${operation}`)
  const isCollect = operation === 'collect'
  const isRefundByPage = connector.name === 'checkout-session' && operation === 'reverse'
  const customer = customers[service.provider]

  /** An attempt whose order will live by these steps; a reversal has its original paid first. */
  async function attemptWith(steps?: object[], overrides: Partial<Attempt> = {}): Promise<Attempt> {
    const owed = customer === undefined ? {} : await owedBy(customer)
    const attempt = newAttempt(service, operation, { ...owed, ...overrides })
    if (operation === 'reverse') {
      const original = newAttempt(service, 'collect', { phone: attempt.phone })
      await connector.submit(original).then((outcome) => note(original, outcome))
      const paid = await settle(original)
      attempt.originalReference = paid.kind === 'succeeded' ? paid.reference : null
    }
    if (steps) await tellLab('/lab/scenario', { number: attempt.phone, steps })
    return attempt
  }

  /** What an order needs to pay the first bill of a customer, or to top up its meter. */
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
      const prepared = note(attempt, await connector.prepare(attempt))
      if (prepared.kind !== 'accepted') return prepared
    }
    return note(attempt, await connector.submit(attempt))
  }

  /** Does the payer's part, then asks until there is an end. */
  async function settle(attempt: Attempt): Promise<Outcome> {
    if (attempt.operation === 'collect' && connector.confirm && attempt.reference?.includes(':')) {
      const confirmed = await connector.confirm(attempt, '123456')
      assert.notEqual(confirmed.kind, 'wrong_code')
      assert.notEqual(confirmed.kind, 'not_sent')
    }
    for (let tries = 0; tries < 200; tries++) {
      const outcome = note(attempt, await connector.query(attempt))
      if (outcome.kind === 'succeeded' || outcome.kind === 'declined') return outcome
      assert.notEqual(outcome.kind, 'not_sent', 'a query is never not_sent')
      await sleep(20)
    }
    return assert.fail('no end')
  }

  /** A refund on a page has no end to wait for: sending it says all. */
  async function sendAndSettle(attempt: Attempt): Promise<Outcome> {
    const outcome = await send(attempt)
    if (outcome.kind === 'succeeded' || outcome.kind === 'declined') return outcome
    assert.ok(['accepted', 'pending'].includes(outcome.kind), JSON.stringify(outcome))
    return settle(attempt)
  }

  const concurrency = customer === undefined
  describe(`${connector.name} ${operation} (${code})`, { concurrency }, () => {
    it('succeeds, once', async () => {
      const attempt = await attemptWith()
      const outcome = await sendAndSettle(attempt)
      assert.ok(outcome.kind === 'succeeded', JSON.stringify(outcome))
      const { amount, currency } = attempt
      assert.deepEqual([outcome.amount, outcome.currency], [amount, currency])
      assert.ok(outcome.reference.length > 0)
      await assertExecuted(attempt, 1)
    })

    it('tells where to pay, if anywhere', async () => {
      const outcome = await send(await attemptWith())
      const url = outcome.kind === 'accepted' ? outcome.paymentUrl : undefined
      assert.equal(
        url?.startsWith(`${lab.url}/checkout/`) ?? false,
        capability.payerStep === 'redirect',
      )
    })

    // what the lab does, cause where there is a payer, cause where there is none
    const ends: [string, string, string][] = [
      ['insufficient_funds', 'declined', 'declined'],
      ['refused', 'payer_refused', 'declined'],
      ['expired', 'payer_timeout', ''],
    ]
    for (const [reason, collectCause, otherCause] of ends) {
      const cause = isCollect ? collectCause : otherCause
      if (cause === '') continue
      it(`is declined: ${reason}`, async () => {
        const attempt = await attemptWith([{ do: 'soon' }, { do: 'decline', reason }])
        const outcome = await sendAndSettle(attempt)
        assert.ok(outcome.kind === 'declined', JSON.stringify(outcome))
        assert.equal(outcome.cause, cause)
        await assertExecuted(attempt, 0)
      })
    }

    it('is unknown when the answer is lost, and found by asking', async () => {
      const attempt = await attemptWith([{ do: 'lose_answer' }, { do: 'soon' }, { do: 'succeed' }])
      const lost = await send(attempt)
      assert.equal(lost.kind, 'unknown')
      const outcome = isRefundByPage ? await send(attempt) : await settle(attempt)
      assert.equal(outcome.kind, 'succeeded')
      await assertExecuted(attempt, 1)
    })

    it('moves no money twice for an id that is sent again', async () => {
      assert.notEqual(capability.idempotency, 'none')
      const attempt = await attemptWith()
      await send(attempt)
      // The lab's payer visits every page: the caller never makes a second one without asking.
      if (capability.payerStep === 'redirect') {
        const found = await connector.query({ ...attempt, reference: null })
        return assert.equal(found.kind, 'accepted')
      }
      const again = note(attempt, await connector.submit({ ...attempt }))
      assert.ok(['accepted', 'succeeded'].includes(again.kind), JSON.stringify(again))
      if (!isRefundByPage) await settle(attempt)
      await assertExecuted(attempt, 1)
      if (capability.idempotency === 'harmless') return
      assert.ok(['accepted', 'succeeded'].includes((await connector.submit(attempt)).kind))
      assert.equal((await ordersOf(attempt)).length, 1)
    })

    it('is unknown when the answer comes after the deadline, and found by asking', async () => {
      const steps = [{ do: 'succeed' }, { do: 'delay', ms: 1500 * pace }, { do: 'answer' }]
      const attempt = await attemptWith(steps)
      if (connector.prepare) note(attempt, await connector.prepare(attempt))
      const late = note(attempt, await impatient(service).submit(attempt))
      assert.equal(late.kind, 'unknown')
      if (isRefundByPage) return
      assert.equal((await settle(attempt)).kind, 'succeeded')
      await assertExecuted(attempt, 1)
    })

    it('is unknown after a 503, not found by asking, and taken when sent again', async () => {
      const attempt = await attemptWith([
        { do: 'status', code: 503 },
        { do: 'soon' },
        { do: 'succeed' },
      ])
      const refused = await send(attempt)
      assert.equal(refused.kind, 'unknown')
      assert.equal(refused.evidence?.status, 503)
      if (!isRefundByPage) assert.equal((await connector.query(attempt)).kind, 'not_found')
      assert.equal((await sendAndSettle(attempt)).kind, 'succeeded')
      await assertExecuted(attempt, 1)
    })

    it('is not found when it was never sent; but once it was taken that is unknown', async () => {
      const attempt = newAttempt(service, operation, {})
      const asked = await connector.query(attempt)
      assert.equal(asked.kind, isRefundByPage ? 'unknown' : 'not_found')
      for (const reference of [randomUUID(), 'cos-1', '12', 'invoice:TX1'])
        assert.equal((await connector.query({ ...attempt, reference })).kind, 'unknown')
    })

    it('reports the amount that was paid, whatever was asked', async (test) => {
      if (isRefundByPage) return test.skip('its answer has no amount')
      const attempt = await attemptWith([{ do: 'soon' }, { do: 'succeed', amount: 450 }])
      const outcome = await sendAndSettle(attempt)
      assert.ok(outcome.kind === 'succeeded')
      assert.equal(outcome.amount, 450)
    })

    it('goes on while the provider is silent', async (test) => {
      if (isRefundByPage) return test.skip('its answer is its end')
      const attempt = await attemptWith([])
      await send(attempt)
      const { kind } = await connector.query(attempt)
      assert.ok(kind === 'accepted' || kind === 'pending')
    })

    it('was not sent when nobody listens; and to ask then is unknown', async () => {
      const attempt = newAttempt(service, operation, { originalReference: 'cos-1' })
      const { connector: nobody } = dead.find(service) ?? assert.fail()
      if (nobody.prepare) assert.equal((await nobody.prepare(attempt)).kind, 'not_sent')
      if (nobody.prepare) attempt.reference = 'invoice'
      assert.equal((await nobody.submit(attempt)).kind, 'not_sent')
      assert.equal((await nobody.query(attempt)).kind, 'unknown')
      assert.equal((await nobody.query({ ...attempt, reference: 'r' })).kind, 'unknown')
    })

    it('keeps evidence without phone numbers or secrets', async () => {
      const attempt = await attemptWith()
      const outcomes = [await send(attempt), await connector.query(attempt)]
      const text = JSON.stringify(outcomes.map(({ evidence }) => evidence))
      assert.ok(!text.includes(attempt.phone), text)
      assert.doesNotMatch(text, /lab\.[a-z-]+\.\d|lab_/)
      // Nor recharge codes, of which this meter's come three at a time.
      assert.doesNotMatch(text, /\d{4}(-\d{4}){3}/)
    })
  })

  describe(`${connector.name} ${operation} inquiries`, () => {
    if (customer === undefined) return

    it('tell what a customer owes, and that nobody knows another', async () => {
      const found = await connector.inquire?.(customer)
      assert.ok(found?.kind === 'found')
      assert.equal(found.account, customer.padStart(12, '0'))
      assert.equal(found.bills.length, service.isPrepaid ? 1 : 3)
      for (const { account, amount } of found.bills)
        assert.deepEqual([account, amount > 0], [found.account, !service.isPrepaid])
      assert.equal((await connector.inquire?.('999999999'))?.kind, 'not_found')
    })

    it('are not answered when nobody listens', async () => {
      const { connector: nobody } = dead.find(service) ?? assert.fail()
      assert.equal((await nobody.inquire?.(customer))?.kind, 'unavailable')
    })
  })

  describe(`${connector.name} ${operation} one-time codes`, () => {
    if (connector.confirm === undefined || !isCollect) return

    it('tells a wrong code from an order that failed', async () => {
      const attempt = await attemptWith()
      await send(attempt)
      assert.equal((await connector.confirm?.(attempt, '000000'))?.kind, 'wrong_code')
      assert.equal((await connector.query(attempt)).kind, 'pending')
      assert.equal((await connector.confirm?.(attempt, '123456'))?.kind, 'accepted')
      assert.equal((await settle(attempt)).kind, 'succeeded')
      assert.equal((await connector.confirm?.(attempt, '123456'))?.kind, 'accepted')
      await assertExecuted(attempt, 1)
    })

    it('sends no code without a transaction to send it to', async () => {
      const attempt = newAttempt(service, operation, { reference: 'invoice' })
      assert.equal((await connector.confirm?.(attempt, '123456'))?.kind, 'not_sent')
    })
  })
}

function newAttempt(service: Service, operation: Operation, overrides: Partial<Attempt>): Attempt {
  return {
    clientId: 7,
    id: randomUUID(),
    operation,
    service,
    amount: 500,
    currency: service.currency,
    // Not one of the demo numbers.
    phone: `78${randomInt(1_000_000, 9_999_999)}`,
    payeeName: "L'Échoppe d'Awa",
    callbackUrl: '',
    successUrl: 'https://shop.example/ok',
    failureUrl: 'https://shop.example/no',
    reference: null,
    originalReference: null,
    billReference: null,
    ...overrides,
  }
}

/** What the caller does with every outcome: it remembers the provider's reference. */
function note<Told extends Outcome>(attempt: Attempt, outcome: Told): Told {
  if ('reference' in outcome && outcome.reference !== null) attempt.reference = outcome.reference
  return outcome
}

/** The connector of a service, with a deadline that the lab's late answers miss. */
function impatient(service: Service) {
  const binding = bindings.find(
    (one) => one.provider === service.provider && one.country === service.country,
  )
  const protocol = protocolNamed(binding?.connector ?? '')
  if (binding === undefined || protocol === undefined) return assert.fail()
  const { name, probePath } = protocol
  const line = openLine({ name, baseUrl: binding.baseUrl, probePath, isPaused: () => false, log })
  after(() => line.close())
  return protocol.open(
    (call) => line.send(call.isOrder ? { ...call, deadlineMs: 300 } : call),
    binding.credentials,
  )
}

async function tellLab(path: string, body: object): Promise<void> {
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

/** The books say that money moved this often, now or (a refund is answered early) in a moment. */
async function assertExecuted(attempt: Attempt, times: number): Promise<void> {
  let sum = 0
  for (let tries = 0; tries < 20; tries++) {
    sum = (await ordersOf(attempt)).reduce((total, { executed }) => total + executed, 0)
    if (sum >= times) break
    await sleep(20)
  }
  assert.equal(sum, times)
}
