import assert from 'node:assert/strict'
import { describe, it, mock } from 'node:test'
import { fakeMonotonicClock } from '../../test/fake-time.ts'
import { openSystemClock } from './clock.ts'

describe('the machine’s clock', () => {
  const hourMs = 3_600_000
  // what it does while so much time passes: name, true milliseconds, the clock's, is it a jump
  const scenarios: [string, number, number, boolean][] = [
    ['runs', 1000, 1000, false],
    ['runs while this process stands still', hourMs, hourMs, false],
    ['is corrected slowly', 60_000, 60_030, false],
    ['jumps ahead', 500, hourMs, true],
    ['jumps back', 500, -hourMs, true],
    ['stands still', 5000, 0, true],
  ]
  for (const [name, trueMs, shownMs, isJump] of scenarios)
    it(`${isJump ? 'is seen to have jumped' : 'is trusted'} when it ${name}`, (t) => {
      let nowMs = Date.UTC(2026, 0, 15, 10)
      const date = mock.method(Date, 'now', () => nowMs)
      const monotonic = fakeMonotonicClock()
      t.after(() => {
        date.mock.restore()
        monotonic.restore()
      })
      const clock = openSystemClock()
      assert.equal(clock.now().getTime(), nowMs)
      assert.equal(clock.jumpedAt?.(), undefined)
      monotonic.advance(trueMs)
      nowMs += shownMs
      const now = clock.now()
      assert.equal(now.getTime(), nowMs)
      assert.deepEqual(clock.jumpedAt?.(), isJump ? now : undefined)
      // The jump stays known; what follows is measured from the new time.
      monotonic.advance(1000)
      nowMs += 1000
      clock.now()
      assert.deepEqual(clock.jumpedAt?.(), isJump ? now : undefined)
    })
})
