import type { Attributes } from '@opentelemetry/api'
import type { TraceIds } from './ids.ts'

const kinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 }

/** Something that happened within a span. */
export interface SpanEvent {
  name: string
  atMs: number
  attributes: Attributes
}

/** A span that has ended. */
export interface Span extends TraceIds {
  parentSpanId?: string | undefined
  name: string
  kind: keyof typeof kinds
  startMs: number
  endMs: number
  /** Of our own spans: no number, name, key or address of anybody. */
  attributes: Attributes
  hasFailed?: boolean | undefined
  /** Spans of other traces that it belongs with. */
  links?: TraceIds[] | undefined
  events?: SpanEvent[] | undefined
  /** The library that made it; left out: the gateway. */
  scope?: string | undefined
}

/** The body of a post to an OTLP/HTTP receiver, in JSON. */
export function writeSpans(serviceName: string, spans: Span[]): string {
  const resource = { attributes: attributesOf({ 'service.name': serviceName }) }
  const byScope = Map.groupBy(spans, ({ scope = 'passerelle' }) => scope)
  const scopeSpans = [...byScope].map(([name, own]) => ({
    scope: { name },
    spans: own.map(writeSpan),
  }))
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] })
}

function writeSpan({ traceId, spanId, parentSpanId, name, ...span }: Span): object {
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: kinds[span.kind],
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(span.endMs),
    attributes: attributesOf(span.attributes),
    ...(span.hasFailed === true ? { status: { code: 2 } } : {}),
    ...(span.links === undefined ? {} : { links: span.links }),
    ...(span.events === undefined ? {} : { events: span.events.map(writeEvent) }),
  }
}

function writeEvent({ name, atMs, attributes }: SpanEvent): object {
  return { name, timeUnixNano: nanoseconds(atMs), attributes: attributesOf(attributes) }
}

/** Whole microseconds as nanoseconds: a number does not hold more digits. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1000)}000`
}

function attributesOf(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: valueOf(value) }],
  )
}

function valueOf(value: unknown): object {
  if (Array.isArray(value))
    return { arrayValue: { values: value.map((one: unknown) => valueOf(one ?? '')) } }
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: value } : { doubleValue: value }
  return typeof value === 'boolean' ? { boolValue: value } : { stringValue: String(value) }
}
