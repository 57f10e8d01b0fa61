import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)

/**
 * Runs TPC-B for some seconds, as fast as it goes or at a rate; returns transactions per second, or
 * null without pgbench.
 */
export type Pgbench = (seconds: number, rate?: number) => Promise<number | null>

const clients = 16
const scale = 10

/**
 * Prepares Debian's pgbench on the gateway's server, in a database of its own: 16 clients, prepared
 * statements, durable. Its rate is the unit in which rates of payments are expressed.
 */
export async function openPgbench(host: string): Promise<Pgbench> {
  const connectionArgs = ['-h', host, '-U', 'passerelle', 'tpcb']
  const isInstalled = await run('pgbench', ['--version']).then(
    () => true,
    () => false,
  )
  if (!isInstalled) return async () => null
  if (await createDatabase(host))
    await run('pgbench', ['-i', '-s', String(scale), '-q', ...connectionArgs])
  return async (seconds, rate) => {
    const args = ['-c', String(clients), '-j', '2', '-T', String(seconds), '-M', 'prepared', '-n']
    const atRate = rate === undefined ? [] : ['-R', String(rate)]
    const { stdout } = await run('pgbench', [...args, ...atRate, ...connectionArgs])
    return Number(/tps = ([\d.]+)/.exec(stdout)?.[1] ?? 0)
  }
}

/** Returns false when an earlier run has created it. */
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
