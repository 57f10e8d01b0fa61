import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Window } from './windows.ts'
import { openWindows } from './windows.ts'

const target = 100
const day = 86_400_000
const endOfTime = 2 ** 48

interface Seen extends Window {
  found: number
}

/** Goes through moments in the way that postings are gone through. */
function walk(moments: number[]): Seen[] {
  const [first, last] = [Math.min(...moments), Math.max(...moments)]
  const windows = openWindows({ first, last, expected: moments.length, target })
  const seen: Seen[] = []
  const foundIn = ({ from, below }: Window) =>
    moments.filter((moment) => moment >= from && moment < below).length
  for (let window = windows.next(0); window !== undefined; ) {
    const found = foundIn(window)
    const shorter = found > 2 * target ? windows.shorter() : undefined
    if (shorter === undefined) seen.push({ ...window, found })
    window = shorter ?? windows.next(found)
  }
  return seen
}

/** Evenly many from one moment on. */
const evenly = (from: number, length: number, count: number) =>
  Array.from({ length: count }, (_, index) => from + Math.floor((index * length) / count))

describe('windows', () => {
  it('are all of time, each moment once, wherever ids are', () => {
    const moment = fc.oneof(fc.nat(50), fc.nat(endOfTime - 1), fc.constant(endOfTime - 1))
    fc.assert(
      fc.property(fc.array(moment, { minLength: 1, maxLength: 600 }), (moments) => {
        const seen = walk(moments)
        assert.equal(seen[0]?.from, 0)
        assert.equal(seen.at(-1)?.below, endOfTime)
        for (const [index, { from, below }] of seen.entries()) {
          assert.ok(from < below)
          if (index > 0) assert.equal(from, seen[index - 1]?.below)
        }
      }),
    )
  })

  it('end soon when there is nothing', () => {
    const windows = openWindows({ first: 0, last: 0, expected: 0, target })
    const seen = [windows.next(0), windows.next(0), windows.next(0)]
    assert.deepEqual(seen.slice(0, 2), [
      { from: 0, below: 1 },
      { from: 1, below: endOfTime },
    ])
    assert.equal(seen[2], undefined)
  })

  it('have about as many ids each as they should', () => {
    const found = walk(evenly(60 * day, 30 * day, 10_000)).map((one) => one.found)
    assert.ok(found.length < 120, `${found.length} windows`)
    assert.ok(Math.max(...found) <= 2 * target)
  })

  it('become shorter in a crowd and longer where nothing was', () => {
    const moments = [
      ...evenly(60 * day, day, 2000),
      ...evenly(800 * day, day, 2000),
      ...evenly(801 * day, 1000, 2000),
      ...evenly(802 * day, day, 20),
    ]
    const seen = walk(moments)
    assert.ok(Math.max(...seen.map(({ found }) => found)) <= 2 * target)
    assert.ok(seen.length < 200, `${seen.length} windows`)
  })

  it('are a millisecond at least, however many it has', () => {
    const crowded = walk([1, ...evenly(500, 1, 1000), 900]).filter(
      ({ found }) => found > 2 * target,
    )
    assert.deepEqual(crowded, [{ from: 500, below: 501, found: 1000 }])
  })
})
