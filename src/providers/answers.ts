import type { Static, TSchema } from 'typebox'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Currency } from '../catalog/countries.ts'
import type { Attempt, DeclineCause, Outcome } from './contract.ts'
import { evidenceOf } from './evidence.ts'
import type { Answered, Reply } from './http.ts'

/** What outcomes need to know of the attempt they are about. */
export type About = Pick<Attempt, 'reference' | 'phone' | 'callbackUrl'>

/** A field that may be missing or null. */
export function maybe<Shape extends TSchema>(shape: Shape) {
  return Type.Optional(Type.Union([shape, Type.Null()]))
}

/** Reads a JSON text of this shape, or undefined: fields that are not in the shape are ignored. */
export function reader<Shape extends TSchema>(
  shape: Shape,
): (body: string) => Static<Shape> | undefined {
  const checker = Compile(shape)
  return (body) => {
    const value = parse(body)
    return checker.Check(value) ? value : undefined
  }
}

// One answer is read by several readers, one after the other.
let last: { body: string; value: unknown } = { body: '', value: undefined }

function parse(body: string): unknown {
  if (last.body !== body) last = { body, value: parseJson(body) }
  return last.value
}

function parseJson(body: string): unknown {
  try {
    const value: unknown = JSON.parse(body)
    // Written anew, whole pairs of surrogates are letters: what is left is half of one.
    if (!body.includes('\\u')) return value
    return isOdd.test(body) && isOdd.test(JSON.stringify(value)) ? undefined : value
  } catch {
    return undefined
  }
}

// A database keeps neither NUL nor half a letter, so neither can be part of a name or reference.
const isOdd = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i

/**
 * Whole francs, from a number or from text such as "200" or "200.00"; undefined for all else, so a
 * fraction is never rounded.
 */
export function wholeAmount(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string' || !/^\d{1,15}(\.0{1,4})?$/.test(text)) return undefined
  return Number(text)
}

function readCurrency(value: unknown): Currency | undefined {
  return value === 'XOF' || value === 'XAF' ? value : undefined
}

/** Taken; what comes of it is found out later. */
export function accepted(about: About, reply: Reply, reference: string | null): Outcome {
  return { kind: 'accepted', reference, evidence: evidenceOf(reply, about) }
}

/** Under way. */
export function pending(about: About, reply: Reply, reference: string | null): Outcome {
  return { kind: 'pending', reference, evidence: evidenceOf(reply, about) }
}

/** The order was paid, as far as the answer says so in full; otherwise unknown. */
export function succeeded(
  about: About,
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
    return unknown(about, reply, 'success without a readable amount, currency or reference')
  const { reference, tokens = [] } = paid
  const evidence = evidenceOf(reply, about)
  return { kind: 'succeeded', reference, amount, currency, tokens, evidence }
}

/** The provider said no, in a word that is listed. */
export function declined(about: About, reply: Reply, cause: DeclineCause, reason: string): Outcome {
  const { reference } = about
  return { kind: 'declined', cause, reason, reference, evidence: evidenceOf(reply, about) }
}

/** Nothing certain is known: to be asked again. */
export function unknown(about: About, reply: Reply, reason: string): Outcome {
  const { reference } = about
  return { kind: 'unknown', reason, reference, evidence: evidenceOf(reply, about) }
}

/** What an answer that no table lists amounts to. */
export function unlisted(about: About, reply: Answered, word?: string | null): Outcome {
  const said = word ? `${word.slice(0, 60)} (HTTP ${reply.status})` : `HTTP ${reply.status}`
  return unknown(about, reply, `unlisted answer: ${said}`)
}

/** An order without an answer: it never left, or nobody knows. */
export function unanswered(about: About, reply: Exclude<Reply, Answered>): Outcome {
  return reply.kind === 'not_sent' ? reply : unknown(about, reply, reply.reason)
}

/** A question without an answer says nothing about the order, even when it never left. */
export function unasked(about: About, reply: Exclude<Reply, Answered>): Outcome {
  return unknown(about, reply, `could not ask: ${reply.reason}`)
}

/**
 * The provider says it has no such order. Once it took one that is no proof of anything, and must
 * never lead to a second one.
 */
export function notFound(about: About, reply: Answered): Outcome {
  if (about.reference !== null)
    return unknown(about, reply, 'the provider does not know the order it took')
  return { kind: 'not_found', evidence: evidenceOf(reply, about) }
}
