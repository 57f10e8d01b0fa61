import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Capability, Outcome } from '../providers/contract.ts'
import type { Source } from './decide.ts'
import { decideOutcome } from './decide.ts'
import type { AttemptState } from './transaction.ts'

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
                const facts = { status, amount: 500, attemptNumber: 1, attemptState, polls: 0 }
                const known = { ...facts, attemptedAt: at, createdAt: at, currency: 'XOF' }
                const decision = decideOutcome(known, outcome, source, capability, now, isResent)
                const name = [outcome.kind, source, attemptState, status, ageMs].join(' ')
                assert.notEqual(decision.dueAt, undefined, name)
              }
  })
})
