import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { emptyDatabase } from '#test/database.ts'
import { eventually } from '#test/wait.ts'
import {
  type Migration,
  MigrationProblem,
  migrateUp,
  migrationStatus,
  readMigrations,
} from './migrate.ts'
import { migrationsFolder } from './server.ts'

const first = migration(1, 'create table one (a integer)')
const second = migration(2, 'create table two (a integer); insert into one values (1)')

describe('migrateUp', { concurrency: true }, () => {
  it('applies pending migrations in order, reports each, and applies none twice', async () => {
    const url = await emptyDatabase()
    const reported: string[] = []
    const report = ({ name }: Migration) => void reported.push(name)
    assert.deepEqual(await migrateUp(url, [first, second], report), [first, second])
    assert.deepEqual(reported, ['0001_step.sql', '0002_step.sql'])
    assert.deepEqual(await migrateUp(url, [first, second], report), [])
    assert.deepEqual(await ask(url, 'select a from one'), [{ a: 1 }])
    assert.equal(reported.length, 2)
  })

  it('applies only the files that an older version did not have', async () => {
    const url = await emptyDatabase()
    await migrateUp(url, [first])
    assert.deepEqual(await migrateUp(url, [first, second]), [second])
  })

  it('applies each migration once when several processes start together', async () => {
    const url = await emptyDatabase()
    const slow = migration(2, 'select pg_sleep(0.1); create table two (a integer)')
    const all = await Promise.all([1, 2, 3, 4].map(() => migrateUp(url, [first, slow])))
    assert.deepEqual(all.flat(), [first, slow])
  })

  it('rolls a failed migration back, and keeps those before it', async () => {
    const url = await emptyDatabase()
    const broken = migration(2, 'create table two (a integer); insert into nowhere values (1)')
    await assert.rejects(migrateUp(url, [first, broken]), {
      name: 'MigrationProblem',
      message: '0002_step.sql: relation "nowhere" does not exist',
    })
    assert.deepEqual(await ask(url, `select to_regclass('two') as two`), [{ two: null }])
    assert.deepEqual(await ask(url, 'select version from schema_migrations'), [{ version: 1 }])
    assert.deepEqual(await migrateUp(url, [first, second]), [second])
  })

  it('fails when the connection breaks, and can run again', async () => {
    const url = await emptyDatabase()
    const cut = migration(1, 'create table one (); select pg_terminate_backend(pg_backend_pid())')
    await assert.rejects(migrateUp(url, [cut]), {
      name: 'MigrationProblem',
      message: /0001_step.sql: terminating connection/,
    })
    assert.deepEqual(await migrateUp(url, [first]), [first])
  })

  it('fails when it does not get a lock within 5 s, so that nothing queues behind it', async () => {
    const url = await emptyDatabase()
    await migrateUp(url, [first])
    const busy = new pg.Client({ connectionString: url })
    await busy.connect()
    await busy.query('begin; lock table one in access share mode')
    const blocked = migration(2, 'alter table one add b integer')
    const patience = setTimeout(() => void busy.query('commit'), 60_000)
    await assert.rejects(migrateUp(url, [first, blocked]), /0002_step.sql: .*lock timeout/)
    clearTimeout(patience)
    await busy.query('commit')
    await busy.end()
    assert.deepEqual(await migrateUp(url, [first, blocked]), [blocked])
  })
})

describe('a migration that begins with -- concurrently', { concurrency: true }, () => {
  const sql = '-- concurrently: for lists\ncreate index concurrently one_a_idx on one (a);\n'
  const indexed = migration(2, sql)
  const validity = `
    select indisvalid as valid from pg_index where indexrelid = 'one_a_idx'::regclass`

  it('lets others write while it builds its index', async () => {
    const url = await emptyDatabase()
    await migrateUp(url, [first])
    await using old = await session(url)
    await using writer = await session(url)
    // An index that is not built concurrently waits for this transaction, and all writers for it.
    await old.query('begin; insert into one values (1)')
    const built = migrateUp(url, [first, indexed])
    await eventually('the build waits for older transactions', async () => {
      const waiting = `select from pg_stat_activity where datname = current_database()
        and query like 'create index%' and wait_event_type = 'Lock'`
      return (await ask(url, waiting)).length === 1
    })
    await writer.query(`set lock_timeout = '2s'; insert into one values (2)`)
    await old.query('commit')
    assert.deepEqual(await built, [indexed])
    assert.deepEqual(await ask(url, validity), [{ valid: true }])
  })

  it('is applied once when several processes start together', async () => {
    const url = await emptyDatabase()
    await migrateUp(url, [first])
    const all = await Promise.all([1, 2, 3, 4].map(() => migrateUp(url, [first, indexed])))
    assert.deepEqual(all.flat(), [indexed])
  })

  it('builds an index anew that an interrupted build left, and keeps a valid one', async () => {
    const url = await emptyDatabase()
    await migrateUp(url, [first])
    await ask(url, 'insert into one values (1), (1)')
    const unique = 'create unique index concurrently one_a_idx on one (a)'
    const never = migration(2, `-- concurrently\n${unique}`)
    const failing = migrateUp(url, [first, never])
    await assert.rejects(failing, /0002_step.sql: could not create unique index/)
    assert.deepEqual(await ask(url, validity), [{ valid: false }])
    assert.deepEqual(await migrateUp(url, [first, indexed]), [indexed])
    assert.deepEqual(await ask(url, validity), [{ valid: true }])
    await ask(url, 'delete from schema_migrations where version = 2')
    assert.deepEqual(await migrateUp(url, [first, indexed]), [indexed])
    const gone = migration(3, '-- concurrently\ndrop index concurrently if exists one_a_idx;')
    assert.deepEqual(await migrateUp(url, [first, indexed, gone]), [gone])
    assert.deepEqual(await ask(url, `select to_regclass('one_a_idx') as i`), [{ i: null }])
  })

  it('has nothing else in it', async () => {
    const url = await emptyDatabase()
    await migrateUp(url, [first])
    for (const other of ['insert into one values (1)', 'create index concurrently on one (a)'])
      await assert.rejects(
        migrateUp(url, [first, migration(2, `-- concurrently\n${other};`)]),
        /0002_step.sql: not an index to build or to drop/,
      )
    assert.deepEqual(await ask(url, 'select from one'), [])
  })
})

test('migrationStatus lists applied and pending migrations, and changes nothing', async () => {
  const url = await emptyDatabase()
  assert.deepEqual(await migrationStatus(url, [first]), {
    applied: [],
    newer: [],
    pending: [first],
  })
  await migrateUp(url, [first])
  const { applied, pending } = await migrationStatus(url, [first, second])
  assert.deepEqual(pending, [second])
  assert.deepEqual(
    applied.map(({ name, checksum }) => ({ name, checksum })),
    [{ name: first.name, checksum: first.checksum }],
  )
  assert.deepEqual(await ask(url, `select to_regclass('two') as two`), [{ two: null }])
})

describe('a database that disagrees with the files', () => {
  const changed = migration(1, 'create table one (a bigint)')
  const scenarios: [string, Migration[], RegExp][] = [
    ['a file changed after it ran', [changed, second], /0001_step.sql was changed after/],
    ['a program without migrations', [], /newer than this program: it has 0001_step.sql/],
  ]
  for (const [name, migrations, message] of scenarios)
    it(`is refused: ${name}`, async () => {
      const url = await emptyDatabase()
      await migrateUp(url, [first, second])
      const expected = { name: 'MigrationProblem', message }
      await assert.rejects(migrationStatus(url, migrations), expected)
      await assert.rejects(migrateUp(url, [...migrations]), expected)
    })
})

describe('a database that a newer program has migrated', () => {
  const added = migration(3, 'alter table one add b integer')
  const taken = migration(4, 'alter table one drop b', 3)

  it('is used by one whose statements still work, and changed by none', async () => {
    const url = await emptyDatabase()
    await migrateUp(url, [first, second, added])
    for (const older of [[first], [first, second]]) {
      assert.deepEqual(await migrateUp(url, older), [])
      const { newer, pending } = await migrationStatus(url, older)
      assert.deepEqual([newer.length, pending], [3 - older.length, []])
    }
  })

  it('is refused by one that uses what was taken away since', async () => {
    const url = await emptyDatabase()
    await migrateUp(url, [first, second, added, taken])
    assert.deepEqual(await migrateUp(url, [first, second, added]), [])
    const expected = { message: /newer than this program: it has 0004_step.sql/ }
    await assert.rejects(migrateUp(url, [first, second]), expected)
    await assert.rejects(migrationStatus(url, [first]), expected)
  })
})

describe('readMigrations', () => {
  const scenarios: [string, string[], string[] | 'refused'][] = [
    ['reads files in order', ['0002_b.sql', '0001_a.sql'], ['0001_a.sql', '0002_b.sql']],
    ['ignores other files', ['0001_a.sql', 'README.md'], ['0001_a.sql']],
    ['allows an empty folder', [], []],
    ['refuses a gap', ['0001_a.sql', '0003_b.sql'], 'refused'],
    ['refuses a number used twice', ['0001_a.sql', '0001_b.sql'], 'refused'],
    ['refuses to begin at zero', ['0000_a.sql'], 'refused'],
    ['refuses short numbers', ['1_a.sql'], 'refused'],
    ['refuses capitals', ['0001_A.sql'], 'refused'],
    ['refuses a name without words', ['0001.sql'], 'refused'],
  ]
  for (const [name, files, expected] of scenarios)
    it(name, async (t) => {
      const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
      t.after(() => rm(folder, { recursive: true }))
      for (const file of files) await writeFile(join(folder, file), `-- ${file}`)
      const reading = readMigrations(pathToFileURL(`${folder}/`))
      if (expected === 'refused') return assert.rejects(reading, MigrationProblem)
      const read = await reading
      assert.deepEqual(
        read.map((one) => one.name),
        expected,
      )
      for (const { name: file, sql, checksum } of read)
        assert.deepEqual([sql, checksum], [`-- ${file}`, sha256(`-- ${file}`)])
    })
})

test('a file may say which programs its schema needs', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'migrations-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, '0001_a.sql'), '-- why')
  await writeFile(join(folder, '0002_b.sql'), '-- why\n-- needs programs of 0001\n')
  const read = await readMigrations(pathToFileURL(`${folder}/`))
  assert.deepEqual(
    read.map(({ needs }) => needs),
    [0, 1],
  )
})

test('our own migrations apply to an empty database', async () => {
  const url = await emptyDatabase()
  const migrations = await readMigrations(migrationsFolder)
  assert.ok(migrations.length > 0)
  assert.deepEqual(await migrateUp(url, migrations), migrations)
})

function migration(version: number, sql: string, needs = 0): Migration {
  return { version, name: `000${version}_step.sql`, sql, checksum: sha256(sql), needs }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

async function session(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const query = (text: string) => client.query(text)
  return { query, [Symbol.asyncDispose]: () => client.end() }
}

async function ask(url: string, statement: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
