import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Window } from './windows.ts'
import { openWindows } from './windows.ts'

const target = 100
const day = 86_400_000
const endOfTime = 2 ** 48

interface CountedWindow extends Window {
  count: number
}

/** Walks over ids made at these times as `walkPostings` does. */
function walk(times: number[]): CountedWindow[] {
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const windows = openWindows({ first, last, expected: times.length, target })
  const walked: CountedWindow[] = []
  const countIn = ({ from, below }: Window) =>
    times.filter((time) => time >= from && time < below).length
  for (let window = windows.next(0); window !== undefined; ) {
    const count = countIn(window)
    const shorter = count > 2 * target ? windows.shorter() : undefined
    if (shorter === undefined) walked.push({ ...window, count })
    window = shorter ?? windows.next(count)
  }
  return walked
}

/** Evenly spread times. */
const evenly = (from: number, length: number, count: number) =>
  Array.from({ length: count }, (_, index) => from + Math.floor((index * length) / count))

describe('windows', () => {
  it('cover all of time without gap or overlap, wherever the ids are', () => {
    const time = fc.oneof(fc.nat(50), fc.nat(endOfTime - 1), fc.constant(endOfTime - 1))
    fc.assert(
      fc.property(fc.array(time, { minLength: 1, maxLength: 600 }), (times) => {
        const walked = walk(times)
        assert.equal(walked[0]?.from, 0)
        assert.equal(walked.at(-1)?.below, endOfTime)
        for (const [index, { from, below }] of walked.entries()) {
          assert.ok(from < below)
          if (index > 0) assert.equal(from, walked[index - 1]?.below)
        }
      }),
    )
  })

  it('are two when there are no ids', () => {
    const windows = openWindows({ first: 0, last: 0, expected: 0, target })
    const walked = [windows.next(0), windows.next(0), windows.next(0)]
    assert.deepEqual(walked.slice(0, 2), [
      { from: 0, below: 1 },
      { from: 1, below: endOfTime },
    ])
    assert.equal(walked[2], undefined)
  })

  it('have about the target number of ids each', () => {
    const counts = walk(evenly(60 * day, 30 * day, 10_000)).map((one) => one.count)
    assert.ok(counts.length < 120, `${counts.length} windows`)
    assert.ok(Math.max(...counts) <= 2 * target)
  })

  it('become shorter where ids are dense and longer where they are sparse', () => {
    const times = [
      ...evenly(60 * day, day, 2000),
      ...evenly(800 * day, day, 2000),
      ...evenly(801 * day, 1000, 2000),
      ...evenly(802 * day, day, 20),
    ]
    const walked = walk(times)
    assert.ok(Math.max(...walked.map(({ count }) => count)) <= 2 * target)
    assert.ok(walked.length < 200, `${walked.length} windows`)
  })

  it('are at least a millisecond long, however many ids it has', () => {
    const full = walk([1, ...evenly(500, 1, 1000), 900]).filter(({ count }) => count > 2 * target)
    assert.deepEqual(full, [{ from: 500, below: 501, count: 1000 }])
  })
})
