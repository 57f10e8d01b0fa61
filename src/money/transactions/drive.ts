import type { Clock } from '#base/kit/clock.ts'
import type { Capability, Outcome } from '#money/providers/contract.ts'
import type { Applied } from './apply.ts'
import type { Bound } from './binding.ts'
import type { OutcomeReport, Source } from './decide.ts'
import { mayResend, nextStep } from './next-step.ts'
import { isUntaken } from './one-time-code.ts'
import type { Transaction } from './transaction.ts'
import { isLeaseHeld, trustedAskedAt, trustedAttemptedAt } from './waits.ts'

/** The part of the room's context that driving needs; the simulation brings its own. */
export interface DriveContext {
  clock: Clock
  bind(transaction: Transaction): Promise<Bound | undefined>
  record(report: OutcomeReport): Promise<Applied>
  beginAttempt(transaction: Transaction): Promise<Transaction | undefined>
  park(transaction: Transaction): Promise<void>
  endUntaken(
    transaction: Transaction,
    asked: Outcome,
    capability: Capability,
  ): Promise<Transaction | undefined>
}

/** Sends an order whose intent was just committed by this process. */
export async function send(context: DriveContext, transaction: Transaction): Promise<Transaction> {
  // A process that was suspended past its own lease must not send what another may have claimed.
  if (!isLeaseHeld(transaction, context.clock.now())) return transaction
  const bound = await context.bind(transaction)
  if (bound === undefined) return report(context, transaction, notBound, 'answer', noCapability)
  if (bound.connector.prepare !== undefined) return prepareAndSubmit(context, transaction, bound)
  return submit(context, transaction, bound)
}

/** Does for a due transaction the one step that cannot move money twice. */
export async function drive(context: DriveContext, transaction: Transaction): Promise<Transaction> {
  const bound = await context.bind(transaction)
  if (bound === undefined) return transaction
  const canPrepare = bound.connector.prepare !== undefined
  const step = nextStep(transaction, bound.capability, canPrepare, context.clock.now())
  switch (step) {
    case 'park':
      await context.park(transaction)
      return transaction
    case 'submit_anew': {
      const begun = await context.beginAttempt(transaction)
      return begun === undefined ? transaction : send(context, begun)
    }
    case 'prepare':
      return prepareAndSubmit(context, transaction, bound)
    case 'submit':
      return isLeaseHeld(transaction, context.clock.now())
        ? submitAgain(context, transaction, cannotBeAsked, bound)
        : transaction
    case 'query':
      return queryOrResend(context, transaction, bound)
  }
}

/** Queries the provider and nothing more: safe while another process drives the transaction. */
export async function requery(
  context: DriveContext,
  transaction: Transaction,
): Promise<Transaction> {
  return (await askOutcome(context, transaction)).transaction
}

/** The same, with what the provider told; undefined: it cannot be asked. */
export async function askOutcome(
  context: DriveContext,
  transaction: Transaction,
): Promise<{ transaction: Transaction; told?: Outcome['kind'] }> {
  const bound = await context.bind(transaction)
  if (bound === undefined) return { transaction }
  const outcome = await ask(context, bound)
  const ended = await endIfUntaken(context, transaction, outcome, bound)
  const after = ended ?? report(context, transaction, outcome, 'query', bound.capability)
  return { transaction: await after, told: outcome.kind }
}

async function prepareAndSubmit(
  context: DriveContext,
  transaction: Transaction,
  { connector, capability, attempt }: Bound,
): Promise<Transaction> {
  const outcome = await connector.prepare?.(attempt)
  if (outcome === undefined) return transaction
  const prepared = await report(context, transaction, outcome, 'prepare', capability)
  // Another process may have prepared it meanwhile, and have sent what it prepared.
  const isOwn = outcome.kind === 'accepted' && outcome.reference === prepared.reference
  if (!isOwn || prepared.attemptState !== 'prepared') return prepared
  const bound = await context.bind(prepared)
  const isHeld = isLeaseHeld(prepared, context.clock.now())
  return bound === undefined || !isHeld ? prepared : submit(context, prepared, bound)
}

async function submit(
  context: DriveContext,
  transaction: Transaction,
  { connector, capability, attempt }: Bound,
): Promise<Transaction> {
  return report(context, transaction, await connector.submit(attempt), 'answer', capability)
}

const cannotBeAsked: Outcome = {
  kind: 'unknown',
  reason: 'its provider cannot be asked about it: it is sent again',
  reference: null,
}

/**
 * Sends an id that may have been sent before. That is recorded first: no answer proves any more
 * that the order was not carried out. A process that was suspended past its lease sends nothing.
 */
async function submitAgain(
  context: DriveContext,
  transaction: Transaction,
  known: Outcome,
  bound: Bound,
): Promise<Transaction> {
  const repeated = await report(context, transaction, known, 'query', bound.capability, true)
  // A callback may have ended the transaction meanwhile.
  const isOpen = repeated.attemptState === 'unknown' && repeated.completedAt === null
  return isOpen && isLeaseHeld(repeated, context.clock.now())
    ? submit(context, repeated, bound)
    : repeated
}

/** Queries the provider; when it does not know the order, sends the same id once more. */
async function queryOrResend(
  context: DriveContext,
  transaction: Transaction,
  bound: Bound,
): Promise<Transaction> {
  const outcome = await ask(context, bound)
  const ended = await endIfUntaken(context, transaction, outcome, bound)
  if (ended !== undefined) return ended
  const now = context.clock.now()
  const trusted = {
    ...transaction,
    attemptedAt: trustedAttemptedAt(transaction, context.clock, now),
  }
  const isResent =
    outcome.kind === 'not_found' &&
    isLeaseHeld(transaction, now) &&
    mayResend(trusted, bound.capability, trustedAskedAt(outcome, now))
  return isResent
    ? submitAgain(context, transaction, outcome, bound)
    : report(context, transaction, outcome, 'query', bound.capability)
}

/** Queries the provider. What it does not find may have been sent while it was asked. */
async function ask(
  { clock }: Pick<DriveContext, 'clock'>,
  { connector, attempt }: Bound,
): Promise<Outcome> {
  const askedAt = clock.now()
  const outcome = await connector.query(attempt)
  return outcome.kind === 'not_found' ? { ...outcome, askedAt } : outcome
}

/** Ends a collection that waits for a code which is no longer accepted, and is not taken. */
async function endIfUntaken(
  { clock, endUntaken }: DriveContext,
  transaction: Transaction,
  asked: Outcome,
  { capability }: Bound,
): Promise<Transaction | undefined> {
  if (!isUntaken(transaction, capability, asked, clock.now())) return undefined
  return endUntaken(transaction, asked, capability)
}

async function report(
  context: DriveContext,
  transaction: Transaction,
  outcome: Outcome,
  source: Source,
  capability: Capability,
  isResent = false,
): Promise<Transaction> {
  const { clientId, id: transactionId, attemptId } = transaction
  const reported = { clientId, transactionId, attemptId, source, outcome, capability, isResent }
  return (await context.record(reported)).transaction
}

const notBound: Outcome = { kind: 'not_sent', reason: 'no provider is bound to this service' }

const noCapability: Capability = {
  idempotency: 'none',
  canFindByOurId: false,
  notFoundIsFinalAfterMs: null,
  payerStep: 'none',
  deadlineMs: 0,
  pollMs: [60_000],
}
