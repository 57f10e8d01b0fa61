import { appendFile, chown } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { makeFolders } from '#base/kit/folders.ts'
import { openDataFolder } from '#data/postgres/data-folder.ts'
import { chooseRunner, type Runner, runProgram } from '#data/postgres/runner.ts'
import { type Child, startChild } from './child.ts'

/** A durable PostgreSQL of its own, which listens on TCP and is started again only by us. */
export interface PostgresServer {
  url: string
  /** The folder of its files. */
  cluster: string
  pid(): number
  /** Starts it and waits until it takes connections: also again, after it was killed. */
  start(): Promise<void>
  signal(signal: NodeJS.Signals): void
  end(signal: NodeJS.Signals): Promise<void>
}

interface Options {
  folder: string
  port: number
  /** The address that it listens on, and at which it is reached. */
  host?: string
  settings?: Record<string, string>
  /** What comes before the command: such as another network namespace. */
  prefix?: string[]
}

const durable = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '256MB',
  max_connections: '200',
  max_wal_size: '2GB',
  wal_compression: 'off',
  jit: 'off',
  log_min_messages: 'warning',
  timezone: 'UTC',
  unix_socket_directories: '',
}

/** Makes a cluster in a folder; nothing runs yet. */
export async function createPostgres(options: Options): Promise<PostgresServer> {
  const { folder, port, host = '127.0.0.1', settings = {}, prefix = [] } = options
  const data = await openDataFolder(folder)
  const runner = await chooseRunner(data)
  await createCluster(data.cluster, runner)
  // The world is on another address than the server when a network lies between them.
  if (host !== '127.0.0.1')
    await appendFile(join(data.cluster, 'pg_hba.conf'), 'host all all 10.0.0.0/8 trust\n')
  const url = `postgresql://passerelle@${host}:${port}/postgres?sslmode=disable`
  const all = { ...durable, listen_addresses: host, port: String(port), ...settings }
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { account, binaries } = runner
  const command = [...runner.prefix, binaries.postgres, '-D', data.cluster, ...flags]
  let server: Child | undefined

  function launch(): Child {
    const { env, cwd, ...identity } = runner.options
    const more = prefix.length > 0 ? { cwd } : { cwd, ...identity }
    const lowered =
      prefix.length > 0 && account && !runner.isPrivileged
        ? ['setpriv', `--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups']
        : []
    const whole = [...prefix, ...lowered, ...command]
    return startChild({ name: 'postgres', command: whole, env, logPath: data.log, more })
  }

  return {
    url,
    cluster: data.cluster,
    pid: () => server?.pid ?? 0,
    start: async () => {
      // The sessions of a killed server take a moment to end; until then a new one refuses.
      for (let launches = 0; !(await takesConnections(url)); ) {
        if (!server?.isRunning()) {
          launches += 1
          if (launches > 200) throw new Error(`PostgreSQL does not start: see ${data.log}`)
          server = launch()
        }
        await sleep(25)
      }
    },
    signal: (signal) => server?.signal(signal),
    end: async (signal) => server?.end(signal),
  }
}

async function createCluster(cluster: string, runner: Runner): Promise<void> {
  await makeFolders(cluster)
  if (runner.account) await chown(cluster, runner.account.uid, runner.account.gid)
  const encoding = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const options = ['--username=passerelle', '--auth=trust', '--data-checksums', '--locale=C']
  await runProgram(runner, [runner.binaries.initdb, '-D', cluster, ...encoding, ...options])
}

async function takesConnections(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
