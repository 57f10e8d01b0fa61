import { spawn } from 'node:child_process'
import { chmod, chown, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import {
  type Account,
  type DataFolder,
  EmbeddedPostgresProblem,
  makePrivateFolder,
  openLog,
  socketFolderOf,
} from './data-folder.ts'
import { changeOwner, readFailure } from './launch.ts'
import { chooseRunner } from './runner.ts'

/** A server that recovers a restored cluster and serves nobody but us. */
export interface RecoveryServer {
  url(login: string, database: string): string
  /** What its log says. */
  log(): Promise<string>
  stop(): Promise<void>
}

interface RecoveryOrder {
  data: DataFolder
  /** The folder of the programs; undefined: those that npm installed. */
  programs: string | undefined
  login: string
  database: string
  /** What the command that fetches the log needs, beside what all programs get. */
  environment: Record<string, string>
  /** Whether the cluster must outlive a loss of power, since it is kept. */
  durable: boolean
  signal?: AbortSignal | undefined
}

const pollMs = 50
const stopPollsMax = 2400

/**
 * Starts a server on a restored cluster; resolves once it has replayed the log, as far as what
 * restored it asks for in its postgresql.auto.conf. Everything else is configured here: the
 * configuration of the cluster may not be in it, or may name what another machine has.
 */
export async function startRecovery(order: RecoveryOrder): Promise<RecoveryServer> {
  const { data, programs, signal } = order
  const runner = await chooseRunner(data, programs)
  const { isPrivileged, account } = runner
  const owner = isPrivileged ? undefined : account
  // What root has restored may be root's; PostgreSQL refuses that, and what others can read.
  if (account) await changeOwner(data.cluster, account)
  await chmod(data.cluster, 0o700)
  const socketFolder = socketFolderOf(data, owner)
  await makePrivateFolder(data, socketFolder, owner)
  const options = await writeSettings(order, socketFolder, account)
  const log = await openLog(data, owner)
  const command = [...runner.prefix, runner.binaries.postgres, '-D', data.cluster, ...options]
  const [file = '', ...args] = command
  const stdio: ['ignore', number, number] = ['ignore', log.fd, log.fd]
  const env = { ...runner.options.env, ...order.environment }
  const child = spawn(file, args, { ...runner.options, env, stdio, detached: true })
  let hasExited = false
  child.once('exit', () => (hasExited = true))
  child.once('error', () => (hasExited = true))
  await log.close()
  const stop = async () => {
    for (let poll = 0; poll < stopPollsMax && !hasExited; poll += 1) {
      // Fast, and after half of the time at once.
      if (poll === 0) child.kill('SIGINT')
      if (poll === stopPollsMax / 2) child.kill('SIGQUIT')
      await sleep(pollMs)
    }
  }
  const url = (login: string, database: string) =>
    `postgresql://${encodeURIComponent(login)}@/${encodeURIComponent(database)}` +
    `?host=${encodeURIComponent(socketFolder)}&port=5432&sslmode=disable`
  try {
    while (!(await canConnect(url(order.login, order.database)))) {
      signal?.throwIfAborted()
      if (hasExited)
        throw new EmbeddedPostgresProblem(`PostgreSQL cannot recover: ${await readFailure(data)}.`)
      await sleep(pollMs)
    }
  } catch (problem) {
    await stop()
    throw problem
  }
  return { url, log: () => readFile(data.log, 'utf8'), stop }
}

async function writeSettings(
  { data, durable }: RecoveryOrder,
  socketFolder: string,
  account: Account | undefined,
): Promise<string[]> {
  const settings: Record<string, string> = {
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: socketFolder,
    unix_socket_permissions: account ? '0777' : '0700',
    // Nobody reads before the end: settings need not match those of the server that was copied.
    hot_standby: 'off',
    recovery_target_action: 'promote',
    primary_conninfo: '',
    // What it writes must never come into the archive of the live server.
    archive_mode: 'off',
    shared_preload_libraries: '',
    ssl: 'off',
    fsync: durable ? 'on' : 'off',
    logging_collector: 'off',
    log_timezone: 'UTC',
    timezone: 'UTC',
    shared_buffers: '128MB',
    max_wal_size: '2GB',
    max_connections: '50',
    jit: 'off',
  }
  // On the command line, which is stronger than the postgresql.auto.conf of the cluster.
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  for (const [name, text] of [['config', ''] as const, ['hba', 'local all all trust'] as const]) {
    const path = join(data.root, `recovery-${name}.conf`)
    await writeFile(path, `${text}\n`, { mode: 0o600 })
    if (account) await chown(path, account.uid, account.gid)
    options.push('-c', `${name}_file=${path}`)
  }
  return options
}

// It is not there yet, or has not ended its recovery.
const isTemporary = /^(57P|ECONN|ENOENT)/

async function canConnect(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch (problem) {
    const { code = '', message } = problem as NodeJS.ErrnoException
    if (isTemporary.test(code) || /terminated|timeout/.test(message)) return false
    throw new EmbeddedPostgresProblem(`The restored PostgreSQL refuses: ${message}.`)
  } finally {
    await client.end().catch(() => {})
  }
}
