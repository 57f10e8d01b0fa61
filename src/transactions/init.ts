import { Refusal, reason } from '../catalog/refusal.ts'
import type { Service } from '../catalog/services.ts'
import { isPseudonym } from '../sealing/pseudonym.ts'
import type { TransactionContext } from './context.ts'
import { send } from './drive.ts'
import type { Draft, Intent, Recorded } from './intents.ts'
import { draft } from './intents.ts'
import type { Transaction } from './transaction.ts'
import { isDebit, serviceOf } from './transaction.ts'

// How long a caller waits for the provider; sending goes on after that.
const answerWithinMs = 5000

/**
 * Records an intent, sends it, and returns how far it got. Once it is recorded this cannot fail:
 * the sweeper completes whatever goes wrong afterwards.
 */
export async function initTransaction(
  context: TransactionContext,
  intent: Intent,
): Promise<Exclude<Recorded, { kind: 'refused' }>> {
  const { service } = intent
  if (!context.providers.find(service)?.isAvailable())
    throw new Refusal(
      'service_unavailable',
      reason('The service {code} is not available right now', { code: service.code }),
    )
  const recorded = await context.recordIntent(await draftChecked(context, intent))
  if (recorded.kind === 'refused') throw recorded.refusal
  if (recorded.kind !== 'recorded') return recorded
  return { kind: 'recorded', transaction: await sendWithin(context, recorded.transaction) }
}

/** Refuses what the provider would decline, because it holds too little of our money. */
export async function refuseWithoutFloat(
  { floats }: Pick<TransactionContext, 'floats'>,
  service: Service,
  amount: number,
): Promise<void> {
  if (!(await floats.isShort(service, amount))) return
  const { code } = service
  throw new Refusal(
    'service_unavailable',
    reason('The service {code} cannot pay this amount right now', { code }),
  )
}

/**
 * The draft of an intent, with what limits have to check when it is recorded. Refuses a payout that
 * the provider would decline, and whatever the merchant's account may not begin: every way to
 * begin a payment comes through here.
 */
export async function draftChecked(context: TransactionContext, intent: Intent): Promise<Draft> {
  const { service, amount, phone, clientId } = intent
  await context.clients.refuseInactive(clientId, service.operation)
  if (isPseudonym(phone))
    throw new Refusal('invalid_phone', reason('This number is no longer kept', {}, 'number'))
  if (service.isDebit) await refuseWithoutFloat(context, service, amount)
  const rules = await context.limits.rules()
  return { ...draft(intent, context.clock.now()), rules }
}

/**
 * Sends a recorded transaction and waits for the provider, up to five seconds. The result has the
 * balances of the transaction's own hold; those of a later posting are in the event of its end.
 */
export async function sendWithin(
  context: TransactionContext,
  recorded: Transaction,
): Promise<Transaction> {
  if (isDebit(recorded)) context.floats.count(serviceOf(recorded), recorded.amount)
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
