import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { monotonicMs } from '#base/kit/clock.ts'
import { Problem } from '#base/kit/problem.ts'
import { withClient } from './client.ts'
import { buildIndex, concurrentIndexes } from './concurrent-indexes.ts'

/** One step of the schema: a file `migrations/NNNN_name.sql`. */
export interface Migration {
  version: number
  name: string
  sql: string
  checksum: string
  /** The migration that a program must know to run on the schema of this one; 0: any may. */
  needs: number
}

interface AppliedMigration {
  version: number
  name: string
  checksum: string
  applied_at: Date
  needs: number
}

export interface MigrationStatus {
  applied: AppliedMigration[]
  /** Applied by a newer program, and harmless for this one. */
  newer: AppliedMigration[]
  pending: Migration[]
}

/** Migrations that cannot be applied: a file changed after it ran, or this program is too old. */
export class MigrationProblem extends Problem {
  override name = 'MigrationProblem'
}

// The key of the advisory lock under which one process migrates at a time; any constant would do.
const migrationLock = 7_270_001
const lockRetryMs = 100
const name = 'passerelle-migrate'

/** Reads the migrations of a folder, in order. */
export async function readMigrations(folder: URL): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (name, index) => {
      const version = Number(name.slice(0, 4))
      if (!/^\d{4}_[a-z0-9_]+\.sql$/.test(name) || version !== index + 1)
        throw new MigrationProblem(`${name}: migrations are named 0001_name.sql, without a gap.`)
      const sql = await readFile(new URL(name, folder), 'utf8')
      const checksum = createHash('sha256').update(sql).digest('hex')
      return { version, name, sql, checksum, needs: needsOf(sql) }
    }),
  )
}

/** What `-- needs programs of 0036` says, in a file that takes away what older ones use. */
function needsOf(sql: string): number {
  return Number(/^-- needs programs of (\d{4})\b/m.exec(sql)?.[1] ?? 0)
}

/** The migrations that a database has and lacks; throws if they disagree with the files. */
export function migrationStatus(url: string, migrations: Migration[]): Promise<MigrationStatus> {
  return withClient({ url, name }, (client) => readStatus(client, migrations))
}

/**
 * Applies the pending migrations, one process at a time. Each file runs in its own transaction; a
 * statement that does not get its lock within 5 s fails: while it waits, payments would queue
 * behind it. A file that begins with `-- concurrently` builds indexes while payments go on.
 */
export function migrateUp(
  url: string,
  migrations: Migration[],
  report: (migration: Migration, durationMs: number) => void = () => {},
): Promise<Migration[]> {
  return withClient({ url, name }, async (client) => {
    await lock(client)
    const { pending } = await readStatus(client, migrations)
    for (const migration of pending) {
      const startedMs = monotonicMs()
      await apply(client, migration)
      report(migration, monotonicMs() - startedMs)
    }
    return pending
  })
}

async function readStatus(client: pg.Client, migrations: Migration[]): Promise<MigrationStatus> {
  const { rows } = await client.query(
    `select to_regclass('schema_migrations') is not null as exists`,
  )
  const applied: AppliedMigration[] = rows[0].exists
    ? (await client.query('select * from schema_migrations order by version')).rows
    : []
  const newer = applied.slice(migrations.length)
  const barrier = newer.find(({ needs }) => needs > migrations.length)
  if (barrier !== undefined || (migrations.length === 0 && newer.length > 0))
    throw new MigrationProblem(
      `The database is newer than this program: it has ${(barrier ?? newer[0])?.name}.`,
    )
  const changed = applied.find(
    ({ version, checksum }) => checksum !== (migrations[version - 1]?.checksum ?? checksum),
  )
  if (changed !== undefined)
    throw new MigrationProblem(`${changed.name} was changed after it had been applied.`)
  return { applied, newer, pending: migrations.slice(applied.length) }
}

/**
 * Asks for the lock again and again. A statement that waits for it would have a snapshot, and an
 * index is built concurrently only once all older snapshots are gone: both would wait for ever.
 */
async function lock(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as got', [migrationLock])
    if (rows[0].got === true) return
    await sleep(lockRetryMs)
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    const indexes = concurrentIndexes(migration.sql)
    if (indexes === undefined) return await applyAtOnce(client, migration)
    for (const index of indexes) await buildIndex(client, index)
    await record(client, migration)
  } catch (problem) {
    await client.query('rollback').catch(() => {})
    const message = problem instanceof Error ? problem.message : String(problem)
    throw new MigrationProblem(`${migration.name}: ${message}`, { cause: problem })
  }
}

async function applyAtOnce(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('begin')
  await client.query(`set local lock_timeout = '5s'`)
  await client.query(`create table if not exists schema_migrations (
    version integer primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now(),
    needs integer not null default 0
  )`)
  await client.query(migration.sql)
  await record(client, migration)
  await client.query('commit')
}

async function record(client: pg.Client, migration: Migration): Promise<void> {
  const { version, name: file, checksum, needs } = migration
  await client.query(
    'insert into schema_migrations (version, name, checksum, needs) values ($1, $2, $3, $4)',
    [version, file, checksum, needs],
  )
}
