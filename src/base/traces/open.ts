import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Attributes,
  context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { type Clock, monotonicMs } from '#base/kit/clock.ts'
import { readVersion } from '#base/kit/version.ts'
import type { Log } from '#base/log/log.ts'
import { tellProblems } from './problems.ts'
import { chosenSampler } from './sampler.ts'

/** A payment, or a link: its id names its trace. Payments of a link are in the link's trace. */
export interface Traced {
  id: string
  linkId?: string | null
}

/** What is told of a step; no number, name, key or address of anybody. */
export interface Details {
  name: string
  kind: keyof typeof kinds
  attributes: Attributes
  /** Why it failed, as a short word; left out: it did not. */
  error?: string | undefined
  /** The caller's `traceparent` header, whose span is linked. */
  traceparent?: unknown
}

// Names, because other rooms must not load the packages.
const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
}

// About 5 MB. What comes when it is full is dropped: a payment never waits for it.
const queue = { maxQueueSize: 8192, maxExportBatchSize: 1024, scheduledDelayMillis: 1000 }
const stopWithinMs = 2000

interface TraceParts {
  clock: Clock
  log: Log
  /** Left out: what the variables OTEL_EXPORTER_OTLP_… say. */
  receiver?: { url: string; headers?: Record<string, string> }
}

/** Makes spans of payments and sends them; where none is opened, nothing is made. */
export type Traces = ReturnType<typeof openTraces>

/**
 * Opens traces, by the SDK of OpenTelemetry. Every step of a payment is a root of the payment's
 * trace: a parent would have to be sent by another process, or long after. Other code in this
 * process may make spans by OpenTelemetry's interface.
 */
export function openTraces(parts: TraceParts) {
  const { clock } = parts
  const ids = openIds()
  const { tracer, stop } = openProvider(parts, ids)

  const begin = (of: Traced, startTime: number, details: Details): Span => {
    const { name, kind, attributes, error, traceparent } = details
    const theirs = typeof traceparent === 'string' ? parseTraceParent(traceparent) : null
    const links = theirs === null ? [] : [{ context: theirs }]
    ids.nextTrace(traceIdOf(of))
    const options = { kind: kinds[kind], attributes, links, startTime }
    const span = tracer.startSpan(name, options, ROOT_CONTEXT)
    return error === undefined ? span : fail(span, error)
  }

  return {
    stop,
    /** A step of a payment that has just ended; `startedMs` is of the monotonic clock. */
    step: (of: Traced, startedMs: number, details: Details): void => {
      const endMs = clock.now().getTime()
      begin(of, endMs - (monotonicMs() - startedMs), details).end(endMs)
    },
    /**
     * Does a step and makes its span, completed by its result. Spans that other code makes
     * meanwhile are its children; `work` gets the header that tells a receiver of it.
     */
    during: async <Result>(
      of: Traced,
      details: Details,
      work: (traceparent: string) => Promise<Result>,
      describe: (result: Result) => Pick<Details, 'attributes' | 'error'>,
    ): Promise<Result> => {
      const startMs = clock.now().getTime()
      const startedMs = monotonicMs()
      const span = begin(of, startMs, details)
      try {
        const active = trace.setSpan(context.active(), span)
        const result = await context.with(active, work, undefined, traceparentOf(span))
        const { attributes, error } = describe(result)
        span.setAttributes(attributes)
        if (error !== undefined) fail(span, error)
        return result
      } catch (problem) {
        // Its message may name what no span may.
        fail(span, problem instanceof Error ? problem.name : '_OTHER')
        throw problem
      } finally {
        span.end(startMs + monotonicMs() - startedMs)
      }
    },
    /** The whole life of a payment or link that has ended. */
    life: (of: Traced & { createdAt: Date }, end: Date, details: Details): void =>
      begin(of, of.createdAt.getTime(), details).end(end.getTime()),
  }
}

/**
 * The trace of a payment or link is its id: nothing is stored, and every process finds the same
 * one. A trace id has 128 bits, as a UUID has.
 */
export function traceIdOf({ id, linkId }: Traced): string {
  return (linkId ?? id).replaceAll('-', '')
}

/** Random ids, but for the trace of a span that is begun in the same turn. */
function openIds() {
  const random = new RandomIdGenerator()
  let next: string | undefined
  return {
    nextTrace: (traceId: string): void => {
      next = traceId
    },
    generateSpanId: () => random.generateSpanId(),
    generateTraceId: () => {
      const traceId = next ?? random.generateTraceId()
      next = undefined
      return traceId
    },
  }
}

/** Opens the SDK; `stop` sends what waits, for two seconds at most. */
function openProvider({ log, receiver }: TraceParts, idGenerator: IdGenerator) {
  const quiet = tellProblems(log)
  const exporter = new OTLPTraceExporter(receiver)
  const provider = new TracerProvider({
    resource: describeProcess(),
    sampler: chosenSampler(),
    idGenerator,
    spanProcessors: [new BatchSpanProcessor({ exporter, ...queue })],
  })
  const unregister = register(provider)
  const tracer = provider.getTracer('passerelle', readVersion().version)
  const stop = async (): Promise<void> => {
    unregister()
    const sent = new AbortController()
    const shutdown = provider
      .shutdown()
      .catch((problem) => log.warn({ err: problem }, 'spans were not sent'))
      .finally(() => sent.abort())
    const late = sleep(stopWithinMs, undefined, sent).catch(() => {})
    await Promise.race([shutdown, late])
    quiet()
  }
  return { tracer, stop }
}

/** What stands beside the spans of this process; OTEL_SERVICE_NAME and the like come first. */
function describeProcess() {
  const { version } = readVersion()
  return defaultResource()
    .merge(detectResources({ detectors: [serviceInstanceIdDetector] }))
    .merge(resourceFromAttributes({ 'service.name': 'passerelle', 'service.version': version }))
    .merge(detectResources({ detectors: [envDetector] }))
}

/** Serves code that makes spans by `@opentelemetry/api`, unless another SDK does already. */
function register(provider: TracerProvider): () => void {
  const areContextsOurs = context.setGlobalContextManager(
    new AsyncLocalStorageContextManager().enable(),
  )
  const isProviderOurs = trace.setGlobalTracerProvider(provider)
  return () => {
    if (isProviderOurs) trace.disable()
    if (areContextsOurs) context.disable()
  }
}

function fail(span: Span, error: string): Span {
  return span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR })
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-0${traceFlags}`
}
