import { DiagLogLevel, diag } from '@opentelemetry/api'
import { monotonicMs } from '#base/kit/clock.ts'
import type { Log } from '#base/log/log.ts'

const tellEveryMs = 60_000

const ignore = () => {}

/**
 * Writes what the SDK tells of problems to the log, such as a receiver that does not answer: one
 * line a minute at most, because it tells of every post. Returns what ends that.
 */
export function tellProblems(log: Log): () => void {
  let toldMs = Number.NEGATIVE_INFINITY
  const tell = (problem: string): void => {
    if (monotonicMs() < toldMs + tellEveryMs) return
    toldMs = monotonicMs()
    log.warn({ problem }, 'traces')
  }
  diag.setLogger(
    { error: tell, warn: tell, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  return () => diag.disable()
}
