import type { TraceSettings } from '../config/traces.ts'
import { monotonicMs } from '../kit/clock.ts'
import type { Log } from '../log/log.ts'
import { openConnectionPool } from '../net/pool.ts'
import { sendRequest } from '../net/request.ts'
import type { Span } from './otlp.ts'
import { writeSpans } from './otlp.ts'

// About 5 MB. What comes when it is full is dropped and counted: a payment never waits for it.
const waitingMax = 8192
const postedMax = 1024
const postEveryMs = 1000
const postTimeoutMs = 10_000
const retryMsMax = 30_000
const warnEveryMs = 60_000
const stopWithinMs = 2000
// What a receiver asks to send again later, by the OTLP specification.
const retried = new Set([429, 502, 503, 504])

/** How many spans were sent, and how many were dropped because the receiver did not take them. */
export interface ExportFigures {
  sent: number
  dropped: number
}

/** Posts spans in the background, one post at a time; it never throws and never makes wait. */
export function openExporter({ settings, log }: { settings: TraceSettings; log: Log }) {
  const receiver = openReceiver(settings)
  const waiting: Span[] = []
  const figures: ExportFigures = { sent: 0, dropped: 0 }
  let pauseMs = postEveryMs
  let isStopped = false
  let warnedMs = Number.NEGATIVE_INFINITY
  let timer: NodeJS.Timeout | undefined
  let posting: Promise<void> | undefined

  const warn = (problem: unknown) => {
    if (monotonicMs() < warnedMs + warnEveryMs) return
    warnedMs = monotonicMs()
    log.warn({ err: problem, ...figures, waiting: waiting.length }, 'spans cannot be sent')
  }

  /** True: the receiver has taken these spans, or never will. */
  async function post(spans: Span[]): Promise<boolean> {
    try {
      const status = await receiver.send(spans)
      if (status >= 300) warn(new Error(`the receiver answered ${status}`))
      if (retried.has(status)) return false
      figures[status < 300 ? 'sent' : 'dropped'] += spans.length
      return true
    } catch (problem) {
      warn(problem)
      return false
    }
  }

  async function postWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const spans = waiting.slice(0, postedMax)
      if (!(await post(spans))) {
        pauseMs = Math.min(pauseMs * 2, retryMsMax)
        return
      }
      waiting.splice(0, spans.length)
      pauseMs = postEveryMs
    }
  }

  function plan(): void {
    if (isStopped || timer !== undefined) return
    timer = setTimeout(() => {
      posting = postWaiting().finally(() => {
        timer = undefined
        if (waiting.length > 0) plan()
      })
    }, pauseMs).unref()
  }

  return {
    figures,
    add: (span: Span): void => {
      if (waiting.length >= waitingMax) figures.dropped += 1
      else waiting.push(span)
      plan()
    },
    /** Posts what waits, for two seconds at most. */
    stop: async (): Promise<void> => {
      isStopped = true
      clearTimeout(timer)
      await within(stopWithinMs, (posting ?? Promise.resolve()).then(postWaiting))
      receiver.close()
    },
  }
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const patience = setTimeout(resolve, ms)
  await Promise.race([work, late])
  clearTimeout(patience)
}

/** Opens the connection to the receiver; `send` returns the status of its answer, or throws. */
function openReceiver({ url, headers, serviceName }: TraceSettings) {
  const { origin, pathname, search } = new URL(url)
  const pool = openConnectionPool(origin, { connectionsMax: 1, idleMs: 10 * postEveryMs })
  return {
    close: pool.close,
    send: async (spans: Span[]): Promise<number> => {
      const result = await sendRequest(pool, {
        method: 'POST',
        path: pathname + search,
        headers: { ...headers, 'content-type': 'application/json' },
        body: writeSpans(serviceName, spans),
        deadlineMs: postTimeoutMs,
        bodyBytesMax: 65_536,
        whenTooLong: 'truncate',
      })
      if (result.kind !== 'answered') throw result.problem
      return result.status
    },
  }
}
