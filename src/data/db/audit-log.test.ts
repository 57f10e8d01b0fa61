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

  const uuid = '01923456-7890-7abc-8def-771234567890'
  const told: [name: string, given: object, kept: object][] = [
    [
      'a reason',
      { id: 'a', reason: 'le client du 77 123 45 67 a payé 10 000 000 F' },
      { id: 'a', reason: 'le client du ••••••67 a payé 10 000 000 F' },
    ],
    [
      'a reference',
      { amount: 771234567, ref: 'virement 2026-11-19 de +221771234567' },
      { amount: 771234567, ref: 'virement 2026-11-19 de ••••••67' },
    ],
    [
      'the name of a file',
      { batchId: uuid, name: 'Paie%20771234567.csv' },
      { batchId: uuid, name: 'Paie ••••••67.csv' },
    ],
    ['any other text', { anything: '771234567', at: null }, { anything: '••••••67', at: null }],
    ['texts in texts', { a: { b: ['771234567', 1] } }, { a: { b: ['••••••67', 1] } }],
    [
      'no id, no address of a person',
      { id: '771234567', keyId: uuid, email: 'awa771234567@x.example', fileHash: '77123456' },
      { id: '771234567', keyId: uuid, email: 'awa771234567@x.example', fileHash: '77123456' },
    ],
  ]
  for (const [name, given, kept] of told)
    it(`keeps no number that somebody wrote into ${name}`, async () => {
      await assert.rejects(
        db.transaction(async (tx) => {
          await recordAudit(tx, { at, actor: 'ops', action: 'said', details: { ...given } })
          const [row] = await tx`select details from audit_log where action = 'said'`
          assert.deepEqual(row, { details: kept })
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
