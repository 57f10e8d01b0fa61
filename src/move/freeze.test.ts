import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { newClient } from '../../test/clients.ts'
import { testDatabase, untilBlocked } from '../../test/database.ts'
import { assertSound } from '../../test/ledger.ts'
import { withClient } from '../db/client.ts'
import { sqlStateOf } from '../db/errors.ts'
import { systemClock as clock } from '../kit/clock.ts'
import { newId } from '../kit/ids.ts'
import { settle } from '../ledger/settlement.ts'
import { countChanges, deleteAllChanges, watchClients } from './capture-store.ts'
import { decideMove, drainClient, freezeClient, thawClient } from './freeze-store.ts'
import { readShapes } from './shape-store.ts'
import { findMove, insertMove, readWatched } from './state-store.ts'
import { undoArrival } from './undo-store.ts'

const { db, url, connect } = await testDatabase()
const owner = connect({ asOwner: true })
const longMs = 60_000
let clientId: number
let other: number
let move: { clientId: number; id: string }

/** A client on its way out, watched, and another one that stays. */
beforeEach(async () => {
  clientId = await newClient(db, clock, 1000)
  other = await newClient(db, clock, 1000)
  move = { clientId, id: newId(clock.now()) }
  const beginning = { ...move, direction: 'out', state: 'copying', now: clock.now() } as const
  await insertMove(db, { ...beginning, peerUrl: 'http://127.0.0.1:9' })
  const watched = await readWatched(db)
  await withClient({ url }, async (client) => watchClients(client, await readShapes(db), watched))
})

const fundTo = (to: number, ref: string) =>
  db.transaction((tx) =>
    settle(tx, { clientId: to, amount: 5, ref, now: clock.now(), actor: 'test' }),
  )
const isMoving = (problem: unknown) => sqlStateOf(problem) === 'PM001'

async function freeze(leaseMs = longMs): Promise<void> {
  assert.ok(await drainClient(db, move, leaseMs))
  assert.ok(await freezeClient(db, move, leaseMs))
}

describe('a freeze', () => {
  it('refuses every write of its client, and of no other', async () => {
    await fundTo(clientId, 'while it is copied')
    assert.ok((await countChanges(db, clientId)) > 0)
    await deleteAllChanges(db, clientId)
    await freeze()
    await assert.rejects(fundTo(clientId, 'frozen'), isMoving)
    await assert.rejects(db`update clients set name = 'x' where id = ${clientId}`, isMoving)
    await fundTo(other, 'at work')
    assert.equal(await countChanges(db, clientId), 0)
    await thawClient(db, move)
    await fundTo(clientId, 'thawed')
    await assertSound(db)
  })

  it('waits for writes that are under way', async () => {
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
    await drainClient(db, move, longMs)
    const { promise: written, resolve: tell } = Promise.withResolvers<void>()
    const writing = db.transaction(async (tx) => {
      const order = { clientId, amount: 5, ref: 'under way', now: clock.now(), actor: 'test' }
      await settle(tx, order)
      tell()
      await held
    })
    await written
    const freezing = freezeClient(db, move, longMs)
    await untilBlocked(owner)
    letGo()
    await writing
    assert.ok(await freezing)
    // What was written before the freeze is noted: the last copy takes it along.
    assert.ok((await countChanges(db, clientId)) > 0)
    await assertSound(db)
  })

  it('ends with its lease: what is written then is noted, and nothing is decided', async () => {
    await freeze()
    await owner`
      update client_moves set lease_until = clock_timestamp() where client_id = ${clientId}`
    assert.equal(await decideMove(db, move), false)
    await fundTo(clientId, 'after the lease')
    // Frozen anew, as by a command that was only slow: it must copy again first.
    await owner`
      update client_moves set lease_until = clock_timestamp() + interval '1 minute'
      where client_id = ${clientId}`
    assert.equal(await decideMove(db, move), false)
    await deleteAllChanges(db, clientId)
    assert.equal(await decideMove(db, move), true)
    await assert.rejects(fundTo(clientId, 'moved'), isMoving)
    await assertSound(db)
  })
})

describe('an arrival that is undone', () => {
  it('is the only thing that append-only tables let go', async () => {
    const id = newId(clock.now())
    const arrival = { clientId: other, id, direction: 'in', state: 'arriving' } as const
    await insertMove(db, { ...arrival, peerUrl: 'http://127.0.0.1:9', now: clock.now() })
    const erase = () =>
      withClient({ url }, async (client) => {
        await client.query("select set_config('passerelle.undoing', $1, false)", [String(other)])
        await client.query('delete from ledger_entries where client_id = $1', [other])
      })
    await assert.rejects(erase(), /append-only/)
    await undoArrival(db, { clientId: other, moveId: id })
    assert.equal((await findMove(db, other, 'in'))?.state, 'undone')
    const left = await db`select 1 from ledger_entries where client_id = ${other}`
    assert.equal(left.length, 0)
    await assert.rejects(erase(), /append-only/)
    await assertSound(db)
  })
})
