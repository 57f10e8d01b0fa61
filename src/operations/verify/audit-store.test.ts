import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { afterEach, describe, it } from 'node:test'
import { closeAuditChain, countUnlinked, readAuditHead } from '#data/db/audit-chain.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import { actingFrom } from '#data/db/audit-origin.ts'
import type { Db } from '#data/db/db.ts'
import { makeAnchor } from '#money/ledger/anchor.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { statement } from '#test/statement.ts'
import { findAuditBreaks } from './audit-store.ts'
import { verifyAll } from './verify.ts'

const clock = testClock()

function record(db: Db, action: string, details: Record<string, unknown> = {}): Promise<void> {
  const entry = { at: clock.now(), actor: 'ops', action, clientId: 7, details }
  return db.transaction((tx) => recordAudit(tx, entry))
}

async function breaksOf(db: Db): Promise<string[]> {
  return (await findAuditBreaks(db)).map(({ where, what }) => `${where}: ${what}`)
}

/** A log of six records, of which five are in the chain; and its owner, whom no trigger stops. */
async function newLog() {
  const { db, connect } = await testDatabase()
  const owner = connect({ asOwner: true })
  for (const action of ['one', 'two', 'three', 'four', 'five'])
    await record(db, action, { b: 1, a: 'x' })
  assert.equal(await closeAuditChain(db), 5)
  await record(db, 'six')
  for (const table of ['audit_log', 'audit_chain'])
    await owner(statement(`alter table ${table} disable trigger user`))
  return { db, owner }
}

const tables = ['audit_log', 'audit_chain', 'audit_queue', 'audit_head']

describe('a change of the audit log by SQL is found:', async () => {
  const { db, owner } = await newLog()
  for (const table of tables)
    await owner(statement(`create table saved_${table} as table ${table}`))
  afterEach(async () => {
    for (const table of tables) {
      await owner(statement(`delete from ${table}`))
      const values = `overriding system value table saved_${table}`
      await owner(statement(`insert into ${table} ${values}`))
    }
  })

  // The name, the statements, and a break that must be among those reported.
  const planted: [string, string[], RegExp][] = [
    ['none', [], /^$/],
    [
      'who did it is altered',
      [`update audit_log set actor = 'nobody' where id = 2`],
      /^record 2: its content differs/,
    ],
    [
      'from where is altered',
      [`update audit_log set address = '10.0.0.1' where id = 2`],
      /^record 2: its content differs/,
    ],
    [
      'details are altered with their digest',
      [
        `update audit_log set details = '{}', digest = sha256(convert_to(jsonb_build_array(
          to_char(timezone('UTC', at), 'YYYY-MM-DD"T"HH24:MI:SS.US'), actor, address, action,
          client_id, '{}'::jsonb)::text, 'UTF8')) where id = 2`,
      ],
      /^link 2 of the chain: its hash does not follow/,
    ],
    ['one is deleted', ['delete from audit_log where id = 3'], /^link 3 .*: record 3 is gone/m],
    [
      'one is deleted with its link',
      ['delete from audit_log where id = 3', 'delete from audit_chain where number = 3'],
      /^link 4 of the chain: follows 2/m,
    ],
    [
      'the last is deleted with its link',
      ['delete from audit_log where id = 5', 'delete from audit_chain where number = 5'],
      /^the chain: ends at 4, its head says 5/m,
    ],
    [
      'one that waits is deleted',
      ['delete from audit_log where id = 6'],
      /^record 6: is gone, and was not linked yet/,
    ],
    [
      'two are exchanged',
      [
        `update audit_chain set entry_id = 99 where number = 2`,
        `update audit_chain set entry_id = 2 where number = 3`,
        `update audit_chain set entry_id = 3 where number = 2`,
      ],
      /^link 2 of the chain: its hash does not follow/m,
    ],
    [
      'one is inserted',
      [
        `insert into audit_log (at, actor, action, digest)
         select at, actor, action, digest from audit_log where id = 1`,
      ],
      /^record \d+: is in no chain/m,
    ],
    [
      'one is inserted and waits to be linked as if it were ours',
      [
        `with e as (insert into audit_log (at, actor, action, digest)
           values (now(), 'ops', 'seven', '') returning id)
         insert into audit_queue select id from e`,
      ],
      /^record \d+: its content differs/,
    ],
    [
      'one is inserted into the chain',
      [
        `insert into audit_log (id, at, actor, action, digest) overriding system value
         select 100, at, actor, action, digest from audit_log where id = 1`,
        `insert into audit_chain select 6, 100, hash from audit_chain where number = 5`,
      ],
      /^link 6 of the chain: its hash does not follow[^]*its head says 5/m,
    ],
    ['the head is lost', ['delete from audit_head'], /^the chain: ends at 5, its head says/],
  ]
  for (const [name, statements, found] of planted)
    it(name, async () => {
      for (const change of statements) await owner(statement(change))
      assert.match((await breaksOf(db)).join('\n'), found)
    })

  it('by verify, too', async () => {
    assert.deepEqual((await verifyAll(db, [], () => {})).breaks, [])
    await owner`update audit_log set action = 'nothing' where id = 3`
    const { breaks } = await verifyAll(db, [], () => {})
    assert.deepEqual(breaks, [
      {
        promise: 'audit',
        clientId: null,
        where: 'record 3',
        what: 'its content differs from its digest',
      },
    ])
  })
})

describe('the chain of the audit log', () => {
  it('is made by several processes at once, and has every record once', async () => {
    const { db, connect } = await testDatabase()
    const processes = [db, connect(), connect()]
    await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const own = processes[index % 3] ?? db
        await record(own, `action ${index}`)
        await closeAuditChain(own)
      }),
    )
    await closeAuditChain(db)
    assert.deepEqual([(await readAuditHead(db)).number, await countUnlinked(db)], [60, 0])
    assert.deepEqual(await breaksOf(db), [])
  })

  it('is not waited for by those who record something', async () => {
    const { db, connect } = await testDatabase()
    const other = connect()
    await record(db, 'first')
    await db.transaction(async (tx) => {
      await tx`select from audit_head for update`
      await record(other, 'second')
      assert.equal(await closeAuditChain(other), 0, 'another process is at it')
    })
    assert.equal(await closeAuditChain(other), 2)
    assert.deepEqual(await breaksOf(db), [])
  })

  it('has the format that it has always had', async () => {
    const { db } = await testDatabase()
    await actingFrom('192.0.2.1', () => record(db, 'key.revoke', { zone: 'é', a: [1, null] }))
    await closeAuditChain(db)
    const content = `["2026-01-15T10:00:00.000000", "ops", "192.0.2.1", "key.revoke", 7, ${
      // jsonb orders keys by length.
      '{"a": [1, null], "zone": "é"}'
    }]`
    const digest = createHash('sha256').update(content).digest()
    const numbers = Buffer.alloc(16)
    numbers.writeBigInt64BE(1n, 0)
    numbers.writeBigInt64BE(1n, 8)
    const link = createHash('sha256').update(Buffer.concat([Buffer.alloc(32), numbers, digest]))
    assert.deepEqual(await readAuditHead(db), { number: 1, hash: link.digest('hex') })
  })

  it('is anchored, so that a chain that was rewritten as a whole is found', async () => {
    const { db, owner } = await newLog()
    const anchor = await makeAnchor({ db, clock })
    const { hash } = await readAuditHead(db)
    assert.deepEqual(anchor?.heads, [[0, 'audit', 5, hash]])
    assert.equal(await makeAnchor({ db, clock }), undefined, 'nothing has happened since')
    await closeAuditChain(db)
    assert.equal((await makeAnchor({ db, clock }))?.number, 2)
    assert.deepEqual((await verifyAll(db, [], () => {})).breaks, [])
    await owner`update audit_head set number = 0, hash = decode(repeat('00', 32), 'hex')`
    await owner`delete from audit_chain`
    await owner`delete from audit_log where id = 1`
    await owner`insert into audit_queue select id from audit_log`
    await closeAuditChain(db)
    assert.deepEqual(await breaksOf(db), [])
    const { breaks } = await verifyAll(db, [], () => {})
    assert.deepEqual(
      breaks.map(({ where, what }) => `${where}: ${what}`),
      [
        'anchor 1: record 5 of the audit log is not what it was',
        'anchor 2: record 6 of the audit log is not what it was',
      ],
    )
  })
})
