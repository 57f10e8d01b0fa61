import { Refusal, reason } from '#base/kit/refusal.ts'
import { isPseudonym } from '#base/sealing/pseudonym.ts'
import type { Service } from '#merchants/catalog/services.ts'
import type { TransactionContext } from './context.ts'
import { send } from './drive.ts'
import { type Draft, draft, type Intent, type Recorded, recordIntents } from './intents.ts'
import { isDebit, serviceOf, type Transaction } from './transaction.ts'

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

/** The refusal of what the provider would decline, because it holds too little of our money. */
export function floatRefusal({ code }: Service): Refusal {
  return new Refusal(
    'service_unavailable',
    reason('The service {code} cannot pay this amount right now', { code }),
  )
}

/**
 * Whether a draft would be recorded now. It is tried and undone: what the merchant itself lacks,
 * such as money, is told before what we lack, or anybody could find out by asking how much we have.
 */
async function wouldBeRecorded(context: TransactionContext, drafted: Draft): Promise<boolean> {
  const undone = new Error('a trial is undone')
  let isRecorded = false
  await context.db
    .transaction(async (tx) => {
      const [tried] = await recordIntents(tx, [drafted], context.clock.now())
      isRecorded = tried?.kind === 'recorded' && tried.transaction === drafted.transaction
      throw undone
    })
    .catch((problem: unknown) => {
      if (problem !== undone) throw problem
    })
  return isRecorded
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
    throw new Refusal('invalid_phone', reason('This number has been erased', {}, 'number'))
  const rules = await context.limits.rules()
  const drafted = { ...draft(intent, context.clock.now()), rules }
  const isShort = service.isDebit && (await context.floats.isShort(service, amount))
  if (isShort && (await wouldBeRecorded(context, drafted))) throw floatRefusal(service)
  return drafted
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
