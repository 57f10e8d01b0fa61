import pg from 'pg'
import type { Config } from '../config/config.ts'
import { Problem } from '../kit/problem.ts'
import { startEmbeddedPostgres } from '../postgres/embedded.ts'
import type { Db, Plans } from './db.ts'
import { codeOf, openDb } from './db.ts'
import type { Migration, MigrationStatus } from './migrate.ts'
import { migrateUp, migrationStatus, readMigrations } from './migrate.ts'

/** Where the schema's steps are. */
export const migrationsFolder = new URL('../../migrations/', import.meta.url)
const role = 'passerelle_app'

/**
 * The PostgreSQL this installation uses: the one named, or an embedded one under the data folder.
 */
export interface Server {
  url: string
  isEmbedded: boolean
  status(): Promise<MigrationStatus>
  migrate(report?: (migration: Migration, durationMs: number) => void): Promise<Migration[]>
  /** A pool with the application's limited rights; the schema must be there. */
  open(plans?: Plans): Promise<Db>
  /** Closes the pools, and the embedded server when nobody else uses it. */
  close(): Promise<void>
}

/** Reaches or starts the database, or says in one sentence why it cannot. */
export async function openServer(config: Config): Promise<Server> {
  const migrations = await readMigrations(migrationsFolder)
  const named = config.databaseUrl === null ? null : spellOut(config.databaseUrl)
  if (named !== null) await checkServer(named)
  const embedded = named === null ? await startEmbeddedPostgres({ dataDir: config.dataDir }) : null
  const url = named ?? embedded?.url ?? ''
  const pools: Db[] = []
  return {
    url,
    isEmbedded: embedded !== null,
    status: () =>
      migrationStatus(url, migrations).catch((problem: Error) => explainRights(url, problem)),
    migrate: (report) =>
      migrateUp(url, migrations, report).catch((problem: Error) => explainRights(url, problem)),
    open: async (plans) => {
      const db = openPool(url, plans)
      pools.push(db)
      await db.ping().catch((problem: Error) => explainRights(url, problem))
      return db
    },
    close: async () => {
      await Promise.all(pools.map((db) => db.close()))
      await embedded?.stop()
    },
  }
}

/** A pool with the application's limited rights on a database that is known to be ready. */
export function openPool(url: string, plans: Plans = 'once'): Db {
  return openDb({ url, role, plans })
}

/** `pg` takes these for verify-full too, but only after a page of warnings about its future. */
function spellOut(url: string): string {
  if (url.includes('uselibpqcompat=true')) return url
  return url.replace(/([?&]sslmode=)(prefer|require|verify-ca)(?=&|$)/, '$1verify-full')
}

async function checkServer(url: string): Promise<void> {
  try {
    const version = await withClient(url, async (client) => {
      const { rows } = await client.query('show server_version_num')
      return Math.floor(Number(rows[0].server_version_num) / 10_000)
    })
    if (version < 15) throw new Problem(`PostgreSQL ${version} is too old: 15 or newer is needed.`)
  } catch (problem) {
    if (problem instanceof Problem) throw problem
    throw new Problem(`The database of DATABASE_URL cannot be used: ${messageOf(problem)}.`, {
      cause: problem,
    })
  }
}

/** Throws what is wrong; a login that lacks a right learns what an administrator must do. */
async function explainRights(url: string, problem: Error): Promise<never> {
  // Not allowed, and no such role.
  if (!['42501', '22023'].includes(codeOf(problem.cause ?? problem))) throw problem
  const login = await withClient(url, async (client) => {
    const { rows } = await client.query('select quote_ident(current_user) as login')
    return String(rows[0].login)
  })
  const remedy = (await canActAsApplication(url))
    ? `The login ${login} of DATABASE_URL must own the schema: ${problem.message}.`
    : `The login ${login} of DATABASE_URL may not act as ${role}: let an administrator run once ` +
      `"create role ${role} nologin; grant ${role} to ${login};".`
  throw new Problem(remedy, { cause: problem })
}

function canActAsApplication(url: string): Promise<boolean> {
  return withClient(url, (client) => client.query(`set role ${role}`)).then(
    () => true,
    () => false,
  )
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // A connection that breaks later is noticed by the statement that uses it.
  client.on('error', () => {})
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.end().catch(() => {})
  }
}

function messageOf(problem: unknown): string {
  if (problem instanceof AggregateError)
    return problem.errors.map((one: Error) => one.message).join('; ')
  return problem instanceof Error ? problem.message : String(problem)
}
