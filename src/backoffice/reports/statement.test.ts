import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { after } from '#base/kit/clock.ts'
import { post } from '#money/ledger/post.ts'
import { findSummaryBreaks } from '#operations/verify/summaries-store.ts'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { bookkeeper } from '#test/ledger.ts'
import { sized } from '#test/size.ts'
import { eachMovement } from './movements.ts'
import { countUnsummed, type Movement, readVersion } from './movements-store.ts'
import { readStatement, type Statement } from './statement.ts'
import { summariseBatch } from './summarise.ts'

const { db } = await testDatabase()
const hourMs = 3_600_000
const start = new Date('2026-02-27T20:00:00Z')

/** Numbers that look random, the same in each run. */
function draws(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

/** Posts a day of movements; the time of some is earlier than that of the movement before. */
async function dayOfMovements(seed: number): Promise<number> {
  const draw = draws(seed)
  const clientId = await newClient(db, testClock('2026-02-27T12:00:00Z'), 100_000)
  let sinceMs = 0
  for (let count = 0; count < 60; count += 1) {
    sinceMs += draw(hourMs)
    const now = after(start, sinceMs - draw(hourMs))
    const { write } = bookkeeper(clientId, now)
    const amount = 1 + draw(500)
    const kind = ['fund', 'withdraw', 'hold'][draw(3)]
    const posting = write(`${kind} ${count} ${amount}`)
    await db.transaction((tx) => post(tx, [posting], now))
    if (draw(4) === 0) await summariseBatch(db, clientId, 1 + draw(9))
  }
  return clientId
}

async function movementsOf({ versions }: Statement): Promise<Movement[]> {
  const movements: Movement[] = []
  for await (const one of eachMovement(db, versions)) movements.push(one)
  return movements
}

describe('statements', () => {
  const seeds = Array.from({ length: sized(3, 40) }, (_, index) => 7 + index)
  for (const seed of seeds)
    it(`of movements out of order tie, and follow each other (seed ${seed})`, async () => {
      const clientId = await dayOfMovements(seed)
      let opening = 0
      let counted = 0
      for (let hour = -12; hour < 40; hour += 1 + (hour % 3 === 0 ? 2 : 0)) {
        const next = hour + 1 + (hour % 3 === 0 ? 2 : 0)
        const range = { from: after(start, hour * hourMs), to: after(start, next * hourMs) }
        const statement = await readStatement(db, clientId, range)
        assert.equal(statement.opening, opening)
        const movements = await movementsOf(statement)
        const sum = movements.reduce((total, { amount }) => total + amount, 0)
        assert.equal(statement.closing, opening + sum)
        const lines = statement.lines.reduce((total, { count }) => total + count, 0)
        assert.equal(lines, movements.length)
        opening = statement.closing
        counted += movements.length
      }
      assert.equal(counted, 61)
      assert.deepEqual(await findSummaryBreaks(db), [])
    })

  it('of an empty range opens and closes with the same balance', async () => {
    const clientId = await newClient(db, testClock('2026-02-27T12:00:00Z'), 400)
    const range = { from: start, to: after(start, hourMs) }
    const { opening, closing, lines } = await readStatement(db, clientId, range)
    assert.deepEqual([opening, closing, lines], [400, 400, []])
    const before = { from: after(start, -99 * hourMs), to: after(start, -98 * hourMs) }
    assert.deepEqual((await readStatement(db, clientId, before)).closing, 0)
  })

  it('of a long history that is not summed up yet are refused, not read for minutes', async () => {
    const clientId = await dayOfMovements(7)
    const range = { from: start, to: after(start, 100 * hourMs) }
    const unsummed = await countUnsummed(db, clientId)
    assert.ok(unsummed > 0)
    await assert.rejects(readStatement(db, clientId, range, unsummed - 1), /is being calculated/)
    const whole = await readStatement(db, clientId, range, unsummed)
    while (await summariseBatch(db, clientId));
    assert.deepEqual(await readStatement(db, clientId, range, 0), whole)
  })

  it('with a movement that cannot be found break off', async () => {
    const clientId = await dayOfMovements(8)
    const upTo = (await readVersion(db, clientId)) + 1
    await assert.rejects(async () => {
      for await (const _ of eachMovement(db, { clientId, above: 0, upTo }));
    }, /movements of client/)
  })
})
