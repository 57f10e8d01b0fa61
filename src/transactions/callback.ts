import { setTimeout as sleep } from 'node:timers/promises'
import { isFinal } from '../lifecycle/transitions.ts'
import type { CallbackClaim, Outcome, RawCallback } from '../providers/contract.ts'
import type { Heard } from './apply.ts'
import type { Engine } from './open.ts'
import type { Transaction } from './transaction.ts'

export type CallbackResult = 'applied' | 'repeated' | 'unknown' | 'forged'

/**
 * Takes in a provider's callback. What the provider signed counts as it is; anything else is only a
 * reason to ask the provider, whose answer counts.
 */
export async function hearCallback(
  engine: Engine,
  connector: string,
  attempt: { clientId: number; id: string },
  callback: RawCallback,
): Promise<CallbackResult> {
  const transaction = await findAnswered(engine, attempt)
  if (transaction === undefined) return 'unknown'
  const bound = await engine.bind({
    ...transaction,
    attemptId: attempt.id,
    reference: attempt.id === transaction.attemptId ? transaction.reference : null,
  })
  if (bound?.connector.name !== connector) return 'unknown'
  // Read by the very provider of this order: another's signature says nothing about it.
  const claim = bound.connector.readCallback(callback)
  if (claim === undefined || !isAbout(claim, attempt)) return 'forged'
  if (isOldNews(transaction, attempt.id, claim)) return 'repeated'
  const heard: Heard = {
    clientId: attempt.clientId,
    transactionId: transaction.id,
    attemptId: attempt.id,
    source: 'callback',
    outcome: claim.says === 'failure' ? claimedFailure(claim.outcome) : claim.outcome,
    capability: bound.capability,
    dedupeKey: claim.dedupeKey,
    isHint: claim.trust === 'hint',
  }
  if (claim.trust === 'signed') await engine.record(heard)
  else {
    const outcome = await bound.connector.query(bound.attempt, claim.named)
    const { dedupeKey: _, isHint: __, ...rest } = heard
    await engine.recordAll([heard, { ...rest, source: 'query', outcome }])
  }
  return 'applied'
}

/** What was signed says which order it is about, whatever address it was sent to. */
function isAbout(claim: CallbackClaim, attempt: { clientId: number; id: string }): boolean {
  if (claim.trust === 'hint') return true
  return claim.attempt?.clientId === attempt.clientId && claim.attempt.id === attempt.id
}

const answerWaitMs = 250

/**
 * The attempt's transaction. A callback can overtake the answer to its order, and with it the
 * reference by which the provider tells most: the answer is given a moment to arrive.
 */
async function findAnswered(
  engine: Engine,
  attempt: { clientId: number; id: string },
): Promise<Transaction | undefined> {
  const found = await engine.findByAttempt(attempt)
  if (found?.attemptState !== 'recorded' || found.attemptId !== attempt.id) return found
  await sleep(answerWaitMs)
  return engine.findByAttempt(attempt)
}

/** A hint's failure, so that one that comes after a success is seen as what it is. */
function claimedFailure(outcome: Outcome): Outcome {
  const reason = 'reason' in outcome ? outcome.reason : 'a callback says so'
  const { evidence } = outcome
  const declined = { kind: 'declined', cause: 'declined', reason, reference: null } as const
  return evidence === undefined ? declined : { ...declined, evidence }
}

/** A copy of what ended the transaction changes nothing. */
function isOldNews(transaction: Transaction, attemptId: string, claim: CallbackClaim): boolean {
  if (!isFinal('transaction', transaction.status) || attemptId !== transaction.attemptId)
    return false
  const { outcome, says } = claim
  const isSuccess = transaction.status === 'SUCCESS'
  if (says !== undefined) return says === 'nothing' || (says === 'success') === isSuccess
  if (outcome.kind === 'succeeded') return isSuccess && outcome.amount === transaction.amount
  return outcome.kind !== 'declined' || !isSuccess
}
