import assert from 'node:assert/strict'
import { describe, it, mock, type TestContext } from 'node:test'
import { fakeMonotonicClock } from '#test/fake-time.ts'
import { openSystemClock } from './clock.ts'

const hourMs = 3_600_000

/** A clock and what it reads, which move only when a test says so. */
function heldClock(t: TestContext) {
  let nowMs = Date.UTC(2026, 0, 15, 10)
  const date = mock.method(Date, 'now', () => nowMs)
  const monotonic = fakeMonotonicClock()
  t.after(() => {
    date.mock.restore()
    monotonic.restore()
  })
  return {
    clock: openSystemClock(),
    shownMs: () => nowMs,
    /** Lets so much time pass, while the machine's clock moves by so much. */
    pass: (trueMs: number, shownMs = trueMs) => {
      monotonic.advance(trueMs)
      nowMs += shownMs
    },
  }
}

describe('the machine’s clock', () => {
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
      const held = heldClock(t)
      const { clock } = held
      assert.equal(clock.now().getTime(), held.shownMs())
      assert.equal(clock.jumpedAt(), undefined)
      held.pass(trueMs, shownMs)
      const now = clock.now()
      assert.equal(now.getTime(), held.shownMs())
      assert.deepEqual(clock.jumpedAt(), isJump ? now : undefined)
      // The jump stays known; what follows is measured from the new time.
      held.pass(1000)
      clock.now()
      assert.deepEqual(clock.jumpedAt(), isJump ? now : undefined)
    })
})

describe('beside a shared clock', () => {
  // how far that is ahead, how long its answer takes, by how much ours is set
  const scenarios: [string, number, number, number][] = [
    ['the same is left as it is', 0, 10, 0],
    ['a small difference is tolerated', 900, 10, 0],
    ['a small difference is tolerated (behind)', -900, 10, 0],
    ['a slow answer is no difference', 0, 30_000, 0],
    ['one behind the other is set', hourMs, 0, hourMs],
    ['one ahead of the other is set', -hourMs, 0, -hourMs],
    ['the answer is taken to be half-way old', hourMs, 1000, hourMs - 500],
  ]
  for (const [name, aheadMs, answerMs, setMs] of scenarios)
    it(name, (t) => {
      const { clock, pass, shownMs } = heldClock(t)
      const compare = clock.compare()
      pass(answerMs)
      // The answer left at once, and took all of the time to arrive.
      assert.equal(compare(new Date(shownMs() - answerMs + aheadMs)), setMs)
      assert.equal(clock.now().getTime(), shownMs() + setMs)
      assert.equal(clock.jumpedAt() !== undefined, setMs !== 0)
    })

  it('does not go back when the machine’s clock does, and asks', (t) => {
    const { clock, pass, shownMs } = heldClock(t)
    let asked = 0
    clock.onJump(() => {
      asked += 1
    })
    const before = clock.now().getTime()
    clock.compare()(new Date(shownMs()))
    pass(1000, -hourMs)
    assert.equal(clock.now().getTime(), before + 1000)
    assert.equal(asked, 1)
    // The other one has been set back, too: then it counts.
    assert.equal(clock.compare()(new Date(before - hourMs)), -hourMs - 1000)
    assert.equal(clock.now().getTime(), before - hourMs)
  })

  it('goes ahead with the machine’s clock until the answer', (t) => {
    const { clock, pass, shownMs } = heldClock(t)
    const before = clock.now().getTime()
    clock.compare()(new Date(shownMs()))
    pass(1000, hourMs)
    assert.equal(clock.now().getTime(), before + hourMs)
    assert.equal(clock.compare()(new Date(before + 1000)), 1000 - hourMs)
    assert.equal(clock.now().getTime(), before + 1000)
  })

  it('compares nothing across a jump: a machine may have slept before the answer', (t) => {
    const { clock, pass, shownMs } = heldClock(t)
    const compare = clock.compare()
    const answer = new Date(shownMs())
    pass(10, hourMs)
    assert.equal(compare(answer), undefined)
    assert.equal(clock.now().getTime(), shownMs())
  })
})
