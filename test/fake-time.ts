import { mock } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'

const STEP_MS = 5

/** From now on, the monotonic clock of this process moves only when a test says so. */
export function fakeMonotonicClock() {
  // Whole, so that differences of its times are exact.
  let nowMs = Math.ceil(performance.now())
  const { mock: faked } = mock.method(performance, 'now', () => nowMs)
  return {
    restore: () => faked.restore(),
    nowMs: () => nowMs,
    advance: (ms: number) => {
      if (!Number.isInteger(ms)) throw new RangeError(`a whole number of milliseconds, not ${ms}`)
      nowMs += ms
    },
  }
}

/**
 * From now on, timers of this process and its monotonic clock move only when a test says so. Timers
 * that were imported by name from node:timers stay real.
 */
export function fakeTime() {
  const { nowMs, advance, restore: restoreClock } = fakeMonotonicClock()
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })

  /** Lets time pass at once, as for a process that was stopped. */
  function jump(ms: number): void {
    advance(ms)
    mock.timers.tick(ms)
  }
  /** Lets time pass in small steps, each with a turn of the event loop. */
  async function pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      jump(Math.min(left, STEP_MS))
      await turn()
    }
  }
  /** Lets time pass until a condition holds; after an hour of it the condition never will. */
  async function passUntil(isSo: () => boolean): Promise<void> {
    const giveUpMs = nowMs() + 3_600_000
    while (!isSo()) {
      if (nowMs() > giveUpMs) throw new Error(`not within an hour: ${String(isSo)}`)
      await pass(STEP_MS)
    }
  }
  /** From now on, time is real again. */
  function restore(): void {
    restoreClock()
    mock.timers.reset()
  }
  return { nowMs, jump, pass, passUntil, restore }
}
