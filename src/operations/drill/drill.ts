/*
 * Proves that what is in the archive can be restored: RESTORE_COMMAND restores it into a private
 * folder, a private PostgreSQL replays the log, and what comes of it is verified and compared with
 * the live database. Of the archive nothing is known here but that command.
 */
import { chown, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { after, type Clock } from '#base/kit/clock.ts'
import { makeFolders } from '#base/kit/folders.ts'
import { Problem } from '#base/kit/problem.ts'
import { type Db, openDb } from '#data/db/db.ts'
import { migrateUp, readMigrations } from '#data/db/migrate.ts'
import { applicationRole, migrationsFolder } from '#data/db/server.ts'
import {
  type DataFolder,
  explainError,
  ignoreMissing,
  openDataFolder,
} from '#data/postgres/data-folder.ts'
import { startRecovery } from '#data/postgres/recovery.ts'
import { accountOf, findPrograms } from '#data/postgres/runner.ts'
import type { Verdict } from '#operations/verify/ledger.ts'
import { type KeptAnchor, verifyAll } from '#operations/verify/verify.ts'
import { type Comparison, compareWithLive, lateCommitMs } from './compare.ts'
import { type HandedOver, type Replay, readReplay, shortReplay } from './replay.ts'
import { runRestoreCommand } from './restore-command.ts'
import {
  countAllTransactions,
  findLastTransaction,
  type LastTransaction,
} from './restored-store.ts'

export interface DrillOrder {
  /** RESTORE_COMMAND. */
  command: string
  environment: Record<string, string | undefined>
  /** A folder of its own, which is empty or not there. */
  into: string
  /** Undefined: the newest state. */
  to: Date | undefined
  /** Leaves what was restored there. */
  keep: boolean
  /** Who owns the schema, and the name of the database. */
  login: string
  database: string
  /** The live database, and what it had handed over; undefined: it could not be asked. */
  live: { db: Db; handed: HandedOver | undefined } | undefined
  /** Anchors that were kept elsewhere. */
  kept: (KeptAnchor & { createdAt: Date })[]
  clock: Clock
  startedAt: Date
  report(step: string): void
  progress(done: number, total: number): void
  signal?: AbortSignal | undefined
}

/** What was there and what it came to. */
export interface Drilled {
  replay: Replay
  verdict: Verdict
  /** Undefined: the live database could not be asked. */
  comparison: Comparison | undefined
  /** How many anchors that were kept outside of the database were compared. */
  keptAnchors: number
  transactions: number
  lastTransaction: LastTransaction | undefined
  /** Up to when what was restored reaches. */
  until: Date
  /** Where it is now; null: it was removed. */
  cluster: string | null
  /** Sentences beside the breaks of the verdict. */
  problems: string[]
}

/** Restores and proves; throws a `Problem` where nothing could be restored. */
export async function drill(order: DrillOrder): Promise<Drilled> {
  const isNew = await refuseUsed(order.into)
  const data = await openDataFolder(order.into)
  let isKept = false
  try {
    await restoreInto(data, order)
    const drilled = await prove(data, order)
    isKept = order.keep
    return { ...drilled, cluster: isKept ? data.cluster : null }
  } catch (problem) {
    throw explainError(problem)
  } finally {
    if (!isKept) await clear(data, isNew)
  }
}

/** Refuses a folder with anything in it; true: there is none yet. */
async function refuseUsed(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(ignoreMissing)
  if (names !== undefined && names.length > 0)
    throw new Problem(`${folder} is not empty: a drill needs a folder of its own.`)
  return names === undefined
}

async function clear({ root }: DataFolder, isNew: boolean): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: 5 }
  if (isNew) return rm(root, options)
  for (const name of await readdir(root)) await rm(join(root, name), options)
}

async function restoreInto(data: DataFolder, order: DrillOrder): Promise<void> {
  order.report('Restoring')
  await mkdir(data.cluster, { mode: 0o700 })
  await mkdir(toolsFolder(data), { mode: 0o700 })
  const account = await accountOf(data)
  if (account) await chown(toolsFolder(data), account.uid, account.gid)
  const environment = { ...order.environment, ...toolsEnvironment(data) }
  await runRestoreCommand({ ...order, environment, folder: data.cluster })
}

const toolsFolder = ({ root }: DataFolder) => join(root, 'tools')

/** pgBackRest would take the locks and clear the spool of the server that archives. */
function toolsEnvironment(data: DataFolder): Record<string, string> {
  const folder = toolsFolder(data)
  return {
    PGBACKREST_LOCK_PATH: folder,
    PGBACKREST_SPOOL_PATH: folder,
    PGBACKREST_LOG_LEVEL_FILE: 'off',
  }
}

async function prove(data: DataFolder, order: DrillOrder): Promise<Omit<Drilled, 'cluster'>> {
  const { to, live, signal } = order
  order.report('Replaying the WAL')
  const server = await replay(data, order)
  try {
    const told = readReplay(await server.log())
    const newestAt = to === undefined ? order.startedAt : undefined
    const until = to ?? told.lastCommitAt ?? told.backupAt ?? order.clock.now()
    const short = to === undefined && live?.handed && shortReplay(told, live.handed)
    order.report('Proving what was restored')
    const url = server.url(order.login, order.database)
    await migrateUp(url, await readMigrations(migrationsFolder))
    const db = openDb({ url, role: applicationRole, planMode: 'custom', name: 'passerelle drill' })
    try {
      const known = order.kept.filter(({ createdAt }) => createdAt <= after(until, -lateCommitMs))
      const verdict = await verifyAll(db, known, (done, total) => {
        signal?.throwIfAborted()
        order.progress(done, total)
      })
      const comparison = live && (await compareWithLive(db, live.db, { until, newestAt }))
      const problems = [...(short ? [short] : []), ...(comparison?.problems ?? [])]
      const lastTransaction = await findLastTransaction(db)
      const transactions = await countAllTransactions(db)
      const found = { comparison, transactions, lastTransaction, until, problems }
      return { replay: told, verdict, keptAnchors: known.length, ...found }
    } finally {
      await db.close()
    }
  } finally {
    await server.stop()
  }
}

async function replay(data: DataFolder, order: DrillOrder) {
  const major = await readFile(join(data.cluster, 'PG_VERSION'), 'utf8').catch(ignoreMissing)
  if (major === undefined)
    throw new Problem(
      `RESTORE_COMMAND left no PostgreSQL in ${data.cluster}: {folder} is not used.`,
    )
  const programs = await findPrograms(major.trim())
  if (programs === null)
    throw new Problem(
      `The backup is of PostgreSQL ${major.trim()}, and its programs are not here: install them.`,
    )
  const { login, database, keep: durable, signal } = order
  const environment = toolsEnvironment(data)
  const options = { data, programs: programs.folder, login, database, durable, signal, environment }
  return startRecovery(options).catch(async (problem: Error) => {
    const log = await readFile(data.log, 'utf8').catch(ignoreMissing)
    throw new Problem(explainReplay(readReplay(log ?? ''), problem, order), { cause: problem })
  })
}

/** Why there is no server, in a sentence. */
function explainReplay(told: Replay, problem: Error, { to, live }: DrillOrder): string {
  const short = live?.handed && shortReplay(told, live.handed)
  if (to !== undefined && told.isBeforeMoment) {
    const end = told.lastCommitAt?.toISOString() ?? 'its beginning'
    const before = `The WAL in the archive ends at ${end}, before ${to.toISOString()}`
    return short === undefined
      ? `${before}: the server has not archived more yet, or nothing was committed since.`
      : `${before}. ${short}`
  }
  if (/checkpoint record|end of online backup/.test(problem.message))
    return short ?? 'The WAL that the backup begins with is missing in the archive, or damaged.'
  return problem.message
}

// Left by drills that were killed: none takes longer.
const leftMs = 12 * 3_600_000

/**
 * A folder for a drill, in the data folder. What a killed one left there is removed; what is kept
 * has another name, and stays until a person removes it.
 */
export async function drillFolder(dataDir: string, clock: Clock, keep: boolean): Promise<string> {
  const parent = resolve(dataDir)
  await makeFolders(parent)
  for (const name of (await readdir(parent)).filter((one) => /^drill-\d{17}$/.test(one))) {
    const path = join(parent, name)
    const { mtime } = await stat(path)
    if (mtime < after(clock.now(), -leftMs))
      await rm(path, { recursive: true, force: true, maxRetries: 5 })
  }
  return join(
    parent,
    `${keep ? 'kept' : 'drill'}-${clock.now().toISOString().replaceAll(/\D/g, '')}`,
  )
}
