import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { brokenRules } from '#test/migration-rules.ts'
import { readMigrations } from './migrate.ts'
import { migrationsFolder } from './server.ts'

const migrations = await readMigrations(migrationsFolder)

describe('a migration', () => {
  for (const migration of migrations) {
    const { name, version, needs } = migration
    it(`lets running processes go on: ${name}`, () => assert.deepEqual(brokenRules(migration), []))
    it(`needs programs that there are: ${name}`, () => assert.ok(needs < version))
  }

  const refused = [
    'alter table transactions drop column reason',
    'alter table transactions rename column reason to why',
    'drop table mails',
    'drop function refuse_change()',
    'revoke update on transactions from passerelle_app',
    'alter table transactions alter column reason set not null',
    'alter table transactions add column kind text not null',
    'alter table transactions alter column amount type bigint',
    'alter table transactions add column token uuid not null default gen_random_uuid()',
    'alter table transactions add constraint small check (amount < 9)',
    'alter table transactions add constraint named check (reason is not null) not valid',
    'alter table links add constraint whose foreign key (client_id) references clients (id)',
    'alter table transactions add unique (reference)',
    'create index on transactions (reference)',
    'create unique index one on transactions (reference)',
    'drop index transactions_client_id_phone_idx',
    'update transactions set reason = 1',
    'delete from mails',
    'alter table events disable trigger append_only',
    'grant usage on schema public to passerelle_app',
    'grant select on public.mails to passerelle_app',
  ]
  for (const sql of refused)
    it(`is refused: ${sql}`, () => {
      assert.equal(brokenRules({ sql: `-- why\n${sql};`, needs: 0 }).length, 1)
      // In the file that creates the table nobody uses it yet.
      const [, table = 'none'] = /(?:table|on|update|from) (\w+)/.exec(sql) ?? []
      if (/^(alter|create|update|delete)/.test(sql))
        assert.deepEqual(
          brokenRules({ sql: `create table ${table} (a int);\n${sql};`, needs: 0 }),
          [],
        )
    })

  const allowed = [
    'alter table transactions add column kind text',
    "alter table transactions add column kind text not null default 'none'",
    'alter table transactions add constraint small check (amount < 9) not valid',
    'alter table transactions validate constraint small',
    'create index concurrently one on transactions (reference)',
    'drop index concurrently one',
    'create function f() returns trigger as $$ begin update transactions set a = 1; end $$',
    'grant select on mails to passerelle_app',
    'drop trigger append_only on events',
  ]
  for (const sql of allowed)
    it(`is allowed: ${sql}`, () => assert.deepEqual(brokenRules({ sql: `${sql};`, needs: 0 }), []))

  it('may take away what programs have stopped using, if it says which', () => {
    const sql = 'alter table transactions drop column reason'
    assert.deepEqual(brokenRules({ sql, needs: 40 }), [])
    const locking = 'create index on transactions (reference)'
    assert.equal(brokenRules({ sql: locking, needs: 40 }).length, 1)
  })
})
