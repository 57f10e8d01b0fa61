import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { startOfDay } from '#base/kit/zoned-days.ts'
import { openLog } from '#base/log/log.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import { usualCapability } from '#money/providers/capabilities.ts'
import { draft, recordIntents } from '#money/transactions/intents.ts'
import { recordOutcomes } from '#money/transactions/record-outcomes.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { findLimitBreaks } from '#operations/verify/limits-store.ts'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { sized } from '#test/size.ts'
import { numbersScope, setLimit } from './change.ts'
import { openLimits } from './open.ts'
import { scopes, zoneOf } from './scope.ts'

const { db } = await testDatabase()
const codes = ['WALLETA_CM_CASHOUT', 'WALLETA_SN_CASHIN'] as const
const phones = ['771234567', '771234568']
const keyId = '00000000-0000-0000-0000-000000000000'
const limitsOfDay = { amountMax: 2000, countMax: 4 }
const attemptsMax = 2

type Order = { code: number; amount: number; phone: number; id: number }
type Step =
  | { kind: 'record'; orders: Order[] }
  | { kind: 'decline'; which: number }
  | { kind: 'wait'; ms: number }

const order = fc.record({
  code: fc.nat(1),
  amount: fc.constantFrom(200, 500, 900, 1500),
  phone: fc.nat(1),
  id: fc.nat(30),
})
// Which of two drafts of one id in a group is recorded depends on their own ids.
const orders = fc.uniqueArray(order, { minLength: 1, maxLength: 5, selector: ({ id }) => id })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: orders.map(toRecord) },
  { weight: 2, arbitrary: fc.nat(20).map((which): Step => ({ kind: 'decline', which })) },
  { weight: 2, arbitrary: fc.constantFrom(1000, 400_000, 40_000_000).map(toWait) },
)

function toRecord(orders: Order[]): Step {
  return { kind: 'record', orders }
}

function toWait(ms: number): Step {
  return { kind: 'wait', ms }
}

/** Cameroon is an hour ahead. */
function dayIn(code: string, now: Date): string {
  const aheadMs = code.includes('_CM_') ? 3_600_000 : 0
  return new Date(now.getTime() + aheadMs).toISOString().slice(0, 10)
}

interface Made {
  id: number
  code: string
  amount: number
  day: string
  at: number
  isUnpaid: boolean
  transaction: Transaction
}

/** What must become of an order, computed from all that was made before. */
function expected(made: Made[], { code, amount, phone, id }: Order, now: Date): string {
  if (made.some((one) => one.id === id)) return 'duplicate'
  const service = codes[code] ?? ''
  const tries = made.filter(
    (one) =>
      one.code === codes[0] &&
      one.transaction.phone === phones[phone] &&
      one.at > now.getTime() - 600_000,
  )
  if (service === codes[0] && tries.length >= attemptsMax) return 'too_many_attempts'
  const day = dayIn(service, now)
  const counted = made.filter((one) => one.code === service && one.day === day && !one.isUnpaid)
  const sum = counted.reduce((total, one) => total + one.amount, 0)
  const isFull = sum + amount > limitsOfDay.amountMax || counted.length >= limitsOfDay.countMax
  return isFull ? 'daily_limit_reached' : 'recorded'
}

it('agrees with a plain model, in groups, over days, with payments that fail', async () => {
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), run), {
    numRuns: sized(60, 200, 600),
    endOnFailure: true,
  })
})

it('has days that the database and the catalogue begin at the same time', async () => {
  const days = await db<{ scope: string; at: Date }>`
    select scope, '2026-03-02'::timestamp at time zone limit_zone(scope) as at
    from unnest(${[...scopes]}::text[]) as scope`
  for (const { scope, at } of days)
    assert.deepEqual(at, startOfDay('2026-03-02', zoneOf(scope)), scope)
})

async function run(steps: Step[]): Promise<void> {
  const clock = testClock('2026-03-01T22:55:00.000Z')
  const limits = openLimits({ db, clock, log: openLog('silent') })
  const clientId = await newClient(db, clock, 1_000_000)
  const common = { clientId, now: new Date(clock.now().getTime() - 60_000), actor: 'test' }
  await db.transaction(async (tx) => {
    for (const scope of codes) await setLimit(tx, { ...common, scope, ...limitsOfDay })
    await setLimit(tx, { ...common, scope: numbersScope, attemptsMax })
  })
  const made: Made[] = []
  for (const one of steps) {
    if (one.kind === 'wait') clock.advance(one.ms)
    else if (one.kind === 'decline') await decline(made[one.which % made.length])
    else await record(one.orders)
    clock.advance(1)
  }
  assert.deepEqual(await findLimitBreaks(db), [])

  async function record(orders: Order[]): Promise<void> {
    const now = clock.now()
    const rules = await limits.rules()
    const drafts = orders.map(({ code, amount, phone, id }) => {
      const service = parseServiceCode(codes[code] ?? '')
      assert.ok(service !== undefined)
      const operation = code === 0 ? 'CASHOUT' : 'CASHIN'
      const urls = { callbackUrl: null, successUrl: '', failureUrl: '' }
      const parts = {
        clientId,
        keyId,
        service,
        operation,
        amount,
        fee: 0,
        payeeName: 'Shop',
      } as const
      const own = { externalId: `order-${id}`, phone: phones[phone] ?? '' }
      const drafted = draft({ ...parts, ...own, ...urls }, now)
      return { ...drafted, rules }
    })
    // The recorder never mixes what holds money with what does not.
    for (const code of [0, 1]) {
      const group = drafts.filter((_, index) => orders[index]?.code === code)
      const wanted = orders.filter((order) => order.code === code)
      if (group.length === 0) continue
      const results = await db.transaction((tx) => recordIntents(tx, group, now))
      const seen: string[] = []
      const told = results.map((result, index) => {
        const kind = result.kind === 'refused' ? result.refusal.kind : result.kind
        const { transaction } = group[index] ?? {}
        if (result.kind === 'recorded' && transaction) {
          const { amount, id } = wanted[index] ?? { amount: 0, id: 0 }
          seen.push(expected(made, wanted[index] as Order, now))
          const day = dayIn(codes[code] ?? '', now)
          const at = now.getTime()
          made.push({ id, code: codes[code] ?? '', amount, day, at, isUnpaid: false, transaction })
        } else seen.push(expected(made, wanted[index] as Order, now))
        return kind
      })
      assert.deepEqual(told, seen)
    }
  }

  async function decline(one: Made | undefined): Promise<void> {
    if (one === undefined || one.isUnpaid) return
    one.isUnpaid = true
    const { id: transactionId, attemptId } = one.transaction
    const outcome = { kind: 'declined', cause: 'declined', reason: 'no', reference: null } as const
    const report = { clientId, transactionId, attemptId, source: 'answer', outcome } as const
    const announce = async () => () => {}
    await db.transaction((tx) =>
      recordOutcomes(tx, [{ ...report, capability: usualCapability }], { clock, announce, limits }),
    )
  }
}
