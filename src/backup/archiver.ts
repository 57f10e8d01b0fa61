/*
 * Keeps an archive: receives the log without a break, makes base backups, checks the archive each
 * day and then removes what is too old. One process at a time does so: the server lends its slot to
 * one session.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import { after, monotonicMs } from '../kit/clock.ts'
import { oneLine } from '../kit/one-line.ts'
import type { Log } from '../log/log.ts'
import { listBases, listLog, openArchive } from './archive.ts'
import { makeBase } from './base-backup.ts'
import { checkArchive } from './check.ts'
import { ArchiveTaken, follow } from './follow.ts'
import type { Lsn } from './lsn.ts'
import { hasLiveBase } from './plan.ts'
import { proveRestored } from './prove-restored.ts'
import { removeExpired } from './retention.ts'
import { keepArchived, keepBase, keepCheck, keepProblem, readBackupState } from './state-store.ts'

export interface ArchiverOrder {
  /** The server, with a login that may replicate. */
  url: string
  folder: string
  key: Buffer
  everyHours: number
  keepDays: number
  programs: string | null
  /** Where checks restore to. */
  workFolder: string
  /** What is known of the archive is kept here. */
  db: Db
  clock: Clock
  log: Log
  /** How long the server may say nothing; left out: as long as `follow` lets it. */
  silentMsMax?: number
  signal: AbortSignal
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const tickMs = 1000
// The row is itself a change that is archived: a quiet gateway must not fill files with it.
const stateEveryMs = 60_000
const retryMs = { first: 1000, most: 30_000, taken: 10_000 }
// A check that could not be made is tried again after this.
const checkAgainMs = hourMs

interface Reached {
  lsn: Lsn
  until: Date
  timeline: number
}

/** Keeps the archive until the signal comes; what fails is logged, shown and tried again. */
export async function runArchiver(order: ArchiverOrder): Promise<void> {
  const { signal, log } = order
  let waitMs = retryMs.first
  while (!signal.aborted) {
    const startedMs = monotonicMs()
    try {
      await archiveOnce(order)
    } catch (problem) {
      if (signal.aborted) return
      const isTaken = problem instanceof ArchiveTaken
      if (!isTaken) {
        log.error({ err: problem }, 'the archive cannot go on and is tried again')
        const text = oneLine((problem as Error).message, 500)
        await keepProblem(order.db, { ...order, problem: text }).catch(() => {})
      }
      if (monotonicMs() - startedMs > retryMs.most) waitMs = retryMs.first
      await sleep(isTaken ? retryMs.taken : waitMs, undefined, { signal }).catch(() => {})
      waitMs = Math.min(2 * waitMs, retryMs.most)
    }
  }
}

/** Receives the log, and beside it does what is due; ends with whichever fails first. */
async function archiveOnce(order: ArchiverOrder): Promise<void> {
  const ended = new AbortController()
  const signal = AbortSignal.any([order.signal, ended.signal])
  let reached: Reached | undefined
  const received = follow({
    ...order,
    signal,
    progress: (now) => {
      reached = now
    },
  })
  const kept = doWhatIsDue({ ...order, signal }, () => reached)
  const isOver = received.finally(() => ended.abort())
  try {
    await Promise.all([isOver, kept.finally(() => ended.abort())])
  } finally {
    await Promise.allSettled([isOver, kept])
  }
}

async function doWhatIsDue(
  order: ArchiverOrder,
  readReached: () => Reached | undefined,
): Promise<void> {
  const { signal, db } = order
  let stateMs = Number.NEGATIVE_INFINITY
  let checkMs = Number.NEGATIVE_INFINITY
  while (!signal.aborted) {
    const reached = readReached()
    if (reached !== undefined) {
      if (monotonicMs() - stateMs >= stateEveryMs) {
        await keepArchived(db, { ...order, until: reached.until })
        stateMs = monotonicMs()
      }
      await backUpIfDue(order, reached)
      if (monotonicMs() - checkMs >= checkAgainMs && (await isCheckDue(order))) {
        checkMs = monotonicMs()
        await checkAndClean(order)
      }
    }
    await sleep(tickMs, undefined, { signal }).catch(() => {})
  }
}

async function backUpIfDue(order: ArchiverOrder, reached: Reached): Promise<void> {
  const { folder, key, db, clock, log, url, signal } = order
  const archive = await openArchive(folder, key)
  const { bases } = await listBases(archive)
  const { timeline } = reached
  const index = reached.lsn / BigInt(archive.segmentBytes)
  const isLive = hasLiveBase(bases, await listLog(archive), { timeline, index })
  const dueAt = after(new Date(bases.at(-1)?.endedAt ?? 0), order.everyHours * hourMs)
  if (isLive && clock.now() < dueAt) return
  if (!isLive && bases.length > 0)
    log.error('the log no longer follows a base backup without a gap: a new one is made')
  const base = await makeBase({ url, folder, key, isGentle: isLive, signal })
  const stored = { baseAt: new Date(base.endedAt), baseBytes: base.storedBytes }
  await keepBase(db, { folder, ...stored })
  log.info({ base: base.name, bytes: base.storedBytes }, 'base backup made')
}

async function isCheckDue({ db, folder, clock }: ArchiverOrder): Promise<boolean> {
  const state = await readBackupState(db)
  if (state?.folder !== folder || state.baseAt === null) return false
  // Not at once after the first base backup, when a gateway has just been set up.
  const dueAt =
    state.checkedAt === null ? after(state.baseAt, hourMs) : after(state.checkedAt, dayMs)
  return clock.now() >= dueAt
}

/** Checks the archive, and removes what is too old only from one that holds. */
async function checkAndClean(order: ArchiverOrder): Promise<void> {
  const { folder, key, db, clock, log, keepDays, signal } = order
  const { problems } = await checkArchive({
    ...order,
    prove: async (url) => {
      const { breaks } = await proveRestored(url, () => signal.throwIfAborted())
      return breaks.map((one) => JSON.stringify(one))
    },
  })
  if (signal.aborted) return
  await keepCheck(db, { folder, checkedAt: clock.now(), problems: problems.slice(0, 20) })
  if (problems.length > 0) return log.error({ problems }, 'the archive does not hold')
  const cutoff = after(clock.now(), -keepDays * dayMs)
  const removed = await removeExpired(await openArchive(folder, key), cutoff)
  log.info(removed, 'the archive was checked and restored, and holds')
}
