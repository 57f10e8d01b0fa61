import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeAnchor } from '#money/ledger/anchor.ts'
import { post } from '#money/ledger/post.ts'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { bookkeeper } from '#test/ledger.ts'
import { compareAnchors } from './anchors.ts'

const { db } = await testDatabase()
const clock = testClock()

test('compareAnchors reports kept anchors that the database lost or changed', async () => {
  const clientId = await newClient(db, clock, 100)
  const kept = await makeAnchor({ db, clock })
  assert.ok(kept !== undefined)
  assert.deepEqual(await compareAnchors(db, [kept]), [])
  const postings = [bookkeeper(clientId, clock.now()).write('hold h 5')]
  await db.transaction((tx) => post(tx, postings, clock.now()))
  const others = [
    { number: kept.number, hash: 'f'.repeat(64) },
    { number: 999, hash: kept.hash },
  ]
  const breaks = await compareAnchors(db, [kept, ...others])
  assert.deepEqual(
    breaks.map(({ promise, where, what }) => `${promise}: ${where} ${what}`),
    [
      `anchor: anchor ${kept.number} differs from the one kept elsewhere`,
      'anchor: anchor 999 is missing',
    ],
  )
})
