import type { DbParts } from '#data/db/db.ts'
import type { Capability, Outcome } from '#money/providers/contract.ts'
import type { OutcomeReport } from './decide.ts'
import { isUntaken, isUntouched, spentCause } from './one-time-code.ts'
import { recordOutcomes } from './record-outcomes.ts'
import { lockTransactions } from './store.ts'
import type { Transaction } from './transaction.ts'
import type { EndingParts } from './write-effects.ts'

type Parts = EndingParts & DbParts
type Declined = Extract<Outcome, { kind: 'declined' }>
type Report = Omit<OutcomeReport, 'outcome'>

/**
 * Ends a collection to which no one-time code is sent any more, after its provider has said that it
 * has not taken it; undefined: it may have been paid, or a code is accepted again.
 */
export async function endUntaken(
  parts: Parts,
  { clientId, id: transactionId, attemptId }: Transaction,
  asked: Outcome,
  capability: Capability,
): Promise<Transaction | undefined> {
  const report: Report = { clientId, transactionId, attemptId, source: 'query', capability }
  return endUntouched(parts, report, (row) => {
    const now = parts.clock.now()
    const cause = spentCause(row, now)
    if (cause === undefined || !isUntaken(row, capability, asked, now)) return undefined
    const reason = 'no code is accepted any more, and the provider has not taken the payment'
    const { evidence = {} } = asked
    return { kind: 'declined', cause, reason, reference: null, evidence, isUntaken: true }
  })
}

/**
 * Ends a collection of which, under the row lock, none but wrong codes was sent or can be: only a
 * right one moves money. `outcomeOf` decides by the locked row.
 */
export async function endUntouched(
  parts: Parts,
  report: Report,
  outcomeOf: (row: Transaction) => Declined | undefined,
): Promise<Transaction | undefined> {
  const recorded = await parts.db.transaction(async (tx) => {
    const [row] = await lockTransactions(tx, [{ ...report, id: report.transactionId }])
    const outcome = row !== undefined && isUntouched(row) ? outcomeOf(row) : undefined
    if (row === undefined || outcome === undefined) return undefined
    return recordOutcomes(tx, [{ ...report, attemptId: row.attemptId, outcome }], parts)
  })
  recorded?.afterCommit()
  return recorded?.applied[0]?.transaction
}
