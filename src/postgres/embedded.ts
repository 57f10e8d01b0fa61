import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import {
  EmbeddedPostgresProblem,
  explainError,
  findPostmaster,
  type Home,
  openHome,
  type Postmaster,
} from './home.ts'
import { type Launched, launchServer } from './launch.ts'

export { EmbeddedPostgresProblem }

const POLL_MS = 25
const START_POLLS = 4_800 // two minutes: crash recovery may replay max_wal_size, 2 GB
const MAX_LAUNCHES = 100
const STOP_POLLS = { SIGINT: 1_200, SIGQUIT: 200 } // fast for 30 s, then immediate for 5 s
const CLOSING_POLLS = 20 // pool.end() resolves up to some milliseconds before its sessions are gone
const LOCK = 'passerelle embedded' // one starter or stopper decides at a time

/** A server of ours that runs, shared by every process that started it on the same folder. */
export interface EmbeddedPostgres {
  /** Connection string over a unix socket that both `pg` and psql accept. */
  url: string
  /** Stops the server if nobody else of ours uses it; else leaves it to the others. */
  stop(): Promise<void>
}

/** Answers with a real PostgreSQL on the folder that accepts connections: found, or started. */
export async function startEmbeddedPostgres(options: {
  dataDir: string
  durable?: boolean
  log?: (line: string) => void
}): Promise<EmbeddedPostgres> {
  const { dataDir, durable = true, log = () => {} } = options
  try {
    const home = await openHome(dataDir)
    const keeper = await reachServer(home, () => launchServer(home, durable, log))
    let stopping: Promise<void> | undefined
    return { url: urlOf(keeper.host), stop: () => (stopping ??= leaveServer(home, keeper, log)) }
  } catch (error) {
    throw explainError(error)
  }
}

// Lock-free: PostgreSQL itself lets one postmaster in, so whoever loses a race finds the winner.
async function reachServer(home: Home, launch: () => Promise<Launched>): Promise<Client> {
  let launched: Launched | undefined
  let launches = 0
  for (let poll = 0; poll < START_POLLS; poll += 1) {
    const postmaster = await findPostmaster(home)
    const keeper = postmaster?.status === 'ready' && (await attach(home, postmaster))
    if (keeper) return keeper
    if (!postmaster && (!launched || launched.hasExited())) {
      const failure = await launched?.readFailure()
      if (failure && (launches === MAX_LAUNCHES || !isPassingFailure(failure))) {
        throw new EmbeddedPostgresProblem(`PostgreSQL did not start: ${failure} (see ${home.log}).`)
      }
      launched = await launch()
      launches += 1
    }
    await sleep(POLL_MS)
  }
  throw new EmbeddedPostgresProblem(
    `PostgreSQL on ${home.cluster} is still not ready after two minutes (see ${home.log}).`,
  )
}

// Another starter was first, or the sessions of a killed postmaster are still ending.
function isPassingFailure(failure: string): boolean {
  return /^lock file|^pre-existing shared memory block/.test(failure)
}

// The session stays open until stop(): it is how the other processes know that we use the server,
// also between our start and our first query, and it ends by itself when we are killed.
async function attach(home: Home, postmaster: Postmaster): Promise<Client | undefined> {
  const keeper = clientOf(postmaster, 'passerelle-embedded')
  try {
    await keeper.connect()
    await keeper.query('select pg_advisory_lock(hashtext($1))', [LOCK])
    await createDatabase(keeper)
    await keeper.query('select pg_advisory_unlock(hashtext($1))', [LOCK])
    // A stopper that held the lock before us has decided without us, and marked it in this file.
    const now = await findPostmaster(home)
    if (now?.pid === postmaster.pid && now.status === 'ready') {
      socketOf(keeper).unref() // nobody stays alive for it
      return keeper
    }
  } catch (error) {
    if (!isPassingError(error)) {
      const reason = (error as Error).message
      throw new EmbeddedPostgresProblem(
        `PostgreSQL runs on ${home.cluster} but refuses: ${reason}.`,
      )
    }
  }
  await keeper.end()
  return undefined
}

function clientOf(postmaster: Postmaster, name: string): Client {
  // Not to the database passerelle: a session there would forbid to drop it or copy it.
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
  client.on('error', () => {}) // a server that stops ends our session, and that is no news
  return client
}

function socketOf(client: Client): Socket {
  return client.connection.stream as Socket
}

async function createDatabase(client: Client): Promise<void> {
  const found = await client.query(`select from pg_database where datname = 'passerelle'`)
  if (found.rowCount === 0) await client.query('create database passerelle')
}

// The server is stopping, restarting or just gone.
function isPassingError(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException
  if (code) return /^(57P|ECONN|ENOENT|EPIPE|ESRCH)/.test(code)
  return /^Connection terminated|^Client has encountered a connection error/.test(message)
}

// Port and sslmode are said so that a developer's PGPORT or PGSSLMODE does not lead elsewhere.
function urlOf(socketFolder: string): string {
  const host = encodeURIComponent(socketFolder)
  return `postgresql://passerelle@/passerelle?host=${host}&port=5432&sslmode=disable`
}

// Last one out turns off the light.
async function leaveServer(home: Home, keeper: Client, log: (line: string) => void) {
  socketOf(keeper).ref()
  await keeper.end()
  const postmaster = await findPostmaster(home)
  if (!postmaster) return
  const client = clientOf(postmaster, 'embedded-stop')
  try {
    await client.connect()
    for (let poll = 0; poll < CLOSING_POLLS && (await hasOthers(client)); poll += 1) {
      await sleep(POLL_MS)
    }
    await client.query('select pg_advisory_lock(hashtext($1))', [LOCK])
    if (await hasOthers(client)) return log('PostgreSQL is left to the others that use it')
    await shutDown(home, postmaster.pid) // with the lock held, so that nobody attaches meanwhile
    log('PostgreSQL is stopped')
  } catch (error) {
    if (!isPassingError(error)) throw error
    // Another last one was faster: answer when the server is gone.
    const isStopping = (await findPostmaster(home))?.status === 'stopping'
    if (isStopping) await shutDown(home, postmaster.pid)
  } finally {
    await client.end()
  }
}

async function hasOthers(client: Client): Promise<boolean> {
  const others = await client.query(
    `select from pg_stat_activity
     where backend_type = 'client backend' and application_name like 'passerelle%' limit 1`,
  )
  return others.rowCount !== 0
}

async function shutDown(home: Home, pid: number): Promise<void> {
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    for (let poll = 0; poll < STOP_POLLS[signal]; poll += 1) {
      if ((await findPostmaster(home))?.pid !== pid) return
      if (poll === 0) tell(pid, signal)
      await sleep(POLL_MS)
    }
  }
  throw new EmbeddedPostgresProblem(`PostgreSQL (process ${pid}) does not stop (see ${home.log}).`)
}

/** Whoever is gone by now needs no telling. */
function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code !== 'ESRCH') throw problem
  }
}
