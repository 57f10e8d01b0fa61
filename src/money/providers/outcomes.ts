import type { Currency } from '#merchants/catalog/countries.ts'
import { type CodeTable, meaningOf } from './code-table.ts'
import type { Attempt, DeclineCause, Outcome } from './contract.ts'
import { evidenceOf } from './evidence.ts'
import type { HttpResponse, Reply } from './http-client.ts'
import { wholeAmount } from './json-reader.ts'

/** The fields of an attempt that an outcome is built from. */
export type AttemptDetails = Pick<Attempt, 'reference' | 'phone' | 'callbackUrl'>

type OutcomeOf<Kind extends Outcome['kind']> = Extract<Outcome, { kind: Kind }>

/** The provider took the order; a query or a callback tells the result. */
export function accepted(
  attempt: AttemptDetails,
  reply: Reply,
  reference: string | null,
): OutcomeOf<'accepted'> {
  return { kind: 'accepted', reference, evidence: evidenceOf(reply, attempt) }
}

/** The provider is still processing the order. */
export function pending(attempt: AttemptDetails, reply: Reply, reference: string | null): Outcome {
  return { kind: 'pending', reference, evidence: evidenceOf(reply, attempt) }
}

/** The order was paid. Without a readable reference, amount and currency it is `unknown`. */
export function succeeded(
  attempt: AttemptDetails,
  reply: Reply,
  paid: {
    reference: string | null | undefined
    amount: unknown
    currency: unknown
    tokens?: string[]
  },
): Outcome {
  const amount = wholeAmount(paid.amount)
  const currency = readCurrency(paid.currency)
  if (!paid.reference || amount === undefined || currency === undefined)
    return unknown(attempt, reply, 'success without a readable amount, currency or reference')
  const { reference, tokens = [] } = paid
  const evidence = evidenceOf(reply, attempt)
  return { kind: 'succeeded', reference, amount, currency, tokens, evidence }
}

function readCurrency(value: unknown): Currency | undefined {
  return value === 'XOF' || value === 'XAF' ? value : undefined
}

/** The provider declined, with a code that its table lists. */
export function declined(
  attempt: AttemptDetails,
  reply: Reply,
  cause: DeclineCause,
  reason: string,
): OutcomeOf<'declined'> {
  const { reference } = attempt
  return { kind: 'declined', cause, reason, reference, evidence: evidenceOf(reply, attempt) }
}

/** Nothing certain is known: the order has to be queried again. */
export function unknown(
  attempt: AttemptDetails,
  reply: Reply,
  reason: string,
): OutcomeOf<'unknown'> {
  const { reference } = attempt
  return { kind: 'unknown', reason, reference, evidence: evidenceOf(reply, attempt) }
}

/** The outcome of an answer whose status or error code no table lists. */
export function unlisted(
  attempt: AttemptDetails,
  reply: HttpResponse,
  code?: string | null,
): Outcome {
  const said = code ? `${code.slice(0, 60)} (HTTP ${reply.status})` : `HTTP ${reply.status}`
  return unknown(attempt, reply, `unlisted answer: ${said}`)
}

/** The outcome of an error code. `accepted` in the table: the provider has this order already. */
export function outcomeOfCode(
  attempt: AttemptDetails,
  reply: HttpResponse,
  table: CodeTable<'accepted' | DeclineCause>,
  code: string | undefined,
): Outcome {
  const meaning = meaningOf(table, code)
  if (meaning === undefined || code === undefined) return unlisted(attempt, reply, code)
  if (meaning === 'accepted') return accepted(attempt, reply, attempt.reference)
  return declined(attempt, reply, meaning, code)
}

/** The outcome of several orders of one id of which some are paid; undefined: none is. */
export function paidOf(outcomes: Outcome[]): Outcome | undefined {
  const [first, ...others] = outcomes.filter((one) => one.kind === 'succeeded')
  return first === undefined || others.length === 0 ? first : { ...first, others }
}

/** The outcome of a search by our id; of several orders it waits for the end of each. */
export function outcomeOfSearch<Order extends object>(
  attempt: AttemptDetails,
  reply: HttpResponse,
  found: Order[] | undefined,
  outcomeOf: (order: Order) => Outcome,
): Outcome {
  if (found === undefined) return unlisted(attempt, reply)
  const outcomes = found.map(outcomeOf)
  const [first, ...others] = outcomes
  if (first === undefined) return notFound(attempt, reply)
  if (others.length === 0) return first
  const areEnded = outcomes.every(({ kind }) => kind === 'succeeded' || kind === 'declined')
  if (!areEnded) return unknown(attempt, reply, 'more than one order of this id')
  return paidOf(outcomes) ?? first
}

/** The outcome of an order without an answer: `not_sent` when that is proven, else `unknown`. */
export function submitUnanswered(
  attempt: AttemptDetails,
  reply: Exclude<Reply, HttpResponse>,
): Outcome {
  const { kind, reason } = reply
  return kind === 'not_sent' ? { kind, reason } : unknown(attempt, reply, reason)
}

/** The outcome of a query without an answer: `unknown`, even when the query was never sent. */
export function queryUnanswered(
  attempt: AttemptDetails,
  reply: Exclude<Reply, HttpResponse>,
): Outcome {
  const outcome = unknown(attempt, reply, `could not ask: ${reply.reason}`)
  const isHeldBack = reply.kind === 'not_sent' && reply.isHeldBack === true
  return isHeldBack ? outcome : { ...outcome, isUnreached: true }
}

/**
 * The provider says that it has no such order. When it gave the order a reference before, this
 * proves nothing and must never lead to a second order: the outcome is `unknown`.
 */
export function notFound(attempt: AttemptDetails, reply: HttpResponse): Outcome {
  if (attempt.reference !== null)
    return unknown(attempt, reply, 'the provider does not know the order it took')
  return { kind: 'not_found', evidence: evidenceOf(reply, attempt) }
}
