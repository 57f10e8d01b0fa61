import { setTimeout as sleep } from 'node:timers/promises'
import { monotonicMs } from '#base/kit/clock.ts'
import { isFinal } from '#money/lifecycle/transitions.ts'
import type { CallbackClaim, Outcome, RawCallback } from '#money/providers/contract.ts'
import type { TransactionContext } from './context.ts'
import type { OutcomeReport } from './decide.ts'
import { type AttemptId, stepAttributes, type Transaction } from './transaction.ts'

export type CallbackResult = 'applied' | 'repeated' | 'unknown' | 'forged'

/**
 * Processes a provider's callback. A signed one counts as it is; an unsigned one only causes a
 * status query, whose answer counts.
 */
export async function receiveCallback(
  context: TransactionContext,
  connector: string,
  attempt: AttemptId,
  callback: RawCallback,
): Promise<CallbackResult> {
  const startedMs = context.traces === undefined ? 0 : monotonicMs()
  const transaction = await findAnswered(context, attempt)
  if (transaction === undefined) return 'unknown'
  const bound = await context.bind({
    ...transaction,
    attemptId: attempt.id,
    reference: attempt.id === transaction.attemptId ? transaction.reference : null,
  })
  if (bound?.connector.name !== connector) return 'unknown'
  // Verified by the provider of this order: another one's valid signature proves nothing about it.
  const claim = bound.connector.readCallback(callback)
  if (claim === undefined || !isAbout(claim, attempt)) return 'forged'
  if (isRepetition(transaction, attempt.id, claim)) return 'repeated'
  const report: OutcomeReport = {
    clientId: attempt.clientId,
    transactionId: transaction.id,
    attemptId: attempt.id,
    source: 'callback',
    outcome: claim.claimedResult === 'failure' ? claimedFailure(claim.outcome) : claim.outcome,
    capability: bound.capability,
    dedupeKey: claim.dedupeKey,
    isHint: claim.trust === 'hint',
  }
  if (claim.trust === 'signed') await context.record(report)
  else {
    const answered = await bound.connector.query(bound.attempt, claim.claimedReference)
    const outcome = withClaimedCause(answered, claim)
    const { dedupeKey: _, isHint: __, ...rest } = report
    await context.recordAll([report, { ...rest, source: 'query', outcome }])
  }
  context.traces?.step(transaction, startedMs, {
    name: 'callback',
    kind: 'server',
    attributes: { ...stepAttributes(transaction), 'passerelle.connector': connector },
  })
  return 'applied'
}

/**
 * A decline that the query confirms, with the cause that the callback names where the query names
 * none: found by our id alone, before the answer to the order is recorded, an order may not tell.
 */
function withClaimedCause(outcome: Outcome, { claimedCause }: CallbackClaim): Outcome {
  if (outcome.kind !== 'declined' || outcome.cause !== 'declined') return outcome
  return { ...outcome, cause: claimedCause ?? outcome.cause }
}

/** A signed callback names its order in the body, whatever address it was sent to. */
function isAbout(claim: CallbackClaim, attempt: AttemptId): boolean {
  if (claim.trust === 'hint') return true
  return claim.attempt?.clientId === attempt.clientId && claim.attempt.id === attempt.id
}

const answerWaitMs = 250

/**
 * The attempt's transaction. A callback can overtake the answer to its order, which carries the
 * reference that a status query needs: the answer is given a moment to be recorded.
 */
async function findAnswered(
  context: TransactionContext,
  attempt: AttemptId,
): Promise<Transaction | undefined> {
  const found = await context.findByAttempt(attempt)
  if (found?.attemptState !== 'recorded' || found.attemptId !== attempt.id) return found
  await sleep(answerWaitMs)
  return context.findByAttempt(attempt)
}

/** An unsigned failure as an outcome: after a success it is recorded as a contradiction. */
function claimedFailure(outcome: Outcome): Outcome {
  const reason = 'reason' in outcome ? outcome.reason : 'a callback says so'
  const { evidence } = outcome
  const declined = { kind: 'declined', cause: 'declined', reason, reference: null } as const
  return evidence === undefined ? declined : { ...declined, evidence }
}

/** Whether a callback repeats what ended the transaction. */
function isRepetition(transaction: Transaction, attemptId: string, claim: CallbackClaim): boolean {
  if (!isFinal('transaction', transaction.status) || attemptId !== transaction.attemptId)
    return false
  const { outcome, claimedResult } = claim
  const isSuccess = transaction.status === 'SUCCESS'
  // Another reference than that of the payment by which it succeeded: perhaps a second payment.
  const isSame = (reference: string) => isSuccess && reference === transaction.reference
  if (claimedResult === 'success' && claim.claimedReference !== undefined)
    return isSame(claim.claimedReference)
  if (claimedResult !== undefined)
    return claimedResult === 'nothing' || (claimedResult === 'success') === isSuccess
  if (outcome.kind === 'succeeded')
    return isSame(outcome.reference) && outcome.amount === transaction.amount
  return outcome.kind !== 'declined' || !isSuccess
}
