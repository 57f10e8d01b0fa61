/** The only source of the current time, so that tests can set it. */
export interface Clock {
  now(): Date
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() }

/** Milliseconds of a clock that never goes back, for measuring durations. */
export function monotonicMs(): number {
  return performance.now()
}

/** The date `ms` milliseconds after `date`. */
export function after(date: Date, ms: number): Date {
  return new Date(date.getTime() + ms)
}
