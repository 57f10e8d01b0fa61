import { createHash } from 'node:crypto'
import { isStorable, toStorable } from '#data/db/storable-text.ts'
import type { Outcome } from '#money/providers/contract.ts'
import type { OutcomeReport } from './decide.ts'

/*
 * Where outcomes enter. What a provider writes has no bound of its own, and a text that the
 * database refuses, or that is too long for an index, would keep an order open for ever.
 */

// A reference stands in indexes, whose entries have 2,704 bytes at most.
const referenceMax = 200
const textMax = 1000
const addressMax = 4000

/** A report that can be stored. */
export interface BoundedReport extends OutcomeReport {
  /** The reference is a digest: it tells payments apart, and the provider does not know it. */
  isReferenceCut?: boolean
}

/** The same report, with texts that can be stored. */
export function bounded(report: OutcomeReport): BoundedReport {
  const { outcome, dedupeKey } = report
  const key = dedupeKey === undefined ? {} : { dedupeKey: nameOf(dedupeKey) }
  const { evidence } = outcome
  const excerpt = evidence?.excerpt
  const cut = excerpt === undefined ? {} : { evidence: { ...evidence, excerpt: textOf(excerpt) } }
  if (outcome.kind === 'succeeded') {
    const reference = nameOf(outcome.reference)
    const isReferenceCut = reference !== outcome.reference
    return { ...report, ...key, outcome: { ...outcome, ...cut, reference }, isReferenceCut }
  }
  return { ...report, ...key, outcome: { ...unended(outcome), ...cut } }
}

/** An order is found by our id as well: a reference that cannot be kept is left out. */
function unended<One extends Exclude<Outcome, { kind: 'succeeded' }>>(outcome: One): One {
  const { reference, reason, paymentUrl } = outcome as Partial<Record<string, unknown>>
  return {
    ...outcome,
    ...(typeof reference === 'string' && !isUsable(reference) ? { reference: null } : {}),
    ...(typeof reason === 'string' ? { reason: textOf(reason) } : {}),
    ...(typeof paymentUrl === 'string' && paymentUrl.length > addressMax
      ? { paymentUrl: undefined }
      : {}),
  }
}

function isUsable(reference: string): boolean {
  return reference.length <= referenceMax && isStorable(reference)
}

/** A name that can be stored: another for each, and the same each time. */
function nameOf(name: string): string {
  if (isUsable(name)) return name
  const digest = createHash('sha256').update(name).digest('hex')
  return `${toStorable(name.slice(0, referenceMax / 2))}… ${digest}`
}

function textOf(text: string): string {
  return toStorable(text.slice(0, textMax))
}
