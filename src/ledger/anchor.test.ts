import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it, test } from 'node:test'
import { newClient } from '../../test/clients.ts'
import { testClock } from '../../test/clock.ts'
import { testDatabase } from '../../test/database.ts'
import { assertSound, bookkeeper } from '../../test/ledger.ts'
import { compareAnchors } from '../verify/anchors.ts'
import { verifyLedger } from '../verify/ledger.ts'
import { makeAnchor } from './anchor.ts'
import { post } from './post.ts'

const { db, connect } = await testDatabase()
const clock = testClock()

async function move(clientId: number, words: string): Promise<void> {
  const postings = [bookkeeper(clientId, clock.now()).write(words)]
  await db.transaction((tx) => post(tx, postings, clock.now()))
}

describe('an anchor', () => {
  it('is not made when nothing ever moved', async () => {
    await newClient(db, clock)
    assert.equal(await makeAnchor(db, clock), undefined)
  })

  it('names the accounts that moved since the last one, and follows it', async () => {
    const [one, two] = [await newClient(db, clock, 100), await newClient(db, clock, 100)]
    const first = await makeAnchor(db, clock)
    assert.deepEqual(first?.heads.map(short), [`${one} available 1`, `${two} available 1`])
    clock.advance(1000)
    await move(two, 'hold h 5')
    const second = await makeAnchor(db, clock)
    assert.deepEqual(second?.heads.map(short), [`${two} available 2`, `${two} held 1`])
    assert.deepEqual([first?.number, second?.number], [1, 2])
    const link = [first?.hash, 2, clock.now(), second?.heads]
    const sha256 = createHash('sha256').update(JSON.stringify(link)).digest('hex')
    assert.equal(second?.hash, sha256)
    assert.equal(await makeAnchor(db, clock), undefined, 'nothing moved since')
    assert.equal((await verifyLedger(db)).anchors, 2)
    await assertSound(db)
  })

  it('is made once by processes that make it together, while money moves', async () => {
    const clientId = await newClient(db, clock, 1000)
    const processes = [db, connect(), connect()]
    const moves = Array.from({ length: 30 }, (_, index) => move(clientId, `hold r${index} 1`))
    const made = await Promise.all(
      Array.from({ length: 9 }, (_, index) => makeAnchor(processes[index % 3] ?? db, clock)),
    )
    await Promise.all(moves)
    await makeAnchor(db, clock)
    const versions = made.flatMap((anchor) => anchor?.heads.map(short) ?? [])
    assert.equal(new Set(versions).size, versions.length)
    const { version } = await headOf(clientId)
    assert.equal(version, 31)
    await assertSound(db)
  })
})

test('anchors kept elsewhere show what the database lost or changed', async () => {
  const clientId = await newClient(db, clock, 100)
  const kept = await makeAnchor(db, clock)
  assert.ok(kept !== undefined)
  assert.deepEqual(await compareAnchors(db, [kept]), [])
  await move(clientId, 'hold h 5')
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

function short([clientId, account, version]: [number, string, number, string]): string {
  return `${clientId} ${account} ${version}`
}

async function headOf(clientId: number): Promise<{ version: number }> {
  const [row] = await db<{ version: number }>`
    select anchored_version as version from ledger_accounts
    where client_id = ${clientId} and kind = 'available'`
  return row ?? { version: 0 }
}
