import { context, TraceFlags, trace } from '@opentelemetry/api'
import type { TraceSettings } from '../config/traces.ts'
import type { Clock } from '../kit/clock.ts'
import { monotonicMs } from '../kit/clock.ts'
import type { Log } from '../log/log.ts'
import { openExporter } from './exporter.ts'
import { isSampled, newSpanId, traceOf, writeTraceparent } from './ids.ts'
import type { Span } from './otlp.ts'
import { registerTracer } from './tracer.ts'

/** A payment, or a link: its id names its trace. Payments of a link are in the link's trace. */
export interface Traced {
  id: string
  linkId?: string | null
}

type Details = Pick<Span, 'name' | 'kind' | 'attributes' | 'hasFailed' | 'links'>

/** Makes spans of payments and sends them; where none is opened, nothing is made. */
export type Traces = ReturnType<typeof openTraces>

/**
 * Opens traces. Spans of payments are made once they have ended, by whichever process did the work;
 * other code in this process may make spans by OpenTelemetry's interface.
 */
export function openTraces(parts: { settings: TraceSettings; clock: Clock; log: Log }) {
  const { clock } = parts
  const { ratio } = parts.settings
  const exporter = openExporter(parts)
  const unregister = registerTracer({ clock, ratio, add: exporter.add })
  const isKept = (traceId: string) => isSampled(traceId, ratio)

  const step = (of: Traced, startedMs: number, details: Details, spanId = newSpanId()): void => {
    const traceId = traceIdOf(of)
    if (!isKept(traceId)) return
    const endMs = clock.now().getTime()
    const startMs = endMs - (monotonicMs() - startedMs)
    const parentSpanId = traceOf(of.id).spanId
    exporter.add({ ...details, traceId, spanId, parentSpanId, startMs, endMs })
  }

  return {
    figures: exporter.figures,
    stop: (): Promise<void> => {
      unregister()
      return exporter.stop()
    },
    /** A step of a payment that has just ended; `startedMs` is of the monotonic clock. */
    step,
    /**
     * Does a step and makes its span, described by its result; undefined: none. Spans that other
     * code makes meanwhile are its children; `work` gets the header that tells a receiver of it.
     */
    during: async <Result>(
      of: Traced,
      work: (traceparent: string) => Promise<Result>,
      describe: (result: Result) => Details | undefined,
    ): Promise<Result> => {
      const ids = { traceId: traceIdOf(of), spanId: newSpanId() }
      const isSent = isKept(ids.traceId)
      const traceFlags = isSent ? TraceFlags.SAMPLED : TraceFlags.NONE
      const active = trace.setSpanContext(context.active(), { ...ids, traceFlags })
      const startedMs = monotonicMs()
      const result = await context.with(active, work, undefined, writeTraceparent(ids, isSent))
      const details = describe(result)
      if (details !== undefined) step(of, startedMs, details, ids.spanId)
      return result
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
  }
}

function traceIdOf({ id, linkId }: Traced): string {
  return traceOf(linkId ?? id).traceId
}
