import { Refusal, reason } from '../catalog/refusal.ts'
import { recordAudit } from '../db/audit-log.ts'
import type { Tx } from '../db/db.ts'
import { isFinal } from '../lifecycle/transitions.ts'
import type { Capability, Outcome } from '../providers/contract.ts'
import type { OutcomeReport } from './apply.ts'
import type { TransactionContext } from './context.ts'
import { recordOutcomes } from './record-outcomes.ts'
import { findTransaction, lockTransactions } from './store.ts'
import { hasWrongAmount } from './timeline-store.ts'
import type { Transaction } from './transaction.ts'
import { isMeterTopUp, isTokenMissing, serviceOf } from './transaction.ts'

export interface Resolution {
  clientId: number
  id: string
  as: 'success' | 'failed'
  /** What the operator saw, and where. */
  reason: string
  /** Recharge codes that the provider shows for a top-up of a meter, in the order to type them. */
  token?: string
  /** The same, sealed before. */
  sealedToken?: string
}

/** A resolution that is possible as the transaction stands. */
export interface CheckedResolution {
  resolution: Resolution
  transaction: Transaction
  capability: Capability
  sealedToken?: string
}

/** Checks that a transaction can be ended so; refuses it otherwise. */
export async function checkResolution(
  context: TransactionContext,
  resolution: Resolution,
): Promise<CheckedResolution> {
  const transaction = await findTransaction(context.db, resolution)
  if (transaction === undefined) throw new Refusal('not_found', 'No transaction found')
  refuseFinal(transaction, resolution)
  const bound = await context.bind(transaction)
  if (bound === undefined) throw new Refusal('conflict', 'No provider is bound to its service')
  if (resolution.as === 'success' && (await hasWrongAmount(context.db, transaction)))
    throw new Refusal(
      'conflict',
      'The provider reported another amount, which is in suspense: it can only be failed',
    )
  const tokens = resolution.token?.split(/\s+/).filter(Boolean) ?? []
  if (tokens.length > 0 && (resolution.as === 'failed' || !isMeterTopUp(transaction)))
    throw new Refusal('conflict', 'Only a successful top-up of a meter has a recharge code')
  const sealedToken =
    tokens.length > 0 ? context.tokens.seal(transaction, tokens) : resolution.sealedToken
  return {
    resolution,
    transaction,
    capability: bound.capability,
    ...(sealedToken === undefined ? {} : { sealedToken }),
  }
}

/**
 * Ends a transaction by an operator's statement of what the provider's own records show. Refuses
 * one that has ended since it was checked: its row is locked, and looked at again.
 */
export async function recordResolution(
  tx: Tx,
  context: TransactionContext,
  { resolution, transaction, capability, sealedToken }: CheckedResolution,
  actor: string,
): Promise<{ resolved: Transaction; afterCommit: () => void }> {
  const { clientId, id } = resolution
  const [locked] = await lockTransactions(tx, [resolution])
  if (locked === undefined) throw new Refusal('not_found', 'No transaction found')
  refuseFinal(locked, resolution)
  const report: OutcomeReport = {
    clientId,
    transactionId: id,
    attemptId: locked.attemptId,
    source: 'operator',
    outcome: outcomeOf(transaction, resolution, actor),
    capability,
    ...(sealedToken === undefined ? {} : { sealedToken }),
  }
  const { applied, afterCommit } = await recordOutcomes(tx, [report], context)
  await recordAudit(tx, {
    at: context.clock.now(),
    actor,
    action: 'transaction.resolve',
    clientId,
    details: { id, as: resolution.as, reason: resolution.reason },
  })
  const [one] = applied
  if (one === undefined) throw new Error('nothing was applied')
  return { resolved: one.transaction, afterCommit }
}

/** Both in one go, for what needs no second person. */
export async function resolveTransaction(
  context: TransactionContext,
  { actor, ...resolution }: Resolution & { actor: string },
): Promise<Transaction> {
  const checked = await checkResolution(context, resolution)
  const { resolved, afterCommit } = await context.db.transaction((tx) =>
    recordResolution(tx, context, checked, actor),
  )
  afterCommit()
  return resolved
}

/** Of what has ended only the code of a top-up can be added, where it is missing. */
function refuseFinal(transaction: Transaction, { as, token, sealedToken }: Resolution): void {
  const { status } = transaction
  const hasToken = token?.trim() || sealedToken !== undefined
  const isAdded = isTokenMissing(transaction) && as === 'success' && hasToken
  if (isFinal('transaction', status) && !isAdded)
    throw new Refusal('conflict', reason('The transaction is {status} for good', { status }))
}

function outcomeOf(transaction: Transaction, resolution: Resolution, actor: string): Outcome {
  const evidence = { excerpt: `${actor}: ${resolution.reason}` }
  if (resolution.as === 'failed')
    return {
      kind: 'declined',
      cause: 'operator',
      reason: resolution.reason,
      reference: null,
      evidence,
    }
  return {
    kind: 'succeeded',
    reference: transaction.reference ?? transaction.attemptId,
    amount: transaction.amount,
    currency: serviceOf(transaction).currency,
    tokens: [],
    evidence,
  }
}
