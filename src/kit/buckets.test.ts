import assert from 'node:assert/strict'
import { it } from 'node:test'
import { Buckets } from './buckets.ts'
import { Tally } from './tally.ts'

it('buckets take a value at their bound, and one above all bounds', () => {
  const buckets = new Buckets([1, 5, 10])
  for (const value of [0, 1, 1.5, 5, 10, 10.5, 99]) buckets.count(value)
  assert.deepEqual(buckets.counts, [2, 2, 1, 2])
  assert.equal(buckets.sum, 127)
})

it('a tally counts under all its names together', () => {
  const tally = new Tally()
  for (const names of [
    ['a', 'x'],
    ['a', 'y'],
    ['a', 'x'],
    ['b', 'x'],
  ])
    tally.add(names)
  tally.add(['b', 'x'], 5)
  assert.deepEqual(
    [...tally.counts()],
    [
      [['a', 'x'], 2],
      [['a', 'y'], 1],
      [['b', 'x'], 6],
    ],
  )
})
