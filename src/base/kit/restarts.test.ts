import assert from 'node:assert/strict'
import { it } from 'node:test'
import { restartDelayMs } from './restarts.ts'

it('the delay before a restart doubles with each quick exit, up to 10 s', () => {
  const waits = [0, 1, 2, 3, 6, 7, 50].map(restartDelayMs)
  assert.deepEqual(waits, [0, 200, 400, 800, 6400, 10_000, 10_000])
})
