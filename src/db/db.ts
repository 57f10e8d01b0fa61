import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { Fragment, parametersOf, statementOf } from './statement.ts'

/** Runs one statement written as a tagged template; every `${value}` becomes a parameter. */
type Run = <Row extends object = Record<string, unknown>>(
  strings: TemplateStringsArray,
  ...values: unknown[]
) => Promise<Row[]>

declare const database: unique symbol
declare const transaction: unique symbol

/** The database, each statement on its own. What must be atomic asks for a `Tx` instead. */
export interface Db extends Run {
  readonly [database]: true
  /** Commits what `work` did, or none of it. `work` may run again after a deadlock. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * A connection of its own, closed at the end with the locks and settings that were made on it.
   */
  session<T>(work: (run: Run) => Promise<T>): Promise<T>
  /** Throws when the server cannot be reached. */
  ping(): Promise<void>
  /** How many connections are open, idle and waited for. */
  load(): { open: number; idle: number; waiting: number }
  close(): Promise<void>
}

/** A running transaction. */
export interface Tx extends Run {
  readonly [transaction]: true
}

/** A COMMIT of which nobody can say whether it took effect; only a later look at the rows tells. */
export class CommitUnknown extends Error {
  override name = 'CommitUnknown'
}

/** How statements are planned. */
export type Plans = 'once' | 'free'

interface DbOptions {
  url: string
  /** Role taken on by every connection: the application's has fewer rights than the owner. */
  role?: string
  connectionsMax?: number
  /**
   * `once`: every statement finds its rows by an index and is planned once, as payments need.
   * `free`: as the server thinks best each time, for reports over whole tables.
   */
  plans?: Plans
  /** Shown in the server's list of sessions. */
  name?: string
}

const identifiers = new Map<string, Fragment>()

/** Puts a table or column name of our own into a statement. */
export function identifier(name: string): Fragment {
  const known = identifiers.get(name)
  if (known !== undefined) return known
  if (!/^[a-z_]+$/.test(name)) throw new Error(`not an identifier: ${name}`)
  const made = new Fragment(name)
  identifiers.set(name, made)
  return made
}

/** A piece of SQL of our own that several statements share. */
export function fragment(text: TemplateStringsArray): Fragment {
  return new Fragment(text.join(''))
}

/** A list of columns, each under its name in the code: client_id as "clientId". */
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

/** A parameter for a `jsonb` column. */
export function json(value: unknown): string {
  return JSON.stringify(value)
}

// 20 is int8: francs and versions. They stay far below 2^53, and one that does not must not pass.
const types = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === 20 ? parseWhole : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

/** Opens a pool of connections; nothing is sent before the first statement. */
export function openDb(options: DbOptions): Db {
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.name ?? 'passerelle',
    max: options.connectionsMax ?? 20,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    types,
    // Statements that do not wait for each other's answers share a round trip, in their order.
    pipeline: true,
    options: sessionSettings(options.role, options.plans ?? 'once'),
  })
  // An idle connection that breaks is replaced on next use; without a listener it would end us.
  pool.on('error', () => {})
  // So would one that breaks in the middle of a transaction, between two of its statements.
  pool.on('connect', (client) => void client.on('error', () => {}))
  const run: Run = (strings, ...values) => send(pool, strings, values)
  return Object.assign(run, {
    transaction: <T>(work: (tx: Tx) => Promise<T>) => retrying(() => transact(pool, work)),
    session: async <T>(work: (run: Run) => Promise<T>) => {
      const client = await pool.connect()
      try {
        return await work((strings, ...values) => send(client, strings, values))
      } finally {
        client.release(true)
      }
    },
    ping: async () => void (await pool.query('select 1')),
    load: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  }) as Db
}

// However few rows there are and whatever the statistics say: a payment never reads a whole table.
const plannedOnce = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  // Nor does a look at the last minutes take every processor for itself.
  max_parallel_workers_per_gather: '0',
}

function sessionSettings(role: string | undefined, plans: Plans): string {
  const settings = {
    timezone: 'UTC',
    jit: 'off',
    ...(plans === 'once' ? plannedOnce : { plan_cache_mode: 'force_custom_plan' }),
    statement_timeout: '60s',
    lock_timeout: '15s',
    idle_in_transaction_session_timeout: '60s',
    ...(role === undefined ? {} : { role }),
  }
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}

async function send<Row extends object>(
  target: pg.Pool | pg.PoolClient,
  strings: TemplateStringsArray,
  values: unknown[],
): Promise<Row[]> {
  const { name, text } = statementOf(strings, values)
  const result = await target.query<Row>({ name, text, values: values.flatMap(parametersOf) })
  return result.rows
}

async function transact<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  let isOver = false
  let first: unknown
  const gather = gathering(client)
  try {
    const tx = (async (strings, ...values) => {
      // A part of the work that goes on after another has failed must not write on its own.
      if (isOver) throw new Error('the transaction is over')
      gather()
      return send(client, strings, values).catch((problem: unknown) => {
        first ??= problem
        throw problem
      })
    }) as Tx
    // Sent ahead of the first statement, in the same breath.
    gather()
    const begun = client.query('begin')
    const [answer] = await Promise.all([work(tx), begun])
    isOver = true
    await commit(client)
    return answer
  } catch (problem) {
    isOver = true
    await client.query('rollback').catch((lost: Error) => {
      broken = lost
    })
    // Statements sent together fail together: what the first one said is what happened.
    throw codeOf(problem) === '25P02' && first !== undefined ? first : problem
  } finally {
    client.release(broken)
  }
}

/**
 * Holds back what is written to a connection until all that can go on has gone on: statements that
 * do not wait for each other then leave, and wake the server, together.
 */
function gathering(client: pg.PoolClient): () => void {
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  let isHeld = false
  return () => {
    if (isHeld) return
    isHeld = true
    stream.cork()
    process.nextTick(() => {
      isHeld = false
      stream.uncork()
    })
  }
}

/**
 * With a synchronous standby a cancelled wait still says COMMIT: its warning means "unknown". So
 * does a connection that is lost before the answer.
 */
async function commit(client: pg.PoolClient): Promise<void> {
  let warning: string | undefined
  const hear = (notice: { severity?: string | undefined; message?: string | undefined }) => {
    if (notice.severity === 'WARNING') warning = notice.message
  }
  client.on('notice', hear)
  try {
    const result = await client.query('commit').catch((cause: unknown) => {
      throw isAnswered(cause) ? cause : new CommitUnknown('lost at commit', { cause })
    })
    // A transaction that failed inside answers COMMIT with ROLLBACK and no error.
    if (result.command !== 'COMMIT') throw new Error('the transaction was rolled back')
  } finally {
    client.off('notice', hear)
  }
  if (warning?.includes('synchronous replication')) throw new CommitUnknown(warning)
}

/** Whether the server itself said no, rather than went away (class 57P: it is being stopped). */
function isAnswered(problem: unknown): boolean {
  return codeOf(problem) !== '' && !codeOf(problem).startsWith('57P')
}

const retryable = new Set(['40001', '40P01'])
const triesMax = 5

async function retrying<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run()
    } catch (problem) {
      if (!retryable.has(codeOf(problem)) || tries === triesMax) throw problem
      await sleep(5 * tries * (1 + Math.random()))
    }
  }
}

/** The SQLSTATE of a database error, or an empty text for any other. */
export function codeOf(problem: unknown): string {
  return problem instanceof pg.DatabaseError ? (problem.code ?? '') : ''
}

/** The constraint or unique index that a database error names, or an empty text. */
export function constraintOf(problem: unknown): string {
  return problem instanceof pg.DatabaseError ? (problem.constraint ?? '') : ''
}

function parseWhole(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new Error(`${text} is beyond exact numbers`)
  return value
}
