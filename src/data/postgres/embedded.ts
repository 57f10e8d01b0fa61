import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { Log } from '#base/log/log.ts'
import {
  type DataFolder,
  EmbeddedPostgresProblem,
  explainError,
  findPostmaster,
  openDataFolder,
  type Postmaster,
} from './data-folder.ts'
import { keepAttached } from './keep-attached.ts'
import { type LaunchedServer, launchServer } from './launch.ts'

export { EmbeddedPostgresProblem }

const pollMs = 25
// Two minutes: crash recovery may replay max_wal_size, 2 GB.
const startPollsMax = 4_800
const launchesMax = 100
// A fast shutdown for 30 s, then an immediate one for 5 s.
const stopPollsMax = { SIGINT: 1_200, SIGQUIT: 200 }
// pool.end() resolves some milliseconds before the server has ended the sessions.
const closingPollsMax = 20
// The advisory lock under which one process at a time attaches or decides to stop the server.
const lockName = 'passerelle embedded'

/** A running server, shared by all processes that called `startEmbeddedPostgres` on its folder. */
export interface EmbeddedPostgres {
  /** A connection string over a Unix socket, for `pg` and psql. */
  url: string
  /** Stops the server, unless another process still uses it. */
  stop(): Promise<void>
}

/** Finds or starts a PostgreSQL on the folder; resolves once it accepts connections. */
export async function startEmbeddedPostgres(options: {
  dataDir: string
  durable?: boolean
  log?: (line: string) => void
  /** With it, a server that dies is started again until `stop`, and this log says so. */
  restartLog?: Log
}): Promise<EmbeddedPostgres> {
  const { dataDir, durable = true, log = () => {}, restartLog } = options
  try {
    const data = await openDataFolder(dataDir)
    const attach = (signal?: AbortSignal) => {
      const isRestart = signal !== undefined
      return attachOrLaunch(data, () => launchServer(data, { durable, isRestart, log }), signal)
    }
    const session = await attach()
    const kept = restartLog && keepAttached({ session, attach, log: restartLog })
    const stop = async () => detach(data, kept === undefined ? session : await kept.stop(), log)
    let stopping: Promise<void> | undefined
    return { url: urlOf(session.host), stop: () => (stopping ??= stop()) }
  } catch (error) {
    throw explainError(error)
  }
}

// No lock is needed: PostgreSQL admits one postmaster on a cluster, so a process that loses the
// race finds the winner at its next poll. Once `signal` is aborted it throws, but not before a
// server that it has launched can be found by its postmaster.pid.
async function attachOrLaunch(
  data: DataFolder,
  launch: () => Promise<LaunchedServer>,
  signal?: AbortSignal,
): Promise<Client> {
  let launched: LaunchedServer | undefined
  let launches = 0
  for (let poll = 0; poll < startPollsMax; poll += 1) {
    const postmaster = await findPostmaster(data)
    const session = postmaster?.status === 'ready' && (await attach(data, postmaster))
    if (session) return session
    const isLaunching = !postmaster && launched !== undefined && !launched.hasExited()
    if (!isLaunching) signal?.throwIfAborted()
    if (!postmaster && !isLaunching) {
      const failure = await launched?.readFailure()
      if (failure && (launches === launchesMax || !isTemporaryFailure(failure))) {
        throw new EmbeddedPostgresProblem(`PostgreSQL did not start: ${failure} (see ${data.log}).`)
      }
      launched = await launch()
      launches += 1
    }
    await sleep(pollMs)
  }
  throw new EmbeddedPostgresProblem(
    `PostgreSQL on ${data.cluster} is still not ready after two minutes (see ${data.log}).`,
  )
}

// Another process launched first, or the sessions of a killed postmaster are still ending.
function isTemporaryFailure(failure: string): boolean {
  return /^lock file|^pre-existing shared memory block/.test(failure)
}

// Opens the session that marks this process as a user of the server. It stays open until stop(),
// also between our start and our first query, and ends by itself when the process is killed.
async function attach(data: DataFolder, postmaster: Postmaster): Promise<Client | undefined> {
  const session = clientOf(postmaster, 'passerelle-embedded')
  try {
    await session.connect()
    await session.query('select pg_advisory_lock(hashtext($1))', [lockName])
    await createDatabase(session)
    await session.query('select pg_advisory_unlock(hashtext($1))', [lockName])
    // A process that held the lock before us may have stopped the server without seeing our
    // session; then postmaster.pid says so.
    const now = await findPostmaster(data)
    if (now?.pid === postmaster.pid && now.status === 'ready') {
      socketOf(session).unref() // it does not keep the process alive
      return session
    }
  } catch (error) {
    if (!isTemporaryError(error)) {
      const reason = (error as Error).message
      throw new EmbeddedPostgresProblem(
        `PostgreSQL runs on ${data.cluster} but refuses: ${reason}.`,
      )
    }
  }
  await session.end()
  return undefined
}

function clientOf(postmaster: Postmaster, name: string): Client {
  // Not to the database passerelle: a session there would prevent dropping or copying it.
  const client = new Client({
    host: postmaster.socketFolder,
    port: 5432,
    user: 'passerelle',
    database: 'postgres',
    ssl: false,
    application_name: name,
    connectionTimeoutMillis: 10_000,
    lock_timeout: 60_000,
  })
  client.on('error', () => {}) // a server that stops ends our session, as expected
  return client
}

function socketOf(client: Client): Socket {
  return client.connection.stream as Socket
}

async function createDatabase(client: Client): Promise<void> {
  const found = await client.query(`select from pg_database where datname = 'passerelle'`)
  if (found.rowCount === 0) await client.query('create database passerelle')
}

// The server is stopping, restarting or gone.
function isTemporaryError(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException
  if (code) return /^(57P|ECONN|ENOENT|EPIPE|ESRCH)/.test(code)
  return /^Connection terminated|^Client has encountered a connection error/.test(message)
}

// Port and sslmode are explicit, so that PGPORT and PGSSLMODE of the environment have no effect.
function urlOf(socketFolder: string): string {
  const host = encodeURIComponent(socketFolder)
  return `postgresql://passerelle@/passerelle?host=${host}&port=5432&sslmode=disable`
}

// Ends our session, if it is open; the last process to detach stops the server.
async function detach(data: DataFolder, session: Client | undefined, log: (line: string) => void) {
  if (session !== undefined) {
    socketOf(session).ref()
    await session.end()
  }
  for (let poll = 0; poll < startPollsMax; poll += 1) {
    const postmaster = await findPostmaster(data)
    if (!postmaster) return
    const { pid, status } = postmaster
    // Another process is stopping the server already: resolve when it is gone. Without a session
    // the server was being started again: nobody uses it yet, and who waits for it starts another.
    if (status === 'stopping' || (status !== 'ready' && session === undefined))
      return shutDown(data, pid)
    if (status === 'ready' && (await stopUnlessUsed(data, postmaster, log))) return
    await sleep(pollMs)
  }
}

/** False when the server ended the connection, because it stops or starts anew. */
async function stopUnlessUsed(
  data: DataFolder,
  postmaster: Postmaster,
  log: (line: string) => void,
): Promise<boolean> {
  const client = clientOf(postmaster, 'embedded-stop')
  try {
    await client.connect()
    for (let poll = 0; poll < closingPollsMax && (await hasOtherSessions(client)); poll += 1) {
      await sleep(pollMs)
    }
    await client.query('select pg_advisory_lock(hashtext($1))', [lockName])
    if (await hasOtherSessions(client)) log('PostgreSQL is left to the others that use it')
    else {
      await shutDown(data, postmaster.pid) // under the lock, so that no process attaches meanwhile
      log('PostgreSQL is stopped')
    }
    return true
  } catch (error) {
    if (!isTemporaryError(error)) throw error
    return false
  } finally {
    await client.end()
  }
}

async function hasOtherSessions(client: Client): Promise<boolean> {
  const others = await client.query(
    `select from pg_stat_activity
     where backend_type = 'client backend' and application_name like 'passerelle%' limit 1`,
  )
  return others.rowCount !== 0
}

async function shutDown(data: DataFolder, pid: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    for (let poll = 0; poll < stopPollsMax[signal]; poll += 1) {
      if ((await findPostmaster(data))?.pid !== pid) return
      if (poll === 0) sendSignal(pid, signal)
      await sleep(pollMs)
    }
  }
  throw new EmbeddedPostgresProblem(`PostgreSQL (process ${pid}) does not stop (see ${data.log}).`)
}

/** A process that has ended meanwhile is no error. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code !== 'ESRCH') throw problem
  }
}
