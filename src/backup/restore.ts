import { randomBytes } from 'node:crypto'
import { chown, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Clock } from '../kit/clock.ts'
import { makeFolders } from '../kit/folders.ts'
import { Problem } from '../kit/problem.ts'
import type { Account, DataFolder } from '../postgres/data-folder.ts'
import { explainError, findPostmaster, openDataFolder } from '../postgres/data-folder.ts'
import type { RecoveryServer } from '../postgres/recovery.ts'
import { clusterOwner, startRecovery } from '../postgres/recovery.ts'
import { findPrograms } from '../postgres/runner.ts'
import type { Base } from './archive.ts'
import { ignoreMissing, listBases, openArchive, syncFolder } from './archive.ts'
import type { Lsn } from './lsn.ts'
import { readLsn, writeLsn } from './lsn.ts'
import type { Placed } from './place-log.ts'
import { placeLog } from './place-log.ts'
import { chooseBase } from './plan.ts'
import { readBase } from './read-base.ts'

export interface RestoreOrder {
  folder: string
  key: Buffer
  /** The data folder to restore into: the cluster becomes its `postgres`. */
  into: string
  /** Undefined: the end of the archive. */
  to?: Date | undefined
  /** The pg_wal of a crashed cluster: what the archive had not received yet. */
  crashedLog?: string | undefined
  /** Moves a cluster that is in the way aside. */
  replace?: boolean
  /** The folder of PostgreSQL's programs; null: found by the version. */
  programs: string | null
  report?(step: string): void
  /** Looks at the restored database before it takes its place. */
  inspect?(url: string): Promise<void>
  /** A restored cluster takes its place only with this; else it is removed. */
  keep?: boolean
  clock: Clock
  signal?: AbortSignal | undefined
}

export interface Restored {
  base: Base
  /** How many whole files of the log were replayed after the base backup. */
  logFiles: number
  /** Up to when the archive has the server's changes; null: nothing came after the base backup. */
  archivedUntil: Date | null
  /** When the last transaction that was replayed had been committed; null: there was none. */
  lastCommitAt: Date | null
  /** Where the cluster is now, and where the one before it is. */
  cluster: string
  previous: string | null
}

/**
 * Restores a cluster from an archive, to a moment or to its end. It is built and recovered under
 * another name: whatever fails, a cluster that was there stays as it was.
 */
export async function restore(order: RestoreOrder): Promise<Restored> {
  const { report = () => {}, keep = true } = order
  const archive = await openArchive(order.folder, order.key)
  const base = chooseBase((await listBases(archive)).bases, order.to)
  const programs = await programsFor(base, order.programs)
  const target = await openDataFolder(order.into).catch((problem) => {
    throw explainError(problem)
  })
  if (keep) await refuseToReplace(target, order.replace ?? false)
  const draft = await openDraft(target)
  try {
    report(`Restoring the base backup ${base.name}`)
    const owner = await clusterOwner(draft, programs)
    await readBase(archive, base, writeTo(draft.cluster, owner), () =>
      order.signal?.throwIfAborted(),
    )
    const placed = await placeLog(archive, base, { ...order, draft, owner })
    report(`Replaying the log, ${placed.files} files after the base backup`)
    const recovered = await recover({ ...order, draft, programs, base, placed })
    const restored = { base, logFiles: placed.files, archivedUntil: placed.until, ...recovered }
    if (!keep) return { ...restored, cluster: draft.cluster, previous: null }
    const previous = await takePlace(draft, target, order.clock.now())
    return { ...restored, cluster: target.cluster, previous }
  } catch (problem) {
    throw explainError(problem)
  } finally {
    await rm(draft.root, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function programsFor(base: Base, given: string | null): Promise<string | undefined> {
  const major = String(Math.floor(base.serverVersion / 10_000))
  const found = await findPrograms(major, given)
  if (found !== null) return found.folder
  throw new Problem(
    `The backup is of PostgreSQL ${major}, and its programs are not here: install them, or name ` +
      'their folder in PG_BIN.',
  )
}

async function refuseToReplace(target: DataFolder, replace: boolean): Promise<void> {
  if ((await findPostmaster(target)) !== undefined)
    throw new Problem(`PostgreSQL runs on ${target.cluster}: stop it first.`)
  const found = await stat(target.cluster).catch(ignoreMissing)
  if (found !== undefined && !replace)
    throw new Problem(
      `${target.cluster} exists and is not overwritten: restore into another folder (--into), ` +
        'or move it aside (--replace).',
    )
}

/** A folder of its own beside the cluster, with the socket and log of the recovery in it. */
async function openDraft(target: DataFolder): Promise<DataFolder> {
  const root = join(target.root, `restore-${randomBytes(4).toString('hex')}`)
  await makeFolders(root)
  return {
    root,
    cluster: join(root, 'postgres'),
    lib: join(root, 'lib'),
    log: join(root, 'recovery.log'),
  }
}

/** Writes the files of a base backup into a cluster that does not exist yet. */
function writeTo(cluster: string, owner: Account | undefined) {
  const own = async (path: string) => {
    if (owner) await chown(path, owner.uid, owner.gid)
  }
  const makeFolder = async (path: string) => {
    const made = await mkdir(path, { recursive: true, mode: 0o700 })
    if (made === undefined) return
    // It may have made parents too.
    for (let at = path; at.length >= made.length; at = dirname(at)) await own(at)
  }
  return {
    folder: (name: string) => makeFolder(join(cluster, name)),
    file: async (name: string, content: AsyncIterable<Buffer>) => {
      const path = join(cluster, name)
      await makeFolder(dirname(path))
      const file = await open(path, 'wx', 0o600)
      try {
        for await (const part of content) await file.appendFile(part)
      } finally {
        await file.close()
      }
      await own(path)
    },
  }
}

interface RecoverOrder extends Omit<RestoreOrder, 'programs'> {
  draft: DataFolder
  programs: string | undefined
  base: Base
  placed: Placed
}

async function recover(order: RecoverOrder): Promise<{ lastCommitAt: Date | null }> {
  const { draft, base, to, placed, inspect = async () => {} } = order
  const signal = join(draft.cluster, 'recovery.signal')
  await (await open(signal, 'w', 0o600)).close()
  const owner = await stat(join(draft.cluster, 'PG_VERSION'))
  // Only root needs it, and a unit of systemd without rights may not even ask.
  if (process.getuid?.() === 0) await chown(signal, owner.uid, owner.gid)
  const server = await startAt(order, to)
  try {
    if (server.isAtEnd) refuseShortReplay(await server.log(), placed.end, base.segmentBytes)
    await inspect(server.url(base.login, base.database))
    return { lastCommitAt: readLastCommit(await server.log()) }
  } finally {
    await server.stop()
  }
}

/** Recovers to the moment; to the end when nothing was committed between the moment and the end. */
async function startAt(
  order: RecoverOrder,
  to: Date | undefined,
): Promise<RecoveryServer & { isAtEnd: boolean }> {
  const { draft: data, programs, base, placed, signal } = order
  const { login, database } = base
  try {
    const server = await startRecovery({ data, programs, login, database, to, signal })
    return { ...server, isAtEnd: to === undefined }
  } catch (problem) {
    const isShort = /before configured recovery target/.test((problem as Error).message)
    if (!isShort || to === undefined) throw problem
    const until = placed.until ?? new Date(base.endedAt)
    if (until < to)
      throw new Problem(
        `The archive ends at ${until.toISOString()}: leave --to away to restore to its end.`,
      )
    const server = await startRecovery({ data, programs, login, database, to: undefined, signal })
    return { ...server, isAtEnd: true }
  }
}

// The last record begins at most this long before the end of the log; a record that begins
// another file may have a whole file of nothing after it.
const recordBytesMax = 1024n * 1024n

/** PostgreSQL ends its replay at a damaged record without an error, as at the end of the log. */
function refuseShortReplay(log: string, end: Lsn, segmentBytes: number): void {
  const done = [...log.matchAll(/redo done at ([0-9A-F]+\/[0-9A-F]+)/g)].at(-1)?.[1]
  if (done === undefined || readLsn(done) + recordBytesMax + BigInt(segmentBytes) >= end) return
  throw new Problem(
    `PostgreSQL ended its replay at ${done}, though the archive goes on to ${writeLsn(end)}: ` +
      'the log was damaged before it came into the archive. Restore to a moment before that.',
  )
}

function readLastCommit(log: string): Date | null {
  const found = [...log.matchAll(/last completed transaction was at log time (\S+ \S+?)\+00/g)]
  const text = found.at(-1)?.[1]
  return text === undefined ? null : new Date(`${text.replace(' ', 'T')}Z`)
}

async function takePlace(draft: DataFolder, target: DataFolder, now: Date): Promise<string | null> {
  const isThere = (await stat(target.cluster).catch(ignoreMissing)) !== undefined
  const stamp = now.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const previous = isThere ? `${target.cluster}.before-restore-${stamp}` : null
  if (previous !== null) await rename(target.cluster, previous)
  await rename(draft.cluster, target.cluster)
  await syncFolder(target.root)
  return previous
}
