import type { Tx } from '#data/db/db.ts'
import type { Outcome } from '#money/providers/contract.ts'
import type { Applied } from './apply.ts'
import { capabilityFor } from './binding.ts'
import type { TransactionContext } from './context.ts'
import type { OutcomeReport } from './decide.ts'
import { recordOutcomes } from './record-outcomes.ts'
import type { Transaction } from './transaction.ts'

/** What a line of a provider's statement says of an attempt. */
export interface Proof {
  clientId: number
  transactionId: string
  attemptId: string
  transaction: Pick<Transaction, 'serviceCode' | 'operation'>
  outcome: Outcome
  /** The same for every copy of the line. */
  dedupeKey: string
}

/** What a proof did; undefined: no provider is bound to its service, so nothing. */
export type Proven = Applied | undefined

/**
 * Applies what statements say by the rules of any other evidence, in the caller's database
 * transaction. What is final stays: a contradiction is a conflict, and its money goes to suspense.
 */
export async function recordProofs(
  tx: Tx,
  context: TransactionContext,
  proofs: Proof[],
): Promise<{ proven: Proven[]; afterCommit: () => void }> {
  const reports = proofs.map((proof): OutcomeReport | undefined => {
    const { transaction, ...report } = proof
    const capability = capabilityFor(context.providers, transaction)
    return capability && { ...report, capability, source: 'statement' }
  })
  const bound = reports.filter((one) => one !== undefined)
  const { applied, afterCommit } = await recordOutcomes(tx, bound, context)
  return {
    proven: reports.map((one) => (one === undefined ? undefined : applied[bound.indexOf(one)])),
    afterCommit,
  }
}
