import type { Config } from '#base/config/config.ts'
import { Problem } from '#base/kit/problem.ts'
import type { Log } from '#base/log/log.ts'
import { hasCluster } from '#data/postgres/data-folder.ts'
import { startEmbeddedPostgres } from '#data/postgres/embedded.ts'
import { withClient } from './client.ts'
import { type Db, openDb, type PlanMode } from './db.ts'
import { sqlStateOf } from './errors.ts'
import {
  type Migration,
  type MigrationStatus,
  migrateUp,
  migrationStatus,
  readMigrations,
} from './migrate.ts'
import { readRights } from './rights-store.ts'

/** The folder of the schema's migrations. */
export const migrationsFolder = new URL('../../../migrations/', import.meta.url)
export const applicationRole = 'passerelle_app'

/** This installation's PostgreSQL: that of DATABASE_URL, or an embedded one in the data folder. */
export interface DatabaseServer {
  url: string
  isEmbedded: boolean
  status(): Promise<MigrationStatus>
  migrate(report?: (migration: Migration, durationMs: number) => void): Promise<Migration[]>
  /** Opens a pool with the application's limited rights; the schema must exist. */
  open(planMode?: PlanMode): Promise<Db>
  /** Closes the pools, and stops the embedded server unless another process uses it. */
  close(): Promise<void>
}

/** Whether there is a database to work on, which a start of the embedded one would make. */
export async function isDatabaseMade({ databaseUrl, dataDir }: Config): Promise<boolean> {
  return databaseUrl !== null || (await hasCluster(dataDir))
}

/**
 * Connects to the database, or starts the embedded one; throws a `Problem` if it cannot. With a
 * log, as a gateway has one and a command does not, an embedded one that dies is started again.
 */
export async function openDatabaseServer(config: Config, log?: Log): Promise<DatabaseServer> {
  const migrations = await readMigrations(migrationsFolder)
  const external = config.databaseUrl
  if (external !== null) await checkServer(external)
  const { dataDir } = config
  const restartLog = log === undefined ? {} : { restartLog: log }
  const embedded =
    external === null ? await startEmbeddedPostgres({ dataDir, ...restartLog }) : null
  const url = external ?? embedded?.url ?? ''
  const pools: Db[] = []
  return {
    url,
    isEmbedded: embedded !== null,
    status: () =>
      migrationStatus(url, migrations).catch((problem: Error) => explainRights(url, problem)),
    migrate: (report) =>
      migrateUp(url, migrations, report).catch((problem: Error) => explainRights(url, problem)),
    open: async (planMode) => {
      const db = openPool(url, planMode)
      pools.push(db)
      const rights = await readRights(db).catch((problem: Error) => explainRights(url, problem))
      if (rights.length > 0)
        throw new Problem(
          `The role ${applicationRole} may ${rights.join(', ')}: revoke it, since nothing may.`,
        )
      return db
    },
    close: async () => {
      await Promise.all(pools.map((db) => db.close()))
      await embedded?.stop()
    },
  }
}

/** Opens a pool with the application's limited rights, without a check that the server is ready. */
export function openPool(url: string, planMode: PlanMode = 'generic'): Db {
  return openDb({ url, role: applicationRole, planMode })
}

async function checkServer(url: string): Promise<void> {
  try {
    const version = await withClient({ url }, async (client) => {
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

/** Throws the problem; for a missing right, one that says what an administrator must do. */
async function explainRights(url: string, problem: Error): Promise<never> {
  // Insufficient privilege, and a role that does not exist.
  if (!['42501', '22023'].includes(sqlStateOf(problem.cause ?? problem))) throw problem
  const login = await withClient({ url }, async (client) => {
    const { rows } = await client.query('select quote_ident(current_user) as login')
    return String(rows[0].login)
  })
  const remedy = (await canActAsApplication(url))
    ? `The login ${login} of DATABASE_URL must own the schema: ${problem.message}.`
    : `The login ${login} of DATABASE_URL may not act as ${applicationRole}: ` +
      `let an administrator run once ` +
      `"create role ${applicationRole} nologin; grant ${applicationRole} to ${login};".`
  throw new Problem(remedy, { cause: problem })
}

function canActAsApplication(url: string): Promise<boolean> {
  return withClient({ url }, (client) => client.query(`set role ${applicationRole}`)).then(
    () => true,
    () => false,
  )
}

function messageOf(problem: unknown): string {
  if (problem instanceof AggregateError)
    return problem.errors.map((one: Error) => one.message).join('; ')
  return problem instanceof Error ? problem.message : String(problem)
}
