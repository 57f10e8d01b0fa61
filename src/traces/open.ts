import type { TraceSettings } from '../config/traces.ts'
import type { Clock } from '../kit/clock.ts'
import { monotonicMs } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { openExporter } from './exporter.ts'
import type { TraceIds } from './ids.ts'
import { isSampled, newSpanId, traceOf, writeTraceparent } from './ids.ts'
import type { Span } from './otlp.ts'

/** A payment, or a link: its id names its trace. Payments of a link are in the link's trace. */
export interface Traced {
  id: string
  linkId?: string | null
}

type Details = Pick<Span, 'name' | 'kind' | 'attributes' | 'hasFailed' | 'link'>

/** Makes spans of payments and sends them; where none is opened, nothing is made. */
export type Traces = ReturnType<typeof openTraces>

/** Opens traces. Spans are made once they have ended, by whichever process did the work. */
export function openTraces(parts: { settings: TraceSettings; clock: Clock; log: Log }) {
  const { settings, clock } = parts
  const exporter = openExporter(parts)
  const isKept = (traceId: string) => isSampled(traceId, settings.ratio)

  return {
    figures: exporter.figures,
    stop: exporter.stop,
    /** A step of a payment that has just ended; `startedMs` is of the monotonic clock. */
    step: (of: Traced, startedMs: number, details: Details, spanId = newSpanId()): void => {
      const traceId = traceIdOf(of)
      if (!isKept(traceId)) return
      const endMs = clock.now().getTime()
      const startMs = endMs - (monotonicMs() - startedMs)
      const parentSpanId = traceOf(of.id).spanId
      exporter.add({ ...details, traceId, spanId, parentSpanId, startMs, endMs })
    },
    /** The whole life of a payment or link that has ended: the parent of its steps. */
    life: (of: Traced & { createdAt: Date }, end: Date, details: Details): void => {
      const traceId = traceIdOf(of)
      if (!isKept(traceId)) return
      const { spanId } = traceOf(of.id)
      const parentSpanId = of.linkId ? traceOf(of.linkId).spanId : undefined
      const times = { startMs: of.createdAt.getTime(), endMs: end.getTime() }
      exporter.add({ ...details, ...times, traceId, spanId, parentSpanId })
    },
    /** The ids of a step that is about to begin, and the header that tells a receiver of it. */
    outgoing: (of: Traced): TraceIds & { traceparent: string } => {
      const ids = { traceId: traceIdOf(of), spanId: newSpanId() }
      return { ...ids, traceparent: writeTraceparent(ids, isKept(ids.traceId)) }
    },
  }
}

function traceIdOf({ id, linkId }: Traced): string {
  return traceOf(linkId ?? id).traceId
}
