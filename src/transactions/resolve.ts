import { Refusal, reason } from '../catalog/refusal.ts'
import { recordAudit } from '../db/audit-log.ts'
import { isFinal } from '../lifecycle/transitions.ts'
import type { Outcome } from '../providers/contract.ts'
import type { OutcomeReport } from './apply.ts'
import type { TransactionContext } from './context.ts'
import { recordOutcomes } from './record-outcomes.ts'
import { findTransaction } from './store.ts'
import { hasWrongAmount } from './timeline-store.ts'
import type { Transaction } from './transaction.ts'
import { isMeterTopUp, serviceOf } from './transaction.ts'

export interface Resolution {
  clientId: number
  id: string
  as: 'success' | 'failed'
  /** What the operator saw, and where. */
  reason: string
  /** Recharge codes that the provider shows for a top-up of a meter, in the order to type them. */
  token?: string
  actor: string
}

/** Ends a transaction by an operator's statement of what the provider's own records show. */
export async function resolveTransaction(
  context: TransactionContext,
  resolution: Resolution,
): Promise<Transaction> {
  const { clientId, id, actor } = resolution
  const transaction = await findTransaction(context.db, resolution)
  if (transaction === undefined) throw new Refusal('not_found', 'No transaction found')
  if (isFinal('transaction', transaction.status))
    throw new Refusal(
      'conflict',
      reason('The transaction is {status} for good', { status: transaction.status }),
    )
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
  const now = context.clock.now()
  const report: OutcomeReport = {
    clientId,
    transactionId: id,
    attemptId: transaction.attemptId,
    source: 'operator',
    outcome: outcomeOf(transaction, resolution),
    capability: bound.capability,
    ...(tokens.length > 0 ? { sealedToken: context.tokens.seal(transaction, tokens) } : {}),
  }
  const { resolved, afterCommit } = await context.db.transaction(async (tx) => {
    const recorded = await recordOutcomes(tx, [report], context)
    await recordAudit(tx, {
      at: now,
      actor,
      action: 'transaction.resolve',
      clientId,
      details: { id, as: resolution.as, reason: resolution.reason },
    })
    const [one] = recorded.applied
    if (one === undefined) throw new Error('nothing was applied')
    return { resolved: one.transaction, afterCommit: recorded.afterCommit }
  })
  afterCommit()
  return resolved
}

function outcomeOf(transaction: Transaction, resolution: Resolution): Outcome {
  const evidence = { excerpt: `${resolution.actor}: ${resolution.reason}` }
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
