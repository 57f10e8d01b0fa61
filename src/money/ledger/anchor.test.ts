import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import { verifyLedger } from '#operations/verify/ledger.ts'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { assertSound, bookkeeper } from '#test/ledger.ts'
import { makeAnchor } from './anchor.ts'
import { post } from './post.ts'

const { db, connect } = await testDatabase()
const clock = testClock()

async function postText(clientId: number, text: string): Promise<void> {
  const postings = [bookkeeper(clientId, clock.now()).write(text)]
  await db.transaction((tx) => post(tx, postings, clock.now()))
}

describe('an anchor', () => {
  it('is not made before the first posting', async () => {
    await newClient(db, clock)
    assert.equal(await makeAnchor({ db, clock }), undefined)
  })

  it('names the accounts that moved since the last anchor, and is linked to it', async () => {
    const [one, two] = [await newClient(db, clock, 100), await newClient(db, clock, 100)]
    const first = await makeAnchor({ db, clock })
    assert.deepEqual(first?.heads.map(headText), [`${one} available 1`, `${two} available 1`])
    clock.advance(1000)
    await postText(two, 'hold h 5')
    const second = await makeAnchor({ db, clock })
    assert.deepEqual(second?.heads.map(headText), [`${two} available 2`, `${two} held 1`])
    assert.deepEqual([first?.number, second?.number], [1, 2])
    const link = [first?.hash, 2, clock.now(), second?.heads]
    const sha256 = createHash('sha256').update(JSON.stringify(link)).digest('hex')
    assert.equal(second?.hash, sha256)
    assert.equal(await makeAnchor({ db, clock }), undefined, 'nothing moved since')
    assert.equal((await verifyLedger(db)).anchors, 2)
    await assertSound(db)
  })

  it('names each version once, when several processes make anchors while money moves', async () => {
    const clientId = await newClient(db, clock, 1000)
    const processes = [db, connect(), connect()]
    const moves = Array.from({ length: 30 }, (_, index) => postText(clientId, `hold r${index} 1`))
    const made = await Promise.all(
      Array.from({ length: 9 }, (_, index) =>
        makeAnchor({ db: processes[index % 3] ?? db, clock }),
      ),
    )
    await Promise.all(moves)
    await makeAnchor({ db, clock })
    const versions = made.flatMap((anchor) => anchor?.heads.map(headText) ?? [])
    assert.equal(new Set(versions).size, versions.length)
    assert.equal(await anchoredVersion(clientId), 31)
    await assertSound(db)
  })
})

function headText([clientId, account, version]: [number, string, number, string]): string {
  return `${clientId} ${account} ${version}`
}

async function anchoredVersion(clientId: number): Promise<number | undefined> {
  const [row] = await db<{ version: number }>`
    select anchored_version as version from ledger_accounts
    where client_id = ${clientId} and kind = 'available'`
  return row?.version
}
