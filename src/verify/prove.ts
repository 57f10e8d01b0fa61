import { Worker } from 'node:worker_threads'
import type { Access, Db } from '../db/db.ts'
import type { Sweeper } from '../db/due.ts'
import { startSweeper } from '../db/due.ts'
import type { Clock } from '../kit/clock.ts'
import { after } from '../kit/clock.ts'
import { oneLine } from '../kit/one-line.ts'
import type { Log } from '../log/log.ts'
import type { Verdict } from './ledger.ts'
import type { Proof } from './proof.ts'
import { noResult, resultOf } from './proof.ts'
import { claimProof, endProof, releaseProof, updateProof } from './proof-store.ts'
import type { ThreadMessage } from './proof-thread.ts'

export interface ProofContext {
  db: Db
  clock: Clock
  log: Log
}

const leaseMs = 30_000
const beatMs = 1000
const attemptsMax = 3

/**
 * Runs proofs that people have asked for, each in a thread of its own. Stopping gives the one that
 * runs back; that of a process that dies is begun again after the end of its lease.
 */
export function startProofSweeper(context: ProofContext): Sweeper {
  const { db, clock, log } = context
  return startSweeper<Proof>({
    name: 'proofs',
    claim: (now) => claimProof(db, { now, dueAt: after(now, leaseMs) }),
    work: async ([proof], stopping) => {
      if (proof !== undefined) await prove(context, proof, stopping)
    },
    batchMax: 2,
    idleMs: 1000,
    clock,
    log,
  })
}

async function prove(context: ProofContext, proof: Proof, signal: AbortSignal): Promise<void> {
  const { db, clock, log } = context
  const end = (result: Parameters<typeof endProof>[2]) => endProof(db, proof, result)
  // Else what kills its process would do so for ever.
  if (proof.attempt > attemptsMax)
    return end({ ...noResult, problem: 'each attempt broke off', endedAt: clock.now() })
  const ended = new AbortController()
  let progress = { done: 0, total: 0 }
  // By time and not by progress: some checks are one long statement.
  const beat = setInterval(() => {
    const dueAt = after(clock.now(), leaseMs)
    updateProof(db, proof, { ...progress, dueAt }).then(
      (isOurs) => !isOurs && ended.abort(),
      // The lease is longer than some beats that fail.
      () => {},
    )
  }, beatMs)
  try {
    const verdict = await runThread(db.access, AbortSignal.any([signal, ended.signal]), (now) => {
      progress = now
    })
    await end({ ...resultOf(verdict), endedAt: clock.now() })
    const breaks = verdict.breaks.length
    if (breaks > 0) log.fatal({ proofId: proof.id, breaks }, 'a proof has found breaks')
  } catch (problem) {
    if (ended.signal.aborted) return
    if (signal.aborted) return await releaseProof(db, proof, clock.now())
    log.error({ err: problem, proofId: proof.id, attempt: proof.attempt }, 'a proof failed')
    // Else it is begun again when its lease ends.
    if (proof.attempt < attemptsMax) return
    const why = oneLine((problem as Error).message, 500)
    await end({ ...noResult, problem: why, endedAt: clock.now() })
  } finally {
    clearInterval(beat)
  }
}

/** Runs every check in a thread; rejects when it fails or the signal comes. */
function runThread(
  access: Access,
  signal: AbortSignal,
  onProgress: (progress: { done: number; total: number }) => void,
): Promise<Verdict> {
  const { promise, resolve, reject } = Promise.withResolvers<Verdict>()
  const thread = new Worker(new URL('proof-thread.ts', import.meta.url), { workerData: access })
  const stop = () => void thread.terminate()
  signal.addEventListener('abort', stop)
  thread.on('message', (message: ThreadMessage) => {
    if ('verdict' in message) resolve(message.verdict)
    else onProgress(message)
  })
  thread.on('error', reject)
  thread.on('exit', () => {
    signal.removeEventListener('abort', stop)
    reject(new Error('the thread ended before its result'))
  })
  if (signal.aborted) stop()
  return promise
}
