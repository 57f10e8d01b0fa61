import type { Clock } from '../src/kit/clock.ts'

/** A clock that stands still until it is moved. */
export function testClock(
  start = '2026-01-15T10:00:00.000Z',
): Clock & { advance(ms: number): void } {
  let now = new Date(start).getTime()
  return {
    now: () => new Date(now),
    advance: (ms) => {
      now += ms
    },
  }
}
