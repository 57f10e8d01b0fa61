import type { Clock } from '../kit/clock.ts'
import type { Attempt, Capability, Connector, Outcome } from '../providers/contract.ts'
import type { Applied, Heard } from './apply.ts'
import type { Source } from './decide.ts'
import { mayResend, nextStep } from './decide.ts'
import type { Transaction } from './transaction.ts'

/** What driving a transaction needs; a simulation gives its own. */
export interface Ports {
  clock: Clock
  /** The provider of a transaction, and the attempt as it is told; undefined: it is not bound. */
  bind(transaction: Transaction): Promise<Bound | undefined>
  /** Commits what was heard. */
  record(heard: Heard): Promise<Applied>
  /** Commits a new attempt for an order that never left; undefined when somebody else did. */
  beginAttempt(transaction: Transaction): Promise<Transaction | undefined>
  /** Leaves it to a person. */
  park(transaction: Transaction): Promise<void>
}

export interface Bound {
  connector: Connector
  capability: Capability
  attempt: Attempt
}

/** Sends an order whose intent was just committed by this process. */
export async function send(ports: Ports, transaction: Transaction): Promise<Transaction> {
  // A process that slept past its own lease must not send what others may have taken over.
  if (transaction.dueAt === null || ports.clock.now() >= transaction.dueAt) return transaction
  const bound = await ports.bind(transaction)
  if (bound === undefined) return hear(ports, transaction, notBound, 'answer', noCapability)
  if (bound.connector.prepare !== undefined) return prepareAndSubmit(ports, transaction, bound)
  return submit(ports, transaction, bound)
}

/** Does for a due transaction the one thing that cannot move money twice. */
export async function drive(ports: Ports, transaction: Transaction): Promise<Transaction> {
  const bound = await ports.bind(transaction)
  if (bound === undefined) return transaction
  const step = nextStep(transaction, bound.capability, bound.connector.prepare !== undefined)
  switch (step) {
    case 'park':
      await ports.park(transaction)
      return transaction
    case 'submit_anew': {
      const fresh = await ports.beginAttempt(transaction)
      return fresh === undefined ? transaction : send(ports, fresh)
    }
    case 'prepare':
      return prepareAndSubmit(ports, transaction, bound)
    case 'submit':
      return submitAgain(ports, transaction, bound)
    case 'query':
      return ask(ports, transaction, bound)
  }
}

/** Asks the provider and nothing more: safe beside whoever else is at work on the transaction. */
export async function requery(ports: Ports, transaction: Transaction): Promise<Transaction> {
  const bound = await ports.bind(transaction)
  if (bound === undefined) return transaction
  const outcome = await bound.connector.query(bound.attempt)
  return hear(ports, transaction, outcome, 'query', bound.capability)
}

async function prepareAndSubmit(
  ports: Ports,
  transaction: Transaction,
  { connector, capability, attempt }: Bound,
): Promise<Transaction> {
  const outcome = await connector.prepare?.(attempt)
  if (outcome === undefined) return transaction
  const prepared = await hear(ports, transaction, outcome, 'prepare', capability)
  if (prepared.attemptState !== 'prepared') return prepared
  const bound = await ports.bind(prepared)
  return bound === undefined ? prepared : submit(ports, prepared, bound)
}

async function submit(
  ports: Ports,
  transaction: Transaction,
  { connector, capability, attempt }: Bound,
): Promise<Transaction> {
  return hear(ports, transaction, await connector.submit(attempt), 'answer', capability)
}

/** Sends an id that may have been sent before: that it cannot leave now proves nothing. */
async function submitAgain(
  ports: Ports,
  transaction: Transaction,
  { connector, capability, attempt }: Bound,
): Promise<Transaction> {
  const outcome = await connector.submit(attempt)
  return hear(ports, transaction, provesNothing(outcome, attempt) ?? outcome, 'answer', capability)
}

/**
 * What a second try cannot prove: that nothing ever left, or that a bill was not paid by the first.
 * A bill that we have paid is refused as paid, as unknown, or as one of another amount.
 */
function provesNothing(outcome: Outcome, { operation }: Attempt): Outcome | undefined {
  const isOurs = outcome.kind === 'declined' && operation === 'pay_bill'
  if (outcome.kind !== 'not_sent' && !isOurs) return undefined
  const { reason, evidence = {} } = outcome
  return { kind: 'unknown', reason, reference: null, evidence }
}

/** Asks what became of it; when the provider does not know it, sends the same id once more. */
async function ask(ports: Ports, transaction: Transaction, bound: Bound): Promise<Transaction> {
  const outcome = await bound.connector.query(bound.attempt)
  const isResent =
    outcome.kind === 'not_found' && mayResend(transaction, bound.capability, ports.clock.now())
  const asked = await hear(ports, transaction, outcome, 'query', bound.capability, isResent)
  // What happened meanwhile may have ended it.
  return isResent && asked.attemptState === 'unknown' && asked.completedAt === null
    ? submitAgain(ports, asked, bound)
    : asked
}

async function hear(
  ports: Ports,
  transaction: Transaction,
  outcome: Outcome,
  source: Source,
  capability: Capability,
  isResent = false,
): Promise<Transaction> {
  const { clientId, id: transactionId, attemptId } = transaction
  const heard = { clientId, transactionId, attemptId, source, outcome, capability, isResent }
  return (await ports.record(heard)).transaction
}

const notBound: Outcome = { kind: 'not_sent', reason: 'no provider is bound to this service' }

const noCapability: Capability = {
  idempotency: 'none',
  canFindByOurs: false,
  notFoundIsFinalAfterMs: null,
  payerStep: 'none',
  deadlineMs: 0,
  pollMs: [60_000],
}
