import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import {
  chmod,
  chown,
  lchown,
  mkdtemp,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { join } from 'node:path'
import {
  type Account,
  type DataFolder,
  EmbeddedPostgresProblem,
  findStalePid,
  ignoreMissing,
  makePrivateFolder,
  openLog,
  socketFolderOf,
} from './data-folder.ts'
import { chooseRunner, type Runner, runProgram } from './runner.ts'

const logTailBytesMax = 65_536

/** A server process that was started; it may already have ended. */
export interface LaunchedServer {
  hasExited(): boolean
  /** The last error in the server's log. */
  readFailure(): Promise<string>
}

/**
 * Starts a server on the folder; does not wait for it. Where there is no cluster it makes one, but
 * not for a restart: the disk of the cluster may be away, and an empty one must not take its place.
 */
export async function launchServer(
  data: DataFolder,
  { durable, isRestart, log }: { durable: boolean; isRestart: boolean; log(line: string): void },
): Promise<LaunchedServer> {
  const runner = await chooseRunner(data)
  if (!(await readMajorVersion(data))) {
    if (isRestart) throw new EmbeddedPostgresProblem(`${data.cluster} is gone: bring it back.`)
    log(`Making a PostgreSQL ${runner.binaries.majorVersion} cluster in ${data.cluster}`)
    await createCluster(data, runner, durable)
  }
  await checkCluster(data, runner)
  await removeDrafts(data)
  log(`Starting PostgreSQL on ${data.cluster}`)
  return spawnServer(data, runner, durable)
}

async function readMajorVersion(data: DataFolder): Promise<string | undefined> {
  return (await readFile(join(data.cluster, 'PG_VERSION'), 'utf8').catch(ignoreMissing))?.trim()
}

// Created under another name and then renamed: a kill leaves no incomplete cluster, and of two
// processes that do this at a time the first one wins.
async function createCluster(data: DataFolder, runner: Runner, durable: boolean): Promise<void> {
  const draft = await mkdtemp(`${data.cluster}.new-`)
  try {
    if (runner.account) await chown(draft, runner.account.uid, runner.account.gid)
    const encoding = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    const options = ['--username=passerelle', '--auth=trust', '--data-checksums', '--locale=C']
    if (!durable) options.push('--no-sync')
    await runProgram(runner, [runner.binaries.initdb, '-D', draft, ...encoding, ...options])
    await rename(draft, data.cluster)
    if (durable) await syncFolder(data.root)
  } catch (error) {
    if (await readMajorVersion(data)) return
    const { stderr } = error as { stderr?: string }
    if (!stderr) throw error
    throw new EmbeddedPostgresProblem(`PostgreSQL cannot make its cluster: ${lastErrorOf(stderr)}.`)
  } finally {
    await rm(draft, { recursive: true, force: true, maxRetries: 5 })
  }
}

// Without it a power cut could undo the rename, and lose the whole cluster.
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync()
  await folder.close()
}

async function checkCluster(data: DataFolder, { binaries, account }: Runner): Promise<void> {
  const version = await readMajorVersion(data)
  if (version !== binaries.majorVersion) {
    throw new EmbeddedPostgresProblem(
      `${data.cluster} was made by PostgreSQL ${version}, and this is ${binaries.majorVersion}: ` +
        'move it away, or dump it with the old version and load it into the new one.',
    )
  }
  // PostgreSQL refuses a copy that root owns or that others can read: correct the owner and mode.
  const { uid, mode } = await stat(data.cluster)
  if (account && uid === 0) await changeOwner(data.cluster, account)
  if ((mode & 0o077) !== 0) await chmod(data.cluster, 0o700)
}

/** Gives a folder and all that is in it to another account. */
export async function changeOwner(folder: string, { uid, gid }: Account): Promise<void> {
  const paths = await readdir(folder, { recursive: true })
  // The folder itself comes last: while root owns it, the next start repeats an interrupted run.
  for (const path of [...paths, '']) {
    await lchown(join(folder, path), uid, gid).catch(ignoreMissing)
  }
}

// Once the cluster exists, every draft is from an interrupted start or has lost the race.
async function removeDrafts(data: DataFolder): Promise<void> {
  for (const name of await readdir(data.root)) {
    if (!name.startsWith('postgres.new-')) continue
    // An initdb that outlived its parent may still write there; the next start removes it.
    await rm(join(data.root, name), { recursive: true, force: true }).catch(() => {})
  }
}

async function spawnServer(
  data: DataFolder,
  runner: Runner,
  durable: boolean,
): Promise<LaunchedServer> {
  const owner = runner.isPrivileged ? undefined : runner.account
  const socketFolder = socketFolderOf(data, owner)
  await makePrivateFolder(data, socketFolder, owner)
  const log = await openLog(data, owner)
  const logStart = (await log.stat()).size
  const settings = settingsOf(runner, socketFolder, durable)
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = [runner.binaries.postgres, '-D', data.cluster, ...options]
  const [file = '', ...args] = [...runner.prefix, ...command]
  // If another process has the pid of a stale postmaster.pid, PostgreSQL takes it for a running
  // server. This variable makes it ignore that pid, in this check only.
  const stalePid = await findStalePid(data)
  const env = { ...runner.options.env, PG_GRANDPARENT_PID: String(stalePid ?? 0) }
  const stdio: ['ignore', number, number] = ['ignore', log.fd, log.fd]
  // Detached: its own process session, so that Ctrl-C in our terminal does not reach it.
  const child = spawn(file, args, { ...runner.options, env, stdio, detached: true })
  let hasExited = false
  child.once('exit', () => (hasExited = true))
  child.once('error', () => (hasExited = true))
  child.unref()
  await log.close()
  return { hasExited: () => hasExited, readFailure: () => readFailure(data, logStart) }
}

// On the command line, so that a changed value also takes effect on existing clusters.
function settingsOf(runner: Runner, socketFolder: string, durable: boolean) {
  const { folder } = runner.binaries
  const extension = process.platform === 'darwin' ? 'dylib' : 'so'
  const statements = join(folder, `lib/postgresql/pg_stat_statements.${extension}`)
  return {
    listen_addresses: '',
    port: '5432', // names the socket file; nothing listens on TCP
    unix_socket_directories: socketFolder,
    // When the server runs as another account, the folder's mode protects the socket, and its own
    // mode must let root connect.
    unix_socket_permissions: runner.account ? '0777' : '0700',
    fsync: durable ? 'on' : 'off',
    synchronous_commit: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    shared_buffers: '256MB',
    max_connections: '200',
    max_wal_size: '2GB',
    // After a crash it ends, and whoever keeps it running starts it anew. Of 18.4 to 18.6, one that
    // begins again by itself on a full disk may neither recover nor end.
    restart_after_crash: 'off',
    // Compressing a full-page image takes 0.1 ms: more than all else that a vacuum does to a page.
    wal_compression: 'off',
    // Payments' statements are planned without statistics, and a young database is analyzed every
    // minute: for reports a quarter of the default sample is enough.
    default_statistics_target: '25',
    jit: 'off',
    track_io_timing: 'off',
    logging_collector: 'off',
    log_min_messages: 'warning',
    log_timezone: 'UTC',
    timezone: 'UTC',
    shared_preload_libraries: existsSync(statements) ? 'pg_stat_statements' : '',
  }
}

export async function readFailure(data: DataFolder, logStart = 0): Promise<string> {
  const log = await open(data.log)
  try {
    const { size } = await log.stat()
    const start = Math.max(logStart, size - logTailBytesMax)
    const { buffer, bytesRead } = await log.read(Buffer.alloc(logTailBytesMax), { position: start })
    return lastErrorOf(buffer.toString('utf8', 0, bytesRead))
  } finally {
    await log.close()
  }
}

// The last error line without its prefix, or else the last line.
function lastErrorOf(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const error = lines.findLast((line) => /FATAL:|PANIC:|ERROR:|error:/.test(line))
  const message = error?.replace(/^.*?(FATAL|PANIC|ERROR|error):\s+/, '') ?? lines.at(-1)
  return message ?? 'it ended without a word'
}
