// For figures counted in the database, which are the same in each process behind a port: the
// greatest is reported, since each process counts at a time of its own.
export const sameInAllProcesses = { aggregator: 'max' } as const

/** Seconds since a time, 0 without one. */
export function secondsSince(time: Date | null, now: Date): number {
  return time === null ? 0 : Math.max(0, now.getTime() - time.getTime()) / 1000
}
