/**
 * The only source of time: everything that needs the hour asks for a Clock, so tests can move it.
 */
export interface Clock {
  now(): Date
}

/** The machine's own time, in UTC milliseconds. */
export const systemClock: Clock = { now: () => new Date() }

/** Milliseconds that only ever grow, for measuring durations. */
export function monotonicMs(): number {
  return performance.now()
}

/** The date `ms` milliseconds after `date`. */
export function after(date: Date, ms: number): Date {
  return new Date(date.getTime() + ms)
}
