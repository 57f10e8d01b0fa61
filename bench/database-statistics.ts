import pg from 'pg'
import { round, sum } from './statistics.ts'

/** The database's work between two readings. */
export interface DatabaseWork {
  /** Commits that wrote something, and rows, from the write-ahead log; null: already recycled. */
  commits: number | null
  inserted: number | null
  updated: number | null
  walBytes: number
  /** Transactions of any kind, from pg_stat_database, which lags by up to a second. */
  transactions: number
  /** The fifteen statements that took most time. */
  statements: Statement[]
}

export interface Statement {
  /** The tables that it writes, or the first 40 characters of its text. */
  name: string
  calls: number
  /** Mean rows per call: how many payments share one statement. */
  rowsPerCall: number
  meanMs: number
  totalMs: number
  text: string
}

/** Reads statistics of the gateway's database. */
export interface DatabaseMonitor {
  /** Resets the counters; the returned function reads the work done since. */
  startCount(): Promise<() => Promise<DatabaseWork>>
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

/** Connects to the server; throws unless it is durable, since other figures would mislead. */
export async function openDatabaseMonitor(socketFolder: string): Promise<DatabaseMonitor> {
  const client = new pg.Client({ host: socketFolder, user: 'passerelle', database: 'passerelle' })
  // A connection that is lost fails the next query.
  client.on('error', () => {})
  await client.connect()
  const query: DatabaseMonitor['query'] = async (text, values = []) =>
    (await client.query(text, values)).rows
  await assertDurable(query)
  await query('create extension if not exists pg_walinspect')
  await query('create extension if not exists pg_stat_statements')
  const readCounts = async () => {
    const [row] = await query(`
      select pg_current_wal_insert_lsn() as lsn, xact_commit::float as transactions
      from pg_stat_database where datname = current_database()`)
    return row as { lsn: string; transactions: number }
  }
  return {
    startCount: async () => {
      await query('select pg_stat_statements_reset()')
      const from = await readCounts()
      return async () => {
        const to = await readCounts()
        const statements = await readStatements(query)
        const log = await readWriteAheadLog(query, from.lsn, to.lsn)
        return { ...log, transactions: to.transactions - from.transactions, statements }
      }
    },
    query,
    close: () => client.end(),
  }
}

type Query = DatabaseMonitor['query']

async function assertDurable(query: Query): Promise<void> {
  for (const name of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    const [row] = await query(`select current_setting('${name}') as value`)
    if (row?.value !== 'on') throw new Error(`${name} is ${String(row?.value)}, not on`)
  }
}

/** Counts records of the write-ahead log, which is exact and, unlike statistics, never lags. */
async function readWriteAheadLog(query: Query, from: string, to: string) {
  const [size] = await query('select pg_wal_lsn_diff($2, $1)::float as bytes', [from, to])
  const walBytes = Number(size?.bytes ?? 0)
  if (walBytes === 0) return { commits: 0, inserted: 0, updated: 0, walBytes }
  try {
    const rows = await query(
      `select "resource_manager/record_type" as kind, count::float as count
      from pg_get_wal_stats($1, $2, true)`,
      [from, to],
    )
    const countOf = (...kinds: string[]) =>
      sum(rows.filter(({ kind }) => kinds.includes(String(kind))).map(({ count }) => Number(count)))
    return {
      commits: countOf('Transaction/COMMIT'),
      inserted: countOf('Heap/INSERT', 'Heap/INSERT+INIT'),
      updated: countOf(
        'Heap/UPDATE',
        'Heap/UPDATE+INIT',
        'Heap/HOT_UPDATE',
        'Heap/HOT_UPDATE+INIT',
      ),
      walBytes,
    }
  } catch {
    return { commits: null, inserted: null, updated: null, walBytes }
  }
}

async function readStatements(query: Query): Promise<Statement[]> {
  const rows = await query(`
    select s.query as text, calls::float, rows::float, total_exec_time as total_ms
    from pg_stat_statements s join pg_database d on d.oid = s.dbid
    where d.datname = current_database() and s.query !~ 'pg_stat|pg_current_wal'
    order by total_exec_time desc limit 15`)
  return rows.map(({ text, calls, rows: count, total_ms }) => ({
    name: nameStatement(String(text)),
    calls: Number(calls),
    rowsPerCall: round(Number(count) / Number(calls), 1),
    meanMs: round(Number(total_ms) / Number(calls), 3),
    totalMs: round(Number(total_ms), 1),
    text: String(text).replaceAll(/\s+/g, ' ').slice(0, 300),
  }))
}

/** For example `insert attempts, insert transactions` for a statement that writes both. */
export function nameStatement(text: string): string {
  const written = [...text.matchAll(/\b(insert into|update|delete from) (?!set\b)([a-z_]+)/g)]
  const names = written
    .filter(([, , table]) => table !== 'skip')
    .map(([, verb = '', table]) => `${verb.split(' ')[0]} ${table}`)
  if (names.length > 0) return [...new Set(names)].join(', ')
  return text.trim().replaceAll(/\s+/g, ' ').slice(0, 40).trim()
}
