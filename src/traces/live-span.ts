import type {
  Attributes,
  AttributeValue,
  Link,
  Span as LiveSpan,
  SpanContext,
  SpanOptions,
  TimeInput,
} from '@opentelemetry/api'
import { SpanStatusCode } from '@opentelemetry/api'
import type { Clock } from '../kit/clock.ts'
import { monotonicMs } from '../kit/clock.ts'
import type { TraceIds } from './ids.ts'
import type { Span, SpanEvent } from './otlp.ts'

// OpenTelemetry's own limit of attributes, links and events, for a library that never stops adding.
const partsMax = 128
const kinds = ['internal', 'server', 'client', 'producer', 'consumer'] as const

export interface LiveSpanParts {
  clock: Clock
  /** Takes a span that has ended. */
  add(span: Span): void
}

type Begun = SpanOptions & Pick<Span, 'scope' | 'name' | 'parentSpanId'>

/** A span that a library has begun, as OpenTelemetry's interface describes it. */
export function openLiveSpan(own: SpanContext, begun: Begun, parts: LiveSpanParts): LiveSpan {
  const { clock, add } = parts
  const { scope, parentSpanId, startTime } = begun
  let { name } = begun
  let hasFailed = false
  let isEnded = false
  const startMs = msOf(startTime, clock)
  const startedMs = monotonicMs()
  const attributes = new Map<string, AttributeValue>()
  const links: TraceIds[] = []
  const events: SpanEvent[] = []

  const span: LiveSpan = {
    spanContext: () => own,
    isRecording: () => !isEnded,
    setAttribute: (key, value) => {
      if (attributes.has(key) || attributes.size < partsMax) attributes.set(key, value)
      return span
    },
    setAttributes: (given) => {
      for (const [key, value] of Object.entries(given))
        if (value !== undefined) span.setAttribute(key, value)
      return span
    },
    addLink: ({ context: { traceId, spanId } }) => {
      if (links.length < partsMax) links.push({ traceId, spanId })
      return span
    },
    addLinks: (given: Link[]) => {
      for (const link of given) span.addLink(link)
      return span
    },
    addEvent: (event, second, third) => {
      const [said, time] = isTime(second) ? [{}, second] : [second ?? {}, third]
      if (events.length < partsMax)
        events.push({ name: event, atMs: msOf(time, clock), attributes: said })
      return span
    },
    recordException: (problem, time) => void span.addEvent('exception', describe(problem), time),
    setStatus: ({ code }) => {
      hasFailed = code === SpanStatusCode.ERROR
      return span
    },
    updateName: (given) => {
      name = given
      return span
    },
    end: (time) => {
      if (isEnded) return
      isEnded = true
      // Measured, unless the library told either end by a clock of its own.
      const isMeasured = startTime === undefined && time === undefined
      const endMs = isMeasured ? startMs + monotonicMs() - startedMs : msOf(time, clock)
      const kind = kinds[begun.kind ?? 0] ?? 'internal'
      const { traceId, spanId } = own
      const ids = { traceId, spanId, parentSpanId }
      const said = { attributes: Object.fromEntries(attributes), links, events, hasFailed }
      add({ ...ids, scope, name, kind, startMs, endMs, ...said })
    },
  }
  return span.setAttributes(begun.attributes ?? {}).addLinks(begun.links ?? [])
}

function isTime(value: Attributes | TimeInput | undefined): value is TimeInput {
  return typeof value === 'number' || value instanceof Date || Array.isArray(value)
}

/** Milliseconds since 1970: given so, as a date, as seconds and nanoseconds, or monotonic. */
function msOf(time: TimeInput | undefined, clock: Clock): number {
  const nowMs = clock.now().getTime()
  if (time === undefined) return nowMs
  if (Array.isArray(time)) return time[0] * 1000 + time[1] / 1e6
  if (typeof time !== 'number') return time.getTime()
  const passedMs = monotonicMs()
  return time <= passedMs ? nowMs - (passedMs - time) : time
}

function describe(problem: Parameters<LiveSpan['recordException']>[0]): Attributes {
  if (typeof problem === 'string') return { 'exception.message': problem }
  return {
    'exception.type': problem.name ?? '',
    'exception.message': problem.message ?? '',
    'exception.stacktrace': problem.stack ?? '',
  }
}
