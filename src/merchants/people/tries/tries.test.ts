import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { type Limit, openTries } from './tries.ts'

const minuteMs = 60_000
const quarterMs = 15 * minuteMs
const { db } = await testDatabase()

/** The clock stands so many minutes before the end of a window. */
function opened(minutesLeft: number) {
  const clock = testClock('2026-01-15T10:00:00.000Z')
  clock.advance(quarterMs - minutesLeft * minuteMs)
  const tries = openTries({ db, clock, secretKey: randomBytes(32) })
  const limit: Limit[] = [[['person'], 10]]
  const take = () => tries.take(limit, quarterMs)
  const takenOf = async (count: number) => {
    let taken = 0
    for (let index = 0; index < count; index += 1) if ((await take()) !== undefined) taken += 1
    return taken
  }
  return { clock, take, takenOf }
}

describe('tries in a window', () => {
  it('are limited', async () => {
    const { takenOf } = opened(10)
    assert.equal(await takenOf(15), 10)
  })

  it('slide: those of the window before count as far as they are recent', async () => {
    const { clock, takenOf } = opened(0.1)
    assert.equal(await takenOf(15), 10)
    clock.advance(0.2 * minuteMs)
    assert.equal(await takenOf(15), 1, 'the next window has begun')
    clock.advance(quarterMs / 2)
    assert.equal(await takenOf(15), 5, 'of those before, half count')
    clock.advance(2 * quarterMs)
    assert.equal(await takenOf(15), 10)
  })

  it('are given back in the window in which they were taken', async () => {
    const { clock, take, takenOf } = opened(0.1)
    const taken = await take()
    clock.advance(0.2 * minuteMs)
    await taken?.giveBack()
    clock.advance(quarterMs - minuteMs)
    assert.equal(await takenOf(15), 10, 'no more than without')
  })
})
