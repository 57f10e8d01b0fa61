import type { Clock } from '#base/kit/clock.ts'

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

/** A clock that runs on from a time of today, such as T12:00Z: no test of a day sees midnight. */
export function clockFrom(timeOfDay: string): Clock {
  const start = new Date(`${new Date().toISOString().slice(0, 10)}${timeOfDay}`)
  const aheadMs = start.getTime() - Date.now()
  return { now: () => new Date(Date.now() + aheadMs) }
}
