import { Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import { isFinal } from '#money/lifecycle/transitions.ts'
import type { Outcome } from '#money/providers/contract.ts'
import { capabilityFor } from './binding.ts'
import type { TransactionContext } from './context.ts'
import type { OutcomeReport } from './decide.ts'
import { recordOutcomes } from './record-outcomes.ts'
import { readLateMoney } from './send-back-store.ts'
import { lockTransactions } from './store.ts'
import { isMeterTopUp, isTokenMissing, serviceOf, type Transaction } from './transaction.ts'
import { isOnItsWay } from './waits.ts'

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

/** What a resolution did; `afterCommit` starts the delivery of its event. */
export interface Resolved {
  /** The transaction that was judged. */
  before: Transaction
  after: Transaction
  sealedToken?: string
  afterCommit: () => void
}

/**
 * Ends a transaction by an operator's statement of what the provider's own records show. Every
 * check looks at what is read under the lock of its row; a preview runs this very function, in a
 * database transaction that is undone.
 */
export async function recordResolution(
  tx: Tx,
  context: TransactionContext,
  resolution: Resolution,
  actor: string,
): Promise<Resolved> {
  const { clientId, id, as } = resolution
  const [before] = await lockTransactions(tx, [resolution])
  if (before === undefined) throw new Refusal('not_found', 'No transaction found')
  const now = context.clock.now()
  refuseImpossible(before, resolution, {
    hasLateMoney: (await readLateMoney(tx, before)).length > 0,
    isOnItsWay: isOnItsWay(before, now),
  })
  const capability = capabilityFor(context.providers, before)
  if (capability === undefined) throw new Refusal('conflict', 'No provider is bound to its service')
  const sealedToken = sealedTokenOf(context, before, resolution)
  const sealed = sealedToken === undefined ? {} : { sealedToken }
  const report: OutcomeReport = {
    clientId,
    transactionId: id,
    attemptId: before.attemptId,
    source: 'operator',
    outcome: outcomeOf(before, resolution, actor),
    capability,
    ...sealed,
  }
  const { applied, afterCommit } = await recordOutcomes(tx, [report], context)
  const details = { id, as, reason: resolution.reason }
  await recordAudit(tx, { at: now, actor, action: 'transaction.resolve', clientId, details })
  const [one] = applied
  if (one === undefined) throw new Error('nothing was applied')
  return { before, after: one.transaction, ...sealed, afterCommit }
}

/** The same in a database transaction of its own, for what needs no second person. */
export async function resolveTransaction(
  context: TransactionContext,
  { actor, ...resolution }: Resolution & { actor: string },
): Promise<Transaction> {
  const { after, afterCommit } = await context.db.transaction((tx) =>
    recordResolution(tx, context, resolution, actor),
  )
  afterCommit()
  return after
}

function refuseImpossible(
  locked: Transaction,
  resolution: Resolution,
  facts: { hasLateMoney: boolean; isOnItsWay: boolean },
): void {
  const { status } = locked
  const { as } = resolution
  const hasToken = hasTokens(resolution)
  // Of what has ended only the code of a top-up can be added, where it is missing.
  const isAdded = isTokenMissing(locked) && as === 'success' && hasToken
  if (isFinal('transaction', status) && !isAdded)
    throw new Refusal('conflict', reason('The transaction is final: {status}', { status }))
  if (as === 'success' && !isAdded && facts.hasLateMoney)
    throw new Refusal(
      'conflict',
      'The provider reported a different amount, now in suspense: it can only end as failed',
    )
  // The provider's records cannot show yet what has not reached it.
  if (as === 'failed' && facts.isOnItsWay)
    throw new Refusal('conflict', 'Its order is being sent right now: try again in half a minute')
  if (hasToken && (as === 'failed' || !isMeterTopUp(locked)))
    throw new Refusal('conflict', 'Only a successful top-up of a meter has a recharge code')
}

function hasTokens({ token, sealedToken }: Resolution): boolean {
  return tokensIn(token).length > 0 || sealedToken !== undefined
}

function tokensIn(token = ''): string[] {
  return token.split(/\s+/).filter(Boolean)
}

function sealedTokenOf(
  { tokens }: TransactionContext,
  transaction: Transaction,
  { token, sealedToken }: Resolution,
): string | undefined {
  const codes = tokensIn(token)
  return codes.length > 0 ? tokens.seal(transaction, codes) : sealedToken
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
    // Names no payment: its reference is what the provider will tell.
    reference: transaction.attemptId,
    amount: transaction.amount,
    currency: serviceOf(transaction).currency,
    tokens: [],
    evidence,
  }
}
