import { monotonicMs } from './clock.ts'

// A process that ran at least this long is started again without a delay.
const steadyMs = 10_000
const delayMaxMs = 10_000

/** How long to wait before a restart: doubles with each process that ends soon after its start. */
export function restartDelayMs(quickEnds: number): number {
  return quickEnds === 0 ? 0 : Math.min(100 * 2 ** quickEnds, delayMaxMs)
}

/** Remembers how the starts of one process went. */
export interface Starts {
  /** To be called at each start. */
  begin(): void
  /** To be called when the process has ended, or could not start: the delay before the next one. */
  endedMs(): number
}

/** Counts from the first start, which is now. */
export function countStarts(): Starts {
  let startedMs = monotonicMs()
  let quickEnds = -1
  return {
    begin: () => {
      startedMs = monotonicMs()
    },
    endedMs: () => {
      quickEnds = monotonicMs() - startedMs > steadyMs ? 0 : quickEnds + 1
      return restartDelayMs(quickEnds)
    },
  }
}
