import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { after } from '#base/kit/clock.ts'
import { sized } from '#test/size.ts'
import type { Ours, Suspended } from '../import/match-store.ts'
import { paidOf, type StoredLine } from '../import/statement.ts'
import { type Judgement, judge, type Payment } from './judge.ts'

const runs = { numRuns: sized(3000, 30_000, 1_000_000) }
const noon = new Date('2026-03-10T12:00:00Z')
const attempt = '019ccc00-0000-7000-8000-000000000001'
const older = '019ccc00-0000-7000-8000-000000000002'
const id = '019ccc00-0000-7000-8000-000000000003'
const terms = { fees: undefined, timeZone: 'Africa/Dakar', recorded: new Set<string>() }
const file = (number: number) => `019ccd00-0000-7000-8000-00000000000${number}`

const ours = (change: Partial<Ours> = {}): Ours => ({
  clientId: 1,
  id,
  operation: 'CASHOUT',
  serviceCode: 'WALLETA_SN_CASHOUT',
  status: 'SUCCESS',
  amount: 5000,
  reference: 'a',
  phone: '771234567',
  attemptId: attempt,
  createdAt: after(noon, -60_000),
  completedAt: noon,
  ...change,
})

const line = (change: Partial<StoredLine> = {}): StoredLine => {
  const { reference = 'a', attemptId = attempt } = change
  return {
    statementId: file(1),
    line: 2,
    identity: `${reference === null ? '' : `r:${reference} `}o:1.${attemptId}`,
    at: noon,
    isDay: false,
    reference,
    ourReference: `1.${attemptId}`,
    kind: 'collect',
    phone: null,
    amount: 5000,
    sign: 1,
    fee: 0,
    result: 'succeeded',
    balance: null,
    bucket: null,
    clientId: 1,
    transactionId: id,
    attemptId,
    booked: null,
    bookedAt: null,
    proves: false,
    feesBooked: 0,
    transfersBooked: 0,
    ...change,
  }
}

const judged = (payment: Partial<Payment> & { lines: StoredLine[] }, statementId = file(3)) =>
  judge({ ours: ours(), suspended: [], ...payment }, { ...terms, statementId })

/** What was found of each line, by what it says; where it stands in its file counts nothing. */
function foundIn({ verdicts, proof }: Judgement): string[] {
  const textOf = ({ statementId, reference, attemptId, result, amount, fee, at }: StoredLine) =>
    [statementId.at(-1), reference, attemptId, result, amount, fee, at.toISOString()].join(' ')
  const found = verdicts.map(({ line: one, bucket, cases, booked }) => {
    const kinds = cases.map(({ kind, amount }) => `${kind} ${amount}`)
    return `${textOf(one)}: ${bucket} ${booked ?? '-'} ${kinds.join(', ')}`
  })
  return [...found.toSorted(), `proof: ${proof === undefined ? '-' : textOf(proof.line)}`]
}

const casesIn = ({ verdicts }: Judgement) =>
  verdicts.flatMap(({ cases }) => cases.map(({ kind, amount }) => `${kind} ${amount}`)).toSorted()

const anyLine = fc
  .record({
    file: fc.integer({ min: 1, max: 3 }),
    reference: fc.constantFrom('a', 'b', null),
    attemptId: fc.constantFrom(attempt, attempt, attempt, older),
    result: fc.constantFrom('succeeded', 'succeeded', 'failed', 'pending', 'reversed'),
    amount: fc.constantFrom(5000, 5000, 5000, 4900),
    fee: fc.constantFrom(0, 50),
    minutes: fc.constantFrom(-5, 0, 5),
  } as const)
  .map(({ file: number, minutes, ...one }) =>
    line({ ...one, statementId: file(number), at: after(noon, minutes * 60_000) }),
  )

const anyBooks = fc.constantFrom(
  ours(),
  ours({ reference: 'x' }),
  ours({ status: 'FAILED', reference: null }),
  ours({ status: 'PENDING', completedAt: null, reference: null }),
)

const suspense = (reference: string): Suspended => ({
  clientId: 1,
  attemptId: attempt,
  ref: `${attempt}/${reference}`,
  booked: 5000,
  bookedAt: after(noon, 600_000),
})

const anyPayment = fc.record({
  lines: fc.array(anyLine, { minLength: 1, maxLength: 7 }),
  ours: anyBooks,
  suspended: fc.subarray([suspense('a'), suspense('b')]),
})

/** The same lines in another order: each file has the same ones. */
const numbered = (lines: StoredLine[]) => lines.map((one, index) => ({ ...one, line: index + 2 }))

describe('verdicts', () => {
  it('do not depend on the order of rows', () => {
    const withOrder = anyPayment.chain((payment) =>
      fc.tuple(
        fc.constant(payment),
        fc.shuffledSubarray(payment.lines, { minLength: payment.lines.length }),
      ),
    )
    fc.assert(
      fc.property(withOrder, ([payment, other]) => {
        const found = judged({ ...payment, lines: numbered(payment.lines) })
        const again = judged({ ...payment, lines: numbered(other) })
        assert.deepEqual(foundIn(again), foundIn(found))
      }),
      runs,
    )
  })

  it('do not change by another file with the lines of the last one', () => {
    fc.assert(
      fc.property(anyPayment, (payment) => {
        const lines = numbered(payment.lines)
        const last = lines.filter(({ statementId }) => statementId === file(3))
        const copies = last.map((one) => ({ ...one, statementId: file(4) }))
        const before = judged({ ...payment, lines })
        const found = judged({ ...payment, lines: [...lines, ...copies] }, file(4))
        assert.deepEqual(casesIn(found), casesIn(before))
      }),
      runs,
    )
  })

  it('have, as amounts of cases, all that provider and books differ by', () => {
    fc.assert(
      fc.property(anyPayment, ({ lines, ...books }) => {
        const { facts, verdicts } = judged({ ...books, lines: numbered(lines) })
        const paid = facts.reduce((sum, { current }) => sum + paidOf(current), 0)
        const claimed = verdicts.reduce((sum, { booked }) => sum + (booked ?? 0), 0)
        const again = facts.filter(({ number }) => number > 1)
        const unbookedFees = again.reduce((sum, { current }) => sum + current.fee, 0)
        const stakes = verdicts.flatMap(({ cases }) =>
          cases.flatMap(({ kind, amount }) => (kind === 'day' || kind === 'fee' ? [] : [amount])),
        )
        assert.equal(
          stakes.reduce((sum, one) => sum + one, 0),
          paid - claimed - unbookedFees,
        )
      }),
      runs,
    )
  })

  it('claim each posting once, and none that there is not', () => {
    fc.assert(
      fc.property(anyPayment, ({ lines, ...books }) => {
        const { verdicts } = judged({ ...books, lines: numbered(lines) })
        const claims = verdicts.flatMap(({ bookedAt }) => (bookedAt ? [bookedAt.getTime()] : []))
        const success = books.ours.status === 'SUCCESS' ? 1 : 0
        assert.ok(claims.length <= books.suspended.length + success)
        const ofSuccess = claims.filter((one) => one === noon.getTime())
        assert.ok(ofSuccess.length <= success)
      }),
      runs,
    )
  })
})

describe('a fact', () => {
  const two = (one: Partial<StoredLine>, other: Partial<StoredLine>) => [
    line(one),
    line({ line: 3, ...other }),
  ]
  const open = ours({ status: 'PENDING', completedAt: null, reference: null })
  const cases: [string, StoredLine[], Ours, string[]][] = [
    [
      'of a failed try beside the paid one',
      two({ result: 'failed', reference: 'b' }, {}),
      ours(),
      [],
    ],
    ['that went from pending to succeeded', two({ result: 'pending' }, {}), ours(), []],
    [
      'that was reversed',
      two({}, { result: 'reversed', statementId: file(2) }),
      ours(),
      ['status -5000'],
    ],
    [
      'that was reversed under a reference of its own',
      two({}, { result: 'reversed', reference: 'b' }),
      ours(),
      ['status 0'],
    ],
    [
      'of a second payment that was reversed',
      [...two({}, { reference: 'b' }), line({ line: 4, reference: 'b', result: 'reversed' })],
      ours(),
      [],
    ],
    ['that was corrected', two({ amount: 4900 }, { statementId: file(2) }), ours(), []],
    ['that became wrong', two({}, { amount: 4900, statementId: file(2) }), ours(), ['amount -100']],
    ['that is told twice in a file', two({}, {}), ours(), ['duplicate 5000']],
    ['of a second payment', two({}, { reference: 'b' }), ours(), ['duplicate 5000']],
    ['that is pending still', [line({ result: 'pending' })], ours(), ['status -5000']],
    ['that waits as we do', [line({ result: 'pending' })], open, []],
    ['of an older attempt that failed', [line({ result: 'failed', attemptId: older })], ours(), []],
    [
      'of a stranger that was corrected',
      two({ amount: 4900 }, { statementId: file(2) }),
      undefined as never,
      ['theirs_only 5000'],
    ],
  ]
  for (const [name, lines, books, expected] of cases)
    it(name, () => assert.deepEqual(casesIn(judged({ lines, ours: books })), expected))

  it('of a failed try proves nothing beside a paid one, in any order', () => {
    for (const [failed, paid] of [
      [2, 3],
      [3, 2],
    ]) {
      const lines = [
        line({ result: 'failed', reference: null, line: failed ?? 0 }),
        line({ reference: null, line: paid ?? 0 }),
      ]
      assert.equal(judged({ lines, ours: open }, file(1)).proof?.line.result, 'succeeded')
    }
  })

  it('of an older attempt that failed does not stand for the success', () => {
    const lines = [line({ result: 'failed', attemptId: older })]
    assert.equal(judged({ lines }).holder, undefined)
  })
})

describe('days', () => {
  // Half an hour after midnight in Cameroon, and before it in UTC.
  const completedAt = new Date('2026-03-09T23:30:00Z')
  const late = line({ at: new Date('2026-03-10T00:10:00Z') })
  const books = ours({ createdAt: after(completedAt, -60_000), completedAt })
  const found = (timeZone: string, one = late) =>
    casesIn(
      judge(
        { lines: [one], ours: books, suspended: [] },
        { ...terms, timeZone, statementId: file(1) },
      ),
    )
  it('are those of the country of the provider', () => {
    assert.deepEqual(found('Africa/Douala'), [])
    assert.deepEqual(found('Africa/Dakar'), ['day 0'])
  })

  it('without a time are any moment of theirs', () => {
    const day = line({ at: new Date('2026-03-09T23:00:00Z'), isDay: true })
    assert.deepEqual(found('Africa/Douala', day), [])
  })
})
