import { randomBytes } from 'node:crypto'

/** The ids of a trace: of the payment or link itself, and of the span that stands for it. */
export interface TraceIds {
  traceId: string
  spanId: string
}

/**
 * The trace of a payment or link, computed from its id: nothing is stored, and every process finds
 * the same one. A trace id has 128 bits, as a UUID has; the last 64, which are random but for two
 * bits that are never 0 together, name the span of the record itself.
 */
export function traceOf(recordId: string): TraceIds {
  const traceId = recordId.replaceAll('-', '')
  return { traceId, spanId: traceId.slice(16) }
}

/** The id of a new span. */
export function newSpanId(): string {
  return randomBytes(8).toString('hex')
}

const randomDigits = 12

/** Whether a trace is among the part that is kept: each process decides the same of one payment. */
export function isSampled(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-randomDigits), 16) < ratio * 16 ** randomDigits
}

const traceparentForm = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/

/** The span that a caller names in its `traceparent` header; undefined: none, or nonsense. */
export function readTraceparent(header: unknown): TraceIds | undefined {
  const [, traceId = '', spanId = ''] =
    typeof header === 'string' ? (traceparentForm.exec(header) ?? []) : []
  return /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(spanId) ? { traceId, spanId } : undefined
}

/** The `traceparent` header that names a span. */
export function writeTraceparent({ traceId, spanId }: TraceIds, sampled: boolean): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
}
