import { callbackify } from 'node:util'
import pg from 'pg'
import type { Clock } from '#base/kit/clock.ts'
import { Problem } from '#base/kit/problem.ts'
import { Pool } from './pool.ts'
import { Fragment, type Run, runStatement } from './statement.ts'
import { againAfterConflict, runTransaction, type Tx } from './transaction.ts'
import { watchServer } from './watch-server.ts'

export type { Tx } from './transaction.ts'

declare const database: unique symbol

/**
 * A pool of connections. Each statement commits on its own, and is sent again after a deadlock;
 * atomic work needs a `Tx`.
 */
export interface Db extends Run {
  readonly [database]: true
  /** Commits what `work` did, or none of it. Runs `work` again after a deadlock. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** The same for items of these clients, who may be several; gives up early at a lock. */
  groupTransaction<T>(clientIds: number[], work: (tx: Tx) => Promise<T>): Promise<T>
  /** Runs `work` on one connection and then closes it: session locks and settings end with it. */
  session<T>(work: (run: Run) => Promise<T>): Promise<T>
  /** Rejects, within three seconds, when the server cannot be reached or cannot write. */
  ping(): Promise<void>
  /** What another thread needs to open a pool of its own on the same database. */
  readonly access: Access
  /** How many connections are open, idle and waited for. */
  load(): { open: number; idle: number; waiting: number }
  close(): Promise<void>
}

/**
 * How statements are planned. `generic`: once for each connection, always by an index, as payments
 * need. `custom`: for each execution and its values, as reports over whole tables need.
 */
export type PlanMode = 'generic' | 'custom'

/** Where a database is, and as whom it is used. */
export interface Access {
  url: string
  /** The role that every connection takes: the application's has fewer rights than the owner's. */
  role?: string
}

/** What a verb needs that opens a database transaction and writes down when. */
export interface DbParts {
  db: Db
  clock: Clock
}

interface DbOptions extends Access {
  connectionsMax?: number
  planMode?: PlanMode
  /** The application_name in pg_stat_activity. */
  name?: string
  /** How long a statement waits for a connection. */
  connectWithinMs?: number
}

const identifiers = new Map<string, Fragment>()

/** Writes one of our own table or column names into a statement. */
export function identifier(name: string): Fragment {
  const known = identifiers.get(name)
  if (known !== undefined) return known
  if (!/^[a-z_]+$/.test(name)) throw new Error(`not an identifier: ${name}`)
  const created = new Fragment(name)
  identifiers.set(name, created)
  return created
}

/** A piece of our own SQL that several statements share. */
export function fragment(text: TemplateStringsArray): Fragment {
  return new Fragment(text.join(''))
}

/** A select list that renames each column to its name in the code: client_id as "clientId". */
export function columns(names: string[]): Fragment {
  return new Fragment(
    names
      .map((name) => identifier(name).text)
      .map(
        (name) => `${name} as "${name.replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase())}"`,
      )
      .join(', '),
  )
}

/** The column of a field: client_id of clientId. */
export function columnNameOf(field: string): string {
  return field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** A parameter for a `jsonb` column. */
export function json(value: unknown): string {
  return JSON.stringify(value)
}

// 20 is int8, for francs and versions: read as numbers, and an error beyond 2^53.
const types = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === 20 ? parseInt8 : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

/** Opens a pool; it connects with the first statement. */
export function openDb(options: DbOptions): Db {
  const config = {
    connectionString: options.url,
    application_name: options.name ?? 'passerelle',
    max: options.connectionsMax ?? 20,
    connectionTimeoutMillis: options.connectWithinMs ?? 10_000,
    idleTimeoutMillis: 60_000,
    types,
    // Sends a statement without waiting for the result of the one before; the order is kept.
    pipeline: true,
    options: sessionSettings(options.role, options.planMode ?? 'generic'),
  }
  const pool = new Pool({ ...config, verify: roleCheck(options.role) })
  // As the login itself, which may see what its own sessions wait for.
  const questions = { ...config, options: sessionSettings(undefined, 'generic') }
  const watch = watchServer(pool, questions)
  const connect = async () => {
    watch.check()
    return pool.connect()
  }
  const begin = () => (watch.isUnconfirmed() ? 'begin read only' : 'begin')
  const run: Run = async (strings, ...values) => {
    watch.check()
    if (!watch.isUnconfirmed()) return againAfterConflict(() => runStatement(pool, strings, values))
    return runTransaction({ connect, begin }, (tx) => tx(strings, ...values))
  }
  return Object.assign(run, {
    transaction: <T>(work: (tx: Tx) => Promise<T>) => runTransaction({ connect, begin }, work),
    groupTransaction: <T>(clientIds: number[], work: (tx: Tx) => Promise<T>) =>
      runTransaction({ connect, begin: () => `${begin()}; ${waitsOf(clientIds)}` }, work),
    session: async <T>(work: (run: Run) => Promise<T>) => {
      const client = await connect()
      try {
        return await work((strings, ...values) => runStatement(client, strings, values))
      } finally {
        client.release(true)
      }
    },
    ping: watch.ping,
    access: { url: options.url, ...(options.role === undefined ? {} : { role: options.role }) },
    load: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: async () => {
      await pool.end()
      await Promise.all([pool.sessionsEnd(), watch.close()])
    },
  }) as Db
}

// A payment's statement never reads a whole table, however small the table is and whatever the
// statistics say (docs/decisions/0022).
const genericPlanSettings = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  // The periodic check of the ledger's last minutes must not occupy every core.
  max_parallel_workers_per_gather: '0',
}

// One client's items wait for a lock as long as no group holds its own, also on a busy machine:
// whoever holds one longer has stopped (see batch.ts). Those of several clients hold the locks of
// all while they wait for one, so that they give up before anybody who waits for them does: each
// client's items are then tried by themselves.
const ownLockTimeout = "set local lock_timeout = '1s'"
const sharedLockTimeout = "set local lock_timeout = '150ms'"

function waitsOf(clientIds: number[]): string {
  return new Set(clientIds).size > 1 ? sharedLockTimeout : ownLockTimeout
}

function sessionSettings(role: string | undefined, planMode: PlanMode): string {
  const settings = {
    timezone: 'UTC',
    jit: 'off',
    ...(planMode === 'generic' ? genericPlanSettings : { plan_cache_mode: 'force_custom_plan' }),
    statement_timeout: '60s',
    lock_timeout: '15s',
    // A process that is frozen keeps its locks for no longer; none waits for anybody inside of a
    // transaction.
    idle_in_transaction_session_timeout: '5s',
    ...(role === undefined ? {} : { role }),
  }
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}

/** Refuses a connection that did not take the role, whatever the reason. */
function roleCheck(role: string | undefined): pg.PoolConfig['verify'] {
  const check = async (client: pg.PoolClient) => {
    const { rows } = await client.query<{ role: string }>('select current_user as role')
    if (rows[0]?.role !== role)
      throw new Problem(`The database connection acts as ${rows[0]?.role} and not as ${role}.`)
  }
  return role === undefined ? undefined : callbackify(check)
}

function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`${text} is beyond exact numbers`)
  return value
}
