import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)

/** Runs TPC-B for some seconds and tells its transactions a second; null: it is not installed. */
export type Pgbench = (seconds: number) => Promise<number | null>

const clients = 16
const scale = 10

/**
 * Debian's pgbench on the same server, in a database of its own: 16 clients, prepared statements,
 * durable like everything else. What it does in a second is the unit that payments are measured in.
 */
export async function openPgbench(host: string): Promise<Pgbench> {
  const where = ['-h', host, '-U', 'passerelle', 'tpcb']
  const isThere = await run('pgbench', ['--version']).then(
    () => true,
    () => false,
  )
  if (!isThere) return async () => null
  if (await createDatabase(host)) await run('pgbench', ['-i', '-s', String(scale), '-q', ...where])
  return async (seconds) => {
    const words = ['-c', String(clients), '-j', '2', '-T', String(seconds), '-M', 'prepared', '-n']
    const { stdout } = await run('pgbench', [...words, ...where])
    return Number(/tps = ([\d.]+)/.exec(stdout)?.[1] ?? 0)
  }
}

/** False when it is there already, from a run before. */
async function createDatabase(host: string): Promise<boolean> {
  const client = new pg.Client({ host, user: 'passerelle', database: 'postgres' })
  await client.connect()
  try {
    const { rowCount } = await client.query(`select from pg_database where datname = 'tpcb'`)
    if (rowCount === 0) await client.query('create database tpcb')
    return rowCount === 0
  } finally {
    await client.end()
  }
}
