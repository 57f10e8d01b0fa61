import assert from 'node:assert/strict'
import { it } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { eventually } from '../../test/wait.ts'
import { systemClock as clock } from '../kit/clock.ts'
import { openLog } from '../log/log.ts'
import { openProofs } from './open.ts'
import { claimProof } from './proof-store.ts'

const { db } = await testDatabase()

it('a proof is given up after three attempts that nobody heard of again', async () => {
  const proofs = openProofs({ db, clock, log: openLog('silent') })
  const { id } = await proofs.ask('test')
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const now = clock.now()
    const [begun] = await claimProof(db, { now, dueAt: now })
    assert.equal(begun?.attempt, attempt)
  }
  const sweeper = proofs.startSweeper()
  const proof = await eventually('it has ended', async () => {
    const found = await proofs.find(id)
    return found !== undefined && found.endedAt !== null && found
  })
  await sweeper.stop()
  assert.deepEqual([proof.state, proof.problem], ['failed', 'each attempt broke off'])
  assert.notEqual((await proofs.ask('test')).id, id, 'another can be asked for')
})
