import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testDatabase } from '#test/database.ts'
import { statement } from '#test/statement.ts'
import { recordAudit } from './audit-log.ts'
import { sqlStateOf } from './errors.ts'

const { db, connect } = await testDatabase()
const owner = connect({ asOwner: true })
const at = new Date('2026-01-15T10:00:00Z')
const record = { at, actor: 'ops', action: 'key.revoke', clientId: 1, details: { keyId: 'k' } }

describe('the audit log', () => {
  it('records what was done, by whom, and when', async () => {
    await db.transaction((tx) => recordAudit(tx, record))
    await db.transaction((tx) => recordAudit(tx, { at, actor: 'ops', action: 'stop' }))
    assert.deepEqual(await db`select at, actor, action, client_id, details from audit_log`, [
      { at, actor: 'ops', action: 'key.revoke', client_id: 1, details: { keyId: 'k' } },
      { at, actor: 'ops', action: 'stop', client_id: null, details: {} },
    ])
  })

  it('keeps no number that somebody wrote into a reason', async () => {
    const details = { id: 'a', reason: 'le client du 77 123 45 67 a payé 10 000 000 F' }
    await assert.rejects(
      db.transaction(async (tx) => {
        await recordAudit(tx, { at, actor: 'ops', action: 'said', details })
        const [row] = await tx`select details from audit_log where action = 'said'`
        const reason = 'le client du ••••••67 a payé 10 000 000 F'
        assert.deepEqual(row, { details: { id: 'a', reason } })
        throw new Error('undone')
      }),
      /undone/,
    )
  })

  it('has no record of a transaction that was rolled back', async () => {
    const work = db.transaction(async (tx) => {
      await recordAudit(tx, record)
      throw new Error('no')
    })
    await assert.rejects(work)
    assert.deepEqual(await db`select count(*) from audit_log`, [{ count: 2 }])
  })

  const changes = [
    'update audit_log set actor = null',
    'delete from audit_log',
    'truncate audit_log',
  ]
  for (const change of changes)
    it(`refuses "${change}" from the application and from the owner`, async () => {
      const isForbidden = (problem: unknown) => sqlStateOf(problem) === '42501'
      await assert.rejects(db(statement(change)), isForbidden)
      await assert.rejects(owner(statement(change)), /audit_log is append-only/)
    })
})
