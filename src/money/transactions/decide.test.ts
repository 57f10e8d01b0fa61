import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Capability, Outcome } from '#money/providers/contract.ts'
import { decideOutcome, type Source } from './decide.ts'
import { mayResend } from './next-step.ts'
import type { AttemptState } from './transaction.ts'
import { trustedAttemptedAt } from './waits.ts'

const now = new Date('2026-01-15T10:00:00Z')
const capability: Capability = {
  idempotency: 'rejects',
  canFindByOurId: true,
  notFoundIsFinalAfterMs: 30_000,
  payerStep: 'push',
  deadlineMs: 8000,
  pollMs: [2000],
}
const outcomes: Outcome[] = [
  { kind: 'not_sent', reason: 'x' },
  { kind: 'accepted', reference: 'r' },
  { kind: 'pending', reference: null },
  { kind: 'succeeded', reference: 'r', amount: 500, currency: 'XOF', tokens: [] },
  { kind: 'succeeded', reference: 'r', amount: 501, currency: 'XOF', tokens: [] },
  { kind: 'declined', cause: 'declined', reason: 'x', reference: null },
  { kind: 'unknown', reason: 'x', reference: null },
  { kind: 'not_found' },
]
const sources: Source[] = ['prepare', 'answer', 'query', 'callback', 'confirm', 'operator', 'payer']
const states: AttemptState[] = ['recorded', 'prepared', 'taken', 'unknown', 'not_sent', 'parked']

const facts = {
  status: 'PENDING',
  operation: 'CASHOUT',
  amount: 500,
  attemptNumber: 1,
  reference: null,
  polls: 0,
  attemptedAt: now,
  createdAt: now,
  currency: 'XOF',
} as const

describe('decideOutcome', () => {
  // A cached row may carry an outdated due date: see optimistic-recording.ts.
  it('sets a due date for every outcome of a transaction that is not final', () => {
    for (const outcome of outcomes)
      for (const source of sources)
        for (const attemptState of states)
          for (const status of ['PENDING', 'PROCESSING'] as const)
            for (const ageMs of [0, 3_600_000])
              for (const isResent of [false, true]) {
                const at = new Date(now.getTime() - ageMs)
                const known = { ...facts, status, attemptState, attemptedAt: at, createdAt: at }
                const decision = decideOutcome(known, outcome, source, capability, now, isResent)
                const name = [outcome.kind, source, attemptState, status, ageMs].join(' ')
                assert.notEqual(decision.dueAt, undefined, name)
              }
  })

  it('ends nothing by an answer that is lost, however old the order is', () => {
    for (const source of sources)
      for (const attemptState of states)
        for (const ageMs of [0, 3_600_000]) {
          const at = new Date(now.getTime() - ageMs)
          const known = { ...facts, attemptState, attemptedAt: at, createdAt: at }
          const lost: Outcome = { kind: 'unknown', reason: 'x', reference: null }
          const { trigger = 'outcome_unknown' } = decideOutcome(
            known,
            lost,
            source,
            capability,
            now,
          )
          assert.equal(trigger, 'outcome_unknown', [source, attemptState, ageMs].join(' '))
        }
  })

  it('moves nothing that has ended', () => {
    for (const status of ['SUCCESS', 'FAILED', 'CANCELLED'] as const)
      for (const outcome of outcomes)
        for (const source of sources) {
          const ended = { ...facts, status, attemptState: 'taken' } as const
          const { trigger } = decideOutcome(ended, outcome, source, capability, now)
          assert.equal(trigger, undefined, [status, outcome.kind, source].join(' '))
        }
  })

  it('tells an operator what contradicts an end, and suspends its money; else nothing', () => {
    for (const status of ['SUCCESS', 'FAILED', 'CANCELLED'] as const)
      for (const outcome of outcomes) {
        const ended = { ...facts, status, attemptState: 'taken' } as const
        const isSuccess = status === 'SUCCESS'
        const expected =
          outcome.kind === 'succeeded'
            ? isSuccess
              ? outcome.amount === 500
                ? {}
                : { conflict: 'wrong_amount' }
              : { conflict: 'late_success', suspended: outcome.amount }
            : outcome.kind === 'declined' && isSuccess
              ? { conflict: 'contradiction' }
              : {}
        assert.deepEqual(decideOutcome(ended, outcome, 'callback', capability, now), expected)
      }
  })

  it('takes an order for not sent by its own answer only', () => {
    for (const source of sources) {
      const asked = { ...facts, attemptState: 'recorded' } as const
      const decision = decideOutcome(
        asked,
        { kind: 'not_sent', reason: 'x' },
        source,
        capability,
        now,
      )
      const isOwn = source === 'answer' || source === 'prepare'
      assert.equal(decision.attemptState, isOwn ? 'not_sent' : 'unknown', source)
    }
  })

  it('ends nothing by the refusal of an order that was sent twice, nor contradicts its end', () => {
    for (const outcome of outcomes.filter(({ kind }) => ['not_sent', 'declined'].includes(kind)))
      for (const attemptState of ['taken', 'unknown'] as const) {
        const open = { ...facts, attemptState } as const
        const { trigger, ...decision } = decideOutcome(open, outcome, 'answer', capability, now)
        assert.deepEqual(
          [trigger, decision.attemptState ?? 'taken'],
          ['outcome_unknown', attemptState],
        )
        const paid = { ...open, status: 'SUCCESS' } as const
        assert.deepEqual(decideOutcome(paid, outcome, 'answer', capability, now), {})
      }
  })

  it('says of a payout that our account lacked money no more than that it was declined', () => {
    for (const operation of ['CASHIN', 'CASHOUT'] as const)
      for (const cause of ['balance_low', 'payer_refused'] as const) {
        const declined: Outcome = { kind: 'declined', cause, reason: 'x', reference: null }
        const asked = { ...facts, operation, attemptState: 'taken' } as const
        const { failure } = decideOutcome(asked, declined, 'query', capability, now)
        const isOurs = operation === 'CASHIN' && cause === 'balance_low'
        assert.equal(failure, isOurs ? 'declined' : cause)
      }
  })

  // who has to act first, how it became known, and what moves the transaction
  for (const [payerStep, source, trigger] of [
    ['push', 'answer', undefined],
    ['push', 'query', undefined],
    ['otp', 'confirm', 'otp_accepted'],
    ['none', 'answer', 'in_progress'],
    ['none', 'confirm', 'otp_accepted'],
  ] as const)
    it(`is PROCESSING once its provider has to act: ${payerStep}, ${source}`, () => {
      const asked = { ...capability, payerStep }
      for (const outcome of [
        { kind: 'accepted', reference: 'r', paymentUrl: 'https://pay.example/r' },
        { kind: 'pending', reference: 'r' },
      ] as const) {
        const taken = { ...facts, attemptState: 'recorded' } as const
        const decision = decideOutcome(taken, outcome, source, asked, now)
        assert.equal(decision.trigger, trigger)
        assert.equal(decision.attemptState, 'taken')
        assert.equal(decision.reference, 'r')
        assert.equal(
          decision.paymentUrl,
          outcome.kind === 'accepted' ? 'https://pay.example/r' : undefined,
        )
        const moved = decideOutcome({ ...taken, status: 'PROCESSING' }, outcome, source, asked, now)
        assert.equal(moved.trigger, undefined)
      }
    })
})

describe('an order that its provider does not find', () => {
  const sessions: Capability = { ...capability, idempotency: 'duplicates' }
  const lost = { ...facts, attemptState: 'unknown', createdAt: now, attemptedAt: now } as const
  const later = (ms: number) => new Date(now.getTime() + ms)

  // what the provider does with a second order, when it is asked for again
  for (const [name, asked, waitMs] of [
    ['rejects', capability, 0],
    ['duplicates', sessions, 30_000],
  ] as const)
    it(`that ${name} a second one is sent again once it must have been found`, () => {
      if (waitMs > 0) assert.equal(mayResend(lost, asked, later(waitMs - 1)), false)
      assert.equal(mayResend(lost, asked, later(waitMs)), true)
      assert.equal(mayResend({ ...lost, attemptState: 'taken' }, asked, later(waitMs)), false)
    })

  it('is repeated for ten minutes where that makes one order, else for one', () => {
    const old = (ms: number) => ({ ...lost, createdAt: later(-ms) })
    const at = later(31_000)
    assert.equal(mayResend(old(568_000), capability, at), true)
    assert.equal(mayResend(old(569_000), capability, at), false)
    assert.equal(mayResend(old(28_000), sessions, at), true)
    assert.equal(mayResend(old(29_000), sessions, at), false)
  })

  it('is asked about within half a minute while its provider cannot be reached', () => {
    const unreached: Outcome = { kind: 'unknown', reason: 'x', reference: null, isUnreached: true }
    const { isUnreached: _, ...answered } = unreached
    for (const attemptState of ['unknown', 'taken'] as const) {
      const polled = { ...lost, attemptState, polls: 9 }
      const slow: Capability = { ...capability, pollMs: [300_000] }
      const dueAt = (outcome: Outcome) => decideOutcome(polled, outcome, 'query', slow, now).dueAt
      assert.deepEqual([dueAt(unreached), dueAt(answered)], [later(30_000), later(300_000)])
    }
  })

  it('and provably was not sent is tried once more when its window ends, then fails', () => {
    const notSent: Outcome = { kind: 'not_sent', reason: 'refused' }
    const tried = { ...lost, attemptState: 'recorded', attemptNumber: 9 } as const
    const decide = (ms: number) => decideOutcome(tried, notSent, 'answer', capability, later(ms))
    assert.deepEqual(decide(55_000).dueAt, later(60_000))
    assert.equal(decide(60_000).trigger, 'provider_declined')
  })

  it('is waited for from when its request could last have arrived', () => {
    const unknown: Outcome = { kind: 'unknown', reason: 'lost', reference: null }
    // Its sender may send until its lease ends; a lost answer shows that it no longer does.
    const answered = decideOutcome(lost, unknown, 'answer', sessions, later(7000))
    assert.deepEqual(answered.attemptedAt, later(7000))
    const asked = decideOutcome(lost, unknown, 'query', sessions, later(7000))
    assert.equal(asked.attemptedAt, undefined)
    const resent = decideOutcome(
      lost,
      { kind: 'not_found' },
      'query',
      sessions,
      later(31_000),
      true,
    )
    assert.deepEqual(resent.attemptedAt, later(51_000))
    assert.deepEqual(resent.dueAt, later(51_000))
  })

  it('is not taken for older than it is when the clock is set back while it is asked for', () => {
    const asked = { kind: 'not_found', askedAt: later(3_600_000) } as const
    const early = decideOutcome(lost, asked, 'query', sessions, later(29_000))
    assert.equal(early.attemptState, 'unknown')
    const late = decideOutcome(lost, asked, 'query', sessions, later(31_000))
    assert.equal(late.attemptState, 'not_sent')
  })

  it('is looked for again at the latest when it may be sent again', () => {
    const polled = { ...lost, polls: 9 }
    const found = { kind: 'not_found' } as const
    const { dueAt } = decideOutcome(polled, found, 'query', sessions, later(1000))
    assert.deepEqual(dueAt, later(30_000))
  })
})

describe('after a jump of the clock', () => {
  const at = (ms: number) => new Date(now.getTime() + ms)
  // when the request has arrived, when the clock jumped, from when on it is waited for
  const scenarios: [string, number, number | undefined, number][] = [
    ['an order that is under way is waited for as before', 20_000, undefined, 20_000],
    ['an old order is waited for anew', -3_600_000, -1000, -1000],
    ['an order since the jump is waited for as before', -500, -1000, -500],
    ['an order from the future is waited for from now on', 3_600_000, -1000, 0],
  ]
  for (const [name, attemptedMs, jumpedMs, expectedMs] of scenarios)
    it(name, () => {
      const clock = { jumpedAt: () => (jumpedMs === undefined ? undefined : at(jumpedMs)) }
      const trusted = trustedAttemptedAt({ attemptedAt: at(attemptedMs) }, clock, now)
      assert.deepEqual(trusted, at(expectedMs))
    })

  it('an order from the future that provably was not sent has failed', () => {
    const notSent: Outcome = { kind: 'not_sent', reason: 'refused' }
    const future = { ...facts, attemptState: 'recorded', createdAt: at(3_600_000) } as const
    const { trigger } = decideOutcome(future, notSent, 'answer', capability, now)
    assert.equal(trigger, 'provider_declined')
  })
})

it('the end of another session of the same order does not end it', () => {
  const sessions: Capability = { ...capability, idempotency: 'duplicates' }
  const open = { ...facts, attemptState: 'taken', reference: 'mine' } as const
  const ended = (reference: string): Outcome => {
    return { kind: 'declined', cause: 'payer_timeout', reason: 'x', reference }
  }
  const decide = (reference: string) =>
    decideOutcome(open, ended(reference), 'callback', sessions, now).trigger
  assert.deepEqual([decide('other'), decide('mine')], [undefined, 'payer_timeout'])
})

it('an order of which another amount was paid stays with the operator', () => {
  const parked = { ...facts, attemptState: 'parked' } as const
  for (const outcome of outcomes.filter(({ kind }) => !['succeeded', 'declined'].includes(kind)))
    assert.deepEqual(decideOutcome(parked, outcome, 'query', capability, now), { dueAt: null })
})
