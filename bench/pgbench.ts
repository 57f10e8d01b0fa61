import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Transactions a second of pgbench's TPC-B on the server behind a socket folder, in a database of
 * its own; null where pgbench is not installed.
 */
export async function runPgbench(
  socketFolder: string,
  { clients, seconds }: { clients: number; seconds: number },
): Promise<number | null> {
  const where = ['-h', socketFolder, '-U', 'passerelle', 'bench']
  const env = { PATH: process.env.PATH, PGUSER: 'passerelle', PGHOST: socketFolder }
  try {
    await run('psql', ['-d', 'postgres', '-c', 'create database bench'], { env })
    await run('pgbench', ['-i', '-s', '10', '-q', ...where])
    const words = ['-c', String(clients), '-j', '2', '-T', String(seconds), '-M', 'prepared', '-n']
    const { stdout } = await run('pgbench', [...words, ...where])
    return Number(/tps = ([\d.]+)/.exec(stdout)?.[1] ?? 0)
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw problem
  }
}
