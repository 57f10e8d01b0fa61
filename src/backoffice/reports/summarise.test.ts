import assert from 'node:assert/strict'
import { after, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { findSummaryBreaks } from '#operations/verify/summaries-store.ts'
import { newClient } from '#test/clients.ts'
import { testDatabase } from '#test/database.ts'
import { eventually } from '#test/wait.ts'
import { findBehind, lockCursor } from './hours-store.ts'
import { startSummaries, summariseAll } from './summarise.ts'

const { db } = await testDatabase()
const log = openLog('silent')

it('clients that are never done keep none of the others waiting', async () => {
  const clientIds: number[] = []
  for (let count = 0; count < 7; count += 1) clientIds.push(await newClient(db, clock, 1000))
  const [first = 0, second = 0, ...others] = clientIds
  const { promise: told, resolve: tell } = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  await db`insert into summary_cursors (client_id) values (${first}), (${second})`
  // Their cursors are another process's: they stay behind, however often it is their turn.
  const busy = db.transaction(async (tx) => {
    await lockCursor(tx, first)
    await lockCursor(tx, second)
    held.resolve()
    await told
  })
  await held.promise
  const sweeper = startSummaries({ db, clock, log, clientsMax: 2 })
  after(() => sweeper.stop())
  try {
    await eventually('the others are summed up', async () => {
      const behind = await findBehind(db, 0, 100)
      return others.every((id) => !behind.includes(id))
    })
    assert.deepEqual(await findBehind(db, 0, 100), [first, second])
    assert.deepEqual(await findBehind(db, first, 1), [second])
    assert.deepEqual(await findBehind(db, second, 1), [first])
  } finally {
    tell()
    await busy
  }
  await summariseAll(db)
  assert.deepEqual(await findBehind(db, 0, 100), [])
  assert.deepEqual(await findSummaryBreaks(db), [])
})
