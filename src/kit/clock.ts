/** The only source of the current time, so that tests can set it. */
export interface Clock {
  now(): Date
  /** When it last jumped, by its own time after that; undefined: it has run steadily. */
  jumpedAt?(): Date | undefined
}

// What a clock is corrected by without a jump is less, even for a process that had no time to look.
const jumpMs = 2000

/** Opens a clock that compares the machine's with the monotonic one each time it is read. */
export function openSystemClock(): Clock {
  let aheadMs = Date.now() - monotonicMs()
  let jumpedAt: Date | undefined
  return {
    now: () => {
      const nowMs = Date.now()
      const now = new Date(nowMs)
      const ahead = nowMs - monotonicMs()
      if (Math.abs(ahead - aheadMs) > jumpMs) jumpedAt = now
      aheadMs = ahead
      return now
    },
    jumpedAt: () => jumpedAt,
  }
}

/** The machine's clock. */
export const systemClock: Clock = openSystemClock()

/** Milliseconds of a clock that never goes back, for measuring durations. */
export function monotonicMs(): number {
  return performance.now()
}

/** The date `ms` milliseconds after `date`. */
export function after(date: Date, ms: number): Date {
  return new Date(date.getTime() + ms)
}
