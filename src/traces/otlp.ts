import type { TraceIds } from './ids.ts'

/** What is said of a span: no number, name, key or address of anybody. */
export type Attributes = Record<string, string | number | undefined>

const kinds = { internal: 1, server: 2, client: 3 }

/** A span that has ended. */
export interface Span extends TraceIds {
  parentSpanId?: string | undefined
  name: string
  kind: keyof typeof kinds
  startMs: number
  endMs: number
  attributes: Attributes
  hasFailed?: boolean | undefined
  /** Another trace that it belongs with. */
  link?: TraceIds | undefined
}

/** The body of a post to an OTLP/HTTP receiver, in JSON. */
export function writeSpans(serviceName: string, spans: Span[]): string {
  const resource = { attributes: attributesOf({ 'service.name': serviceName }) }
  const scopeSpans = [{ scope: { name: 'passerelle' }, spans: spans.map(writeSpan) }]
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
    ...(span.link === undefined ? {} : { links: [span.link] }),
  }
}

/** Whole microseconds as nanoseconds: a number does not hold more digits. */
function nanoseconds(ms: number): string {
  return `${Math.round(ms * 1000)}000`
}

function attributesOf(attributes: Attributes): object[] {
  return Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return []
    return { key, value: typeof value === 'string' ? { stringValue: value } : { intValue: value } }
  })
}
