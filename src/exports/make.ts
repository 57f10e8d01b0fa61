import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Tx } from '../db/db.ts'
import type { Sweeper } from '../db/due.ts'
import { claimDue, startSweeper } from '../db/due.ts'
import { after } from '../kit/clock.ts'
import { queueMail } from '../mail/queue.ts'
import { findPerson } from '../people/store.ts'
import { FileTooLarge } from '../tables/output.ts'
import type { ExportContext } from './context.ts'
import type { Export, ExportId, ExportProblem, Progress } from './export.ts'
import { readyMail } from './mails.ts'
import {
  beginAttempt,
  deleteChunks,
  endAttempt,
  findExport,
  insertChunk,
  releaseAttempt,
  removeOver,
  updateProgress,
} from './store.ts'

// Longer than a page of rows ever takes to read: the lease is prolonged after each.
const leaseMs = 60_000
const attemptsMax = 5
const chunkBytes = 512 * 1024
const bytesMax = 2 ** 30
const progressMs = 500
const keptMs = 3 * 86_400_000
const deletedAtOnce = 50

/**
 * Makes and removes files that are due, one at a time in each process. Stopping gives the one that
 * is under way back; the file of a process that dies is begun again after the end of its lease.
 */
export function startExportSweeper(context: ExportContext): Sweeper {
  const { db, clock, log } = context
  return startSweeper({
    name: 'exports',
    claim: (now, limit) => claimDue(db, { table: 'exports', now, leaseMs, limit }),
    work: async (due, stopping) => {
      for (const id of due) await workOn(context, id, stopping)
    },
    batchMax: 1,
    idleMs: 1000,
    clock,
    log,
  })
}

/** Makes the file of an export, or removes one that has ended; the caller holds its lease. */
export async function workOn(
  context: ExportContext,
  id: ExportId,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock } = context
  const begun = await beginAttempt(db, id)
  if (begun === undefined) {
    const found = await findExport(db, id)
    if (found === undefined) return
    const isKept = found.state === 'ready' && found.expiresAt > clock.now()
    if (!isKept) await deleteAll(context, id, found.attempt + 1)
    return removeOver(db, id, clock.now())
  }
  await deleteAll(context, id, begun.attempt)
  if (begun.attempt > attemptsMax) return giveUp(context, begun)
  await makeOnce(context, begun, signal)
}

/** Ends one that was begun so often that it is what its processes died of. */
async function giveUp({ db, clock, log }: ExportContext, begun: Export): Promise<void> {
  const { clientId, id, attempt } = begun
  log.error({ clientId, exportId: id, attempt }, 'an export is given up: each attempt broke off')
  const now = clock.now()
  await endAttempt(db, begun, { problem: 'error', now, expiresAt: after(now, keptMs) })
}

async function deleteAll({ db }: ExportContext, id: ExportId, belowAttempt: number): Promise<void> {
  while ((await deleteChunks(db, id, belowAttempt, deletedAtOnce)) === deletedAtOnce);
}

/** This attempt may not write any more: somebody cancelled it, or another process began anew. */
class Superseded extends Error {
  override name = 'Superseded'
}

async function makeOnce(context: ExportContext, begun: Export, signal: AbortSignal): Promise<void> {
  const { db, clock, log } = context
  const { clientId, id, attempt } = begun
  try {
    await writeChunks(context, begun, signal)
  } catch (problem) {
    if (problem instanceof Superseded) return
    if (signal.aborted) return releaseAttempt(db, begun, clock.now())
    const why: ExportProblem = problem instanceof FileTooLarge ? problem.limit : 'error'
    const isLast = why !== 'error' || attempt >= attemptsMax
    log.error({ err: problem, clientId, exportId: id, attempt, isLast }, 'an export failed')
    // Else it is begun again when its lease ends.
    if (!isLast) return
    const now = clock.now()
    await endAttempt(db, begun, { problem: why, now, expiresAt: after(now, keptMs) })
  }
}

async function writeChunks(
  context: ExportContext,
  begun: Export,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock } = context
  let progress: Progress = { rows: 0, share: 0, reachedAt: null }
  let [bytes, chunks, pending] = [0, 0, [] as Buffer[]]
  let toldAt = clock.now()

  async function tell(run: Tx | typeof db): Promise<void> {
    if (signal.aborted) throw new Error('the process stops')
    toldAt = clock.now()
    const dueAt = after(toldAt, leaseMs)
    const isOurs = await updateProgress(run, begun, { ...progress, bytes, dueAt })
    if (!isOurs) throw new Superseded()
  }

  /** Writes what is pending as a chunk, together with how far it is. */
  async function flush(tx: Tx): Promise<void> {
    await tell(tx)
    if (pending.length === 0) return
    chunks += 1
    await insertChunk(tx, begun, chunks, Buffer.concat(pending))
    pending = []
  }

  const report = async (now: Progress) => {
    progress = now
    if (clock.now().getTime() - toldAt.getTime() >= progressMs) await tell(db)
    // Payments of this process come first.
    await nextTurn()
  }
  for await (const block of context.makers[begun.kind](begun, report)) {
    bytes += block.length
    if (bytes > bytesMax) throw new FileTooLarge('bytes')
    pending.push(block)
    const pendingBytes = pending.reduce((sum, { length }) => sum + length, 0)
    if (pendingBytes >= chunkBytes) await db.transaction(flush)
  }
  await db.transaction(async (tx) => {
    await flush(tx)
    await finish(context, begun, progress, tx)
  })
}

/** The file is complete: it can be downloaded, and whoever asked for it gets a mail. */
async function finish(
  { clock, publicUrl, hasSmtp }: ExportContext,
  begun: Export,
  { rows }: Progress,
  tx: Tx,
): Promise<void> {
  const now = clock.now()
  const expiresAt = after(now, keptMs)
  if (!(await endAttempt(tx, begun, { problem: null, now, expiresAt }))) throw new Superseded()
  const person = await findPerson(tx, begun.personId)
  if (person === undefined) return
  const url = `${publicUrl()}/dashboard/exports/${begun.id}`
  await queueMail(tx, readyMail(person, { ...begun, rows, expiresAt }, url), now, hasSmtp)
}
