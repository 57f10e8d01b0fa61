import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
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

  // What is kept as it is given, and why it is no payer's number.
  const asGiven = {
    id: 'an id, as what ends with Id is',
    email: 'a person who signs in',
    person: 'a person who signs in',
    proposedBy: 'a person who signs in',
    fileHash: 'a hash',
    number: 'masked by whoever records it',
    pseudonym: 'made of a number that is forgotten',
    fields: 'masked by frame/audited-fields.ts',
  }

  it('keeps no number in what any action tells, by the names that the code has', async () => {
    const actions = new Map<string, Set<string>>()
    for (const file of globSync('src/**/*.ts').filter((one) => !one.endsWith('.test.ts'))) {
      const text = readFileSync(file, 'utf8')
      if (!/\brecordAudit\(|\baudit\.record\(/.test(text)) continue
      const told = [...text.matchAll(/\bdetails(?::| =)[^{;]*\{([^}]*)\}/g)].map(([, one]) => one)
      const names = told.join(' ').match(/[a-z]\w*/gi) ?? []
      const own = [...text.matchAll(/\baction: '([^']+)'/g)].map(([, one = '']) => one)
      for (const action of own.length > 0 ? own : [file])
        actions.set(action, new Set([...(actions.get(action) ?? []), ...names]))
    }
    assert.ok(actions.size > 40, [...actions.keys()].join(' '))
    const clear = new Set<string>()
    const all = [...actions].flatMap(([action, names]) => [...names].map((one) => [action, one]))
    await assert.rejects(
      db.transaction(async (tx) => {
        for (const [action = '', name = ''] of all)
          await recordAudit(tx, { at, actor: 'ops', action, details: { [name]: '771234567' } })
        const rows = await tx<{ name: string }>`
          select distinct jsonb_object_keys(details) as name from audit_log
          where details::text like '%771234567%'`
        for (const { name } of rows) clear.add(name)
        throw new Error('undone')
      }),
      /undone/,
    )
    const given = [...clear].filter((name) => !/^\w+Id$/.test(name))
    assert.deepEqual(given.toSorted(), Object.keys(asGiven).toSorted())
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
