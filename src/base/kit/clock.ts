/** The only source of the current time, so that tests can set it. */
export interface Clock {
  now(): Date
  /** When it last jumped, by its own time after that; undefined: it has run steadily. */
  jumpedAt?(): Date | undefined
}

/** The machine's clock, corrected by another one that several machines share. */
export interface SystemClock extends Clock {
  jumpedAt(): Date | undefined
  /**
   * Begins a comparison with the shared clock. The returned function takes what that showed since
   * then, sets this one if it differs by more than a second, and returns by how many milliseconds;
   * undefined: this one has jumped meanwhile, so that nothing can be compared.
   */
  compare(): (shown: Date) => number | undefined
  /** Has a function called after each jump of the machine's clock. */
  onJump(tell: () => void): void
}

// What a clock is corrected by without a jump is less, even for a process that had no time to look.
const jumpMs = 2000
// Machines whose clocks are kept right differ by less.
const toleratedMs = 1000

/**
 * Opens a clock that compares the machine's with the monotonic one each time it is read.
 *
 * After a machine slept, its clock is ahead of the monotonic one: what it shows is taken, so that
 * earlier leases have expired. It is never behind after that: such a clock was set back, which is
 * ignored if there is a shared clock to ask. So what is recorded until the answer is dated too late
 * at worst, never too early, and no other process takes it for lost.
 */
export function openSystemClock(): SystemClock {
  let correctionMs = 0
  let aheadMs = Date.now() - monotonicMs()
  let jumpedAt: Date | undefined
  let jumps = 0
  let isShared = false
  let tell: (() => void) | undefined

  function now(): Date {
    const nowMs = Date.now()
    const ahead = nowMs - monotonicMs()
    const byMs = ahead - aheadMs
    aheadMs = ahead
    if (Math.abs(byMs) <= jumpMs) return new Date(nowMs + correctionMs)
    if (byMs < 0 && isShared) correctionMs -= byMs
    jumpedAt = new Date(nowMs + correctionMs)
    jumps += 1
    tell?.()
    return jumpedAt
  }

  return {
    now,
    jumpedAt: () => jumpedAt,
    onJump: (listener) => {
      tell = listener
    },
    compare: () => {
      isShared = true
      now()
      const jumpsBefore = jumps
      const beganMs = monotonicMs()
      return (shown) => {
        const ownMs = now().getTime()
        if (jumps !== jumpsBefore) return undefined
        // The other one was read at some moment between the beginning and now.
        const leastMs = shown.getTime()
        const mostMs = leastMs + monotonicMs() - beganMs
        if (ownMs >= leastMs - toleratedMs && ownMs <= mostMs + toleratedMs) return 0
        const byMs = Math.round((leastMs + mostMs) / 2 - ownMs)
        correctionMs += byMs
        if (Math.abs(byMs) > jumpMs) jumpedAt = now()
        return byMs
      }
    },
  }
}

/** The machine's clock. */
export const systemClock: SystemClock = openSystemClock()

/** Milliseconds of a clock that never goes back, for measuring durations. */
export function monotonicMs(): number {
  return performance.now()
}

/** The date `ms` milliseconds after `date`. */
export function after(date: Date, ms: number): Date {
  return new Date(date.getTime() + ms)
}
