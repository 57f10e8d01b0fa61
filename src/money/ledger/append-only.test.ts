import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { sqlStateOf } from '#data/db/errors.ts'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { assertSound, bookkeeper } from '#test/ledger.ts'
import { statement } from '#test/statement.ts'
import { makeAnchor } from './anchor.ts'
import { post } from './post.ts'

const { db, connect } = await testDatabase()
const owner = connect({ asOwner: true })
const clock = testClock()
const clientId = await newClient(db, clock, 1000)
const books = bookkeeper(clientId, clock.now())
const postings = ['hold h 100', 'release r h 100'].map(books.write)
await db.transaction((tx) => post(tx, postings, clock.now()))
await makeAnchor({ db, clock })

const isForbidden = (problem: unknown) => sqlStateOf(problem) === '42501'

afterEach(() => assertSound(db))

describe('neither the application nor the owner may', () => {
  const tables = ['ledger_entries', 'ledger_postings', 'ledger_anchors', 'audit_log', 'audit_chain']
  const columns: Record<string, string> = {
    ledger_entries: 'amount = amount + 1',
    ledger_postings: `ref = 'other'`,
    ledger_anchors: 'created_at = now()',
    audit_log: `actor = 'nobody'`,
    audit_chain: 'entry_id = entry_id + 1',
  }
  for (const table of tables)
    for (const change of [
      `update ${table} set ${columns[table]}`,
      `delete from ${table}`,
      `truncate ${table} cascade`,
    ])
      it(change, async () => {
        await assert.rejects(db(statement(change)), isForbidden, 'the application may not')
        const refused = { message: `${table} is append-only` }
        await assert.rejects(owner(statement(change)), refused, 'its owner may not either')
      })
})

describe('the application may not', () => {
  const changes = [
    'drop table ledger_entries',
    'alter table ledger_entries disable trigger user',
    'alter table ledger_entries drop constraint ledger_entries_check',
    'drop trigger append_only on ledger_entries',
    'create or replace function refuse_change() returns trigger language sql as $$ select 1 $$',
    'delete from ledger_accounts',
    'truncate ledger_accounts',
    'delete from clients',
    'delete from api_keys',
    'update schema_migrations set checksum = $$x$$',
    'create table mine (a integer)',
  ]
  for (const change of changes)
    it(change, async () => {
      await assert.rejects(db(statement(change)), isForbidden)
    })
})

describe('constraints of the tables refuse', () => {
  // So even a bug that gets past every check of the program cannot write these.
  const scenarios: [string, string][] = [
    ['a balance below zero', 'update ledger_accounts set balance = -1'],
    ['a third account', `insert into ledger_accounts values (1, 'spare', 0, 0, '', 0, now())`],
    ['an entry of zero', entry(`'fees', 'XOF', 0, null, null, null, null`)],
    ['another currency', entry(`'fees', 'EUR', 1, null, null, null, null`)],
    ['an entry below zero', entry(`'available', 'XOF', -1001, 1000, -1, 4, ''`)],
    [
      'an entry whose balances differ by another amount',
      entry(`'available', 'XOF', 5, 1000, 1004, 4, ''`),
    ],
    [
      "a merchant's entry without a version",
      entry(`'available', 'XOF', 5, null, null, null, null`),
    ],
    ["a merchant's entry without a hash", entry(`'available', 'XOF', 5, 1000, 1005, 4, null`)],
    ['a version that exists', entry(`'available', 'XOF', 5, 1000, 1005, 1, ''`)],
    ['a system entry with a version', entry(`'fees', 'XOF', 5, 0, 5, 1, ''`)],
    [
      'an entry without its posting',
      `insert into ledger_entries values (1, gen_random_uuid(), 0, 'fees', 'XOF', 5)`,
    ],
    [
      'a posting that exists',
      `insert into ledger_postings (client_id, id, kind, ref, created_at, digest)
       select client_id, gen_random_uuid(), kind, ref, now(), '' from ledger_postings`,
    ],
    [
      'the second end of a hold',
      `insert into ledger_postings (client_id, id, kind, ref, resolves, created_at, digest)
       select client_id, gen_random_uuid(), 'capture', 'x', resolves, now(), ''
       from ledger_postings where kind = 'release'`,
    ],
    [
      'the end of a hold that does not exist',
      `insert into ledger_postings (client_id, id, kind, ref, resolves, created_at, digest)
       values (1, gen_random_uuid(), 'release', 'x', gen_random_uuid(), now(), '')`,
    ],
  ]
  for (const [name, change] of scenarios)
    it(name, async () => {
      await assert.rejects(db(statement(change)), (problem) => sqlStateOf(problem).startsWith('23'))
    })
})

function entry(values: string): string {
  return `insert into ledger_entries select client_id, id, 9, ${values} from ledger_postings
    where client_id = ${clientId} and kind = 'fund'`
}
