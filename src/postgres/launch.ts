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
  EmbeddedPostgresProblem,
  findStalePid,
  type Home,
  ignoreMissing,
  makePrivateFolder,
  openLog,
  socketFolderOf,
} from './home.ts'
import { chooseRunner, type Runner, run } from './runner.ts'

const MAX_TAIL_BYTES = 65_536

/** A server process that was started; it may already have ended. */
export interface Launched {
  hasExited(): boolean
  /** The log's last word on why it ended. */
  readFailure(): Promise<string>
}

/** Starts a server on the folder, after making the cluster if it has none; does not wait for it. */
export async function launchServer(
  home: Home,
  durable: boolean,
  log: (line: string) => void,
): Promise<Launched> {
  const runner = await chooseRunner(home)
  if (!(await readMajorVersion(home))) {
    log(`Making a PostgreSQL ${runner.binaries.majorVersion} cluster in ${home.cluster}`)
    await makeCluster(home, runner, durable)
  }
  await checkCluster(home, runner)
  await sweepDrafts(home)
  log(`Starting PostgreSQL on ${home.cluster}`)
  return spawnServer(home, runner, durable)
}

async function readMajorVersion(home: Home): Promise<string | undefined> {
  return (await readFile(join(home.cluster, 'PG_VERSION'), 'utf8').catch(ignoreMissing))?.trim()
}

// Made aside and renamed: a kill in between leaves no half-made cluster, and of two that do this
// at the same time the first one wins.
async function makeCluster(home: Home, runner: Runner, durable: boolean): Promise<void> {
  const draft = await mkdtemp(`${home.cluster}.new-`)
  try {
    if (runner.account) await chown(draft, runner.account.uid, runner.account.gid)
    const encoding = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    const options = ['--username=passerelle', '--auth=trust', '--data-checksums', '--locale=C']
    if (!durable) options.push('--no-sync')
    await run(runner, [runner.binaries.initdb, '-D', draft, ...encoding, ...options])
    await rename(draft, home.cluster)
    if (durable) await syncFolder(home.root)
  } catch (error) {
    if (await readMajorVersion(home)) return
    const { stderr } = error as { stderr?: string }
    if (!stderr) throw error
    throw new EmbeddedPostgresProblem(`PostgreSQL cannot make its cluster: ${lastWord(stderr)}.`)
  } finally {
    await rm(draft, { recursive: true, force: true, maxRetries: 5 })
  }
}

// Without it a power cut could undo the rename, and with it the whole cluster.
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  await folder.sync()
  await folder.close()
}

async function checkCluster(home: Home, { binaries, account }: Runner): Promise<void> {
  const version = await readMajorVersion(home)
  if (version !== binaries.majorVersion) {
    throw new EmbeddedPostgresProblem(
      `${home.cluster} was made by PostgreSQL ${version}, and this is ${binaries.majorVersion}: ` +
        'move it away, or dump it with the old version and load it into the new one.',
    )
  }
  // A copy made by root or under a wide umask would be refused; the folder is ours to put right.
  const { uid, mode } = await stat(home.cluster)
  if (account && uid === 0) await giveFolder(home.cluster, account)
  if ((mode & 0o077) !== 0) await chmod(home.cluster, 0o700)
}

async function giveFolder(folder: string, { uid, gid }: Account): Promise<void> {
  const paths = await readdir(folder, { recursive: true })
  // The folder itself last: it is by its owner that an interrupted round is seen and done again.
  for (const path of [...paths, '']) {
    await lchown(join(folder, path), uid, gid).catch(ignoreMissing)
  }
}

// Once a cluster is there, every draft is a leftover or has lost the race.
async function sweepDrafts(home: Home): Promise<void> {
  for (const name of await readdir(home.root)) {
    if (!name.startsWith('postgres.new-')) continue
    // An initdb that outlived its parent may still write there; the next start sweeps again.
    await rm(join(home.root, name), { recursive: true, force: true }).catch(() => {})
  }
}

async function spawnServer(home: Home, runner: Runner, durable: boolean): Promise<Launched> {
  const owner = runner.isPrivileged ? undefined : runner.account
  const socketFolder = socketFolderOf(home, owner)
  await makePrivateFolder(home, socketFolder, owner)
  const log = await openLog(home, owner)
  const logStart = (await log.stat()).size
  const settings = settingsOf(runner, socketFolder, durable)
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = [runner.binaries.postgres, '-D', home.cluster, ...options]
  const [file = '', ...args] = [...runner.prefix, ...command]
  // PostgreSQL would take the number in a stale postmaster.pid for a server when some other process
  // has it by now. This variable makes it ignore that number, and that check only.
  const stalePid = await findStalePid(home)
  const env = { ...runner.options.env, PG_GRANDPARENT_PID: String(stalePid ?? 0) }
  const stdio: ['ignore', number, number] = ['ignore', log.fd, log.fd]
  // Detached: a session of its own, so that Ctrl-C in our terminal does not reach it.
  const child = spawn(file, args, { ...runner.options, env, stdio, detached: true })
  let exited = false
  child.once('exit', () => (exited = true))
  child.once('error', () => (exited = true))
  child.unref()
  await log.close()
  return { hasExited: () => exited, readFailure: () => readFailure(home, logStart) }
}

// On the command line, so that a changed default also takes effect on old clusters.
function settingsOf(runner: Runner, socketFolder: string, durable: boolean) {
  const { folder } = runner.binaries
  const extension = process.platform === 'darwin' ? 'dylib' : 'so'
  const statements = join(folder, `lib/postgresql/pg_stat_statements.${extension}`)
  return {
    listen_addresses: '',
    port: '5432', // names the socket file; nothing listens on TCP
    unix_socket_directories: socketFolder,
    // As another account the folder's mode is the guard, and root must get through the socket's.
    unix_socket_permissions: runner.account ? '0777' : '0700',
    fsync: durable ? 'on' : 'off',
    synchronous_commit: durable ? 'on' : 'off',
    full_page_writes: durable ? 'on' : 'off',
    shared_buffers: '256MB',
    max_connections: '200',
    max_wal_size: '2GB',
    // An image of a page takes 0.1 ms to compress: more than all else that a vacuum does with it.
    wal_compression: 'off',
    // Statements of payments are planned without statistics, and a young database is looked through
    // for them each minute: a quarter as many rows are enough for reports.
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

async function readFailure(home: Home, logStart: number): Promise<string> {
  const log = await open(home.log)
  try {
    const { size } = await log.stat()
    const start = Math.max(logStart, size - MAX_TAIL_BYTES)
    const { buffer, bytesRead } = await log.read(Buffer.alloc(MAX_TAIL_BYTES), { position: start })
    return lastWord(buffer.toString('utf8', 0, bytesRead))
  } finally {
    await log.close()
  }
}

// The last line that tells an error without its prefix, or the last line of all.
function lastWord(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const error = lines.findLast((line) => /FATAL:|PANIC:|ERROR:|error:/.test(line))
  const word = error?.replace(/^.*?(FATAL|PANIC|ERROR|error):\s+/, '') ?? lines.at(-1)
  return word ?? 'it ended without a word'
}
