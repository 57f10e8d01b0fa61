import { Refusal, reason } from '../catalog/refusal.ts'
import type { TransactionContext } from './context.ts'
import { send } from './drive.ts'
import type { Intent, Recorded } from './intents.ts'
import { draft } from './intents.ts'
import type { Transaction } from './transaction.ts'

// How long a caller waits for the provider; sending goes on after that.
const answerWithinMs = 5000

/**
 * Records an intent, sends it, and returns how far it got. Once it is recorded this cannot fail:
 * the sweeper completes whatever goes wrong afterwards.
 */
export async function initTransaction(
  context: TransactionContext,
  intent: Intent,
): Promise<Recorded> {
  const { service } = intent
  if (!context.providers.find(service)?.isAvailable())
    throw new Refusal(
      'service_unavailable',
      reason('The service {code} is not available right now', { code: service.code }),
    )
  const recorded = await context.recordIntent(draft(intent, context.clock.now()))
  if (recorded.kind !== 'recorded') return recorded
  return { kind: 'recorded', transaction: await sendWithin(context, recorded.transaction) }
}

/**
 * Sends a recorded transaction and waits for the provider, up to five seconds. The result has the
 * balances of the transaction's own hold; those of a later posting are in the event of its end.
 */
export async function sendWithin(
  context: TransactionContext,
  recorded: Transaction,
): Promise<Transaction> {
  const { promise: timedOut, resolve: stopWaiting } = Promise.withResolvers<Transaction>()
  const timer = setTimeout(() => stopWaiting(recorded), answerWithinMs)
  const sent = send(context, recorded).catch((problem: unknown) => {
    const { clientId, id: transactionId } = recorded
    context.log.error({ err: problem, clientId, transactionId }, 'sending stopped half-way')
    return recorded
  })
  const transaction = await Promise.race([sent, timedOut])
  clearTimeout(timer)
  const { balanceBefore, balanceAfter } = recorded
  return { ...transaction, balanceBefore, balanceAfter }
}
