import pg from 'pg'
import type { Config } from './kit/config.ts'
import type { Db } from './kit/db.ts'
import { openDb } from './kit/db.ts'
import { startEmbeddedPostgres } from './kit/embedded-postgres.ts'
import type { Migration, MigrationStatus } from './kit/migrate.ts'
import { migrateUp, migrationStatus, readMigrations } from './kit/migrate.ts'
import { Problem } from './kit/problem.ts'

const migrationsFolder = new URL('../migrations/', import.meta.url)

/**
 * The PostgreSQL this installation uses: the one named, or an embedded one under the data folder.
 */
export interface Server {
  url: string
  isEmbedded: boolean
  status(): Promise<MigrationStatus>
  migrate(report?: (migration: Migration, durationMs: number) => void): Promise<Migration[]>
  /** A pool with the application's limited rights; the schema must be there. */
  open(): Db
  /** Closes the pools, and the embedded server when nobody else uses it. */
  close(): Promise<void>
}

/** Reaches or starts the database, or says in one sentence why it cannot. */
export async function openServer(config: Config): Promise<Server> {
  const embedded =
    config.databaseUrl === null ? await startEmbeddedPostgres({ dataDir: config.dataDir }) : null
  const url = embedded?.url ?? config.databaseUrl ?? ''
  if (embedded === null) await checkServer(url)
  const migrations = await readMigrations(migrationsFolder)
  const pools: Db[] = []
  return {
    url,
    isEmbedded: embedded !== null,
    status: () => migrationStatus(url, migrations),
    migrate: (report) => migrateUp(url, migrations, report),
    open: () => {
      const db = openDb({ url, role: 'passerelle_app' })
      pools.push(db)
      return db
    },
    close: async () => {
      await Promise.all(pools.map((db) => db.close()))
      await embedded?.stop()
    },
  }
}

async function checkServer(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // A connection that breaks later is noticed by the statement that uses it.
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query('show server_version_num')
    const major = Math.floor(Number(rows[0].server_version_num) / 10_000)
    if (major < 15) throw new Problem(`PostgreSQL ${major} is too old: 15 or newer is needed.`)
  } catch (problem) {
    if (problem instanceof Problem) throw problem
    throw new Problem(`The database of DATABASE_URL cannot be used: ${messageOf(problem)}.`, {
      cause: problem,
    })
  } finally {
    await client.end().catch(() => {})
  }
}

function messageOf(problem: unknown): string {
  if (problem instanceof AggregateError)
    return problem.errors.map((one: Error) => one.message).join('; ')
  return problem instanceof Error ? problem.message : String(problem)
}
