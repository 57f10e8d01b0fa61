import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type {
  Context,
  ContextManager,
  Span as LiveSpan,
  SpanContext,
  SpanOptions,
  Tracer,
} from '@opentelemetry/api'
import { context, isSpanContextValid, ROOT_CONTEXT, TraceFlags, trace } from '@opentelemetry/api'
import { isSampled, newSpanId } from './ids.ts'
import type { LiveSpanParts } from './live-span.ts'
import { openLiveSpan } from './live-span.ts'

interface TracerParts extends LiveSpanParts {
  /** The part of the traces that is kept, of those that are not a payment's. */
  ratio: number
}

/**
 * Serves libraries and the deployer's own code that make spans by `@opentelemetry/api`, where no
 * SDK is registered with it before: what they make during a step of a payment is in its trace, and
 * goes to the same receiver. Returns what takes it back.
 */
export function registerTracer(parts: TracerParts): () => void {
  const areContextsOurs = context.setGlobalContextManager(openContextManager())
  const isTracerOurs = trace.setGlobalTracerProvider({
    getTracer: (name) => openTracer(name, parts),
  })
  return () => {
    if (isTracerOurs) trace.disable()
    if (areContextsOurs) context.disable()
  }
}

function openContextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>()
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (own, work, receiver, ...values) =>
      storage.run(own, () => work.call(receiver, ...values)),
    bind: (own, target) => {
      if (typeof target !== 'function') return target
      return ((...values: unknown[]) => storage.run(own, () => target(...values))) as typeof target
    },
    enable: () => manager,
    disable: () => {
      storage.disable()
      return manager
    },
  }
  return manager
}

function openTracer(scope: string, parts: TracerParts): Tracer {
  const startSpan: Tracer['startSpan'] = (name, options = {}, above = context.active()) => {
    const given = options.root === true ? undefined : trace.getSpanContext(above)
    const parent = given !== undefined && isSpanContextValid(given) ? given : undefined
    const own = contextOf(parent, parts.ratio)
    if (!isKeptBy(own)) return trace.wrapSpanContext(own)
    return openLiveSpan(own, { ...options, scope, name, parentSpanId: parent?.spanId }, parts)
  }
  return {
    startSpan,
    startActiveSpan: (name: string, ...rest: unknown[]) => {
      const work = rest.pop() as (span: LiveSpan) => never
      const [options, above = context.active()] = rest as [SpanOptions?, Context?]
      const span = startSpan(name, options, above)
      return context.with(trace.setSpan(above, span), work, undefined, span)
    },
  }
}

/** What names a new span: in the trace of its parent, or in a new one. */
function contextOf(parent: SpanContext | undefined, ratio: number): SpanContext {
  const traceId = parent?.traceId ?? randomBytes(16).toString('hex')
  const isKept = parent === undefined ? isSampled(traceId, ratio) : isKeptBy(parent)
  const traceFlags = isKept ? TraceFlags.SAMPLED : TraceFlags.NONE
  return { traceId, spanId: newSpanId(), traceFlags }
}

/** The lowest bit of the flags says so. */
function isKeptBy({ traceFlags }: SpanContext): boolean {
  return traceFlags % 2 === 1
}
