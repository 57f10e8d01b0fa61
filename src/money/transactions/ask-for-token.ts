import type { TransactionContext } from './context.ts'
import { requery } from './drive.ts'
import { isTokenMissing, type Transaction } from './transaction.ts'
import { askForTokenAt } from './waits.ts'
import { setTokenDue } from './wake-store.ts'

/** Queries the provider: for the outcome, or for the code that is missing after the end. */
export function askProvider(
  context: TransactionContext,
  transaction: Transaction,
): Promise<Transaction> {
  return isTokenMissing(transaction)
    ? askForToken(context, transaction)
    : requery(context, transaction)
}

/**
 * Asks the provider, by our own id, for the recharge code of a top-up that was paid as far as is
 * known otherwise, by a statement or a person. Only a success with a code is recorded of an open
 * one. One that has ended is asked about again later, unless the provider says that it failed: that
 * is a conflict. Returns the transaction as it is then.
 */
export async function askForToken(
  context: TransactionContext,
  transaction: Transaction,
): Promise<Transaction> {
  const { clientId, id: transactionId, attemptId, completedAt } = transaction
  const bound = await context.bind(transaction)
  if (bound === undefined) return transaction
  const { connector, capability, attempt } = bound
  // The reference may be one that only statements have.
  const reference = capability.canFindByOurId ? null : attempt.reference
  const outcome = await connector.query({ ...attempt, reference })
  const isTold = outcome.kind === 'succeeded' && outcome.tokens.length > 0
  const isDenied = outcome.kind === 'declined' && completedAt !== null
  if (!isDenied && !(isTold && outcome.amount === transaction.amount)) {
    if (completedAt !== null)
      await setTokenDue(context.db, transaction, askForTokenAt(completedAt, context.clock.now()))
    return transaction
  }
  // The payment by which it has succeeded, under whichever reference that was.
  const isNamed = completedAt !== null && transaction.reference !== null
  const own = isNamed ? { reference: transaction.reference ?? attemptId } : {}
  const head = { clientId, transactionId, attemptId, source: 'query', capability } as const
  const recorded = await context.record({ ...head, outcome: { ...outcome, ...own } })
  if (isDenied) await setTokenDue(context.db, transaction, null)
  return recorded.transaction
}
