import assert from 'node:assert/strict'
import { test } from 'node:test'
import { after } from '#base/kit/clock.ts'
import { nextSince } from './worker.ts'

const now = new Date('2026-03-01T12:00:00Z')
const minutesAgo = (minutes: number) => after(now, -minutes * 60_000)

test('the next ledger check reads from 75 s before this one, for postings committed late', () => {
  assert.deepEqual(nextSince(minutesAgo(2), now, 0), minutesAgo(1.25))
})

test('after a break the next checks read from the same time on, for an hour', () => {
  assert.deepEqual(nextSince(minutesAgo(2), now, 1), minutesAgo(2))
  assert.deepEqual(nextSince(minutesAgo(61), now, 1), minutesAgo(60))
})

test('after the clock was set back the next check reads from 75 s before the new time', () => {
  assert.deepEqual(nextSince(minutesAgo(1), minutesAgo(5), 0), minutesAgo(6.25))
})
