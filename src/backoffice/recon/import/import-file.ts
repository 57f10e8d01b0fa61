import { once } from 'node:events'
import { after } from '#base/kit/clock.ts'
import { Refusal } from '#base/kit/refusal.ts'
import { type Sweeper, startSweeper } from '#data/db/due.ts'
import type { ReconContext } from '../context.ts'
import type { KeptFile } from './file.ts'
import {
  claimFile,
  deleteFile,
  deleteFileChunks,
  deleteFileProblems,
  insertFileProblems,
  moveFile,
  postponeFile,
  writeFileShare,
} from './file-store.ts'
import { importStatement, type LineProblem, UnreadableStatement } from './import.ts'
import { readKeptFile } from './keep-file.ts'

const leaseMs = 120_000
const attemptsMax = 5
// While another statement of the provider is being imported.
const busyMs = 5000
const keptMs = 3 * 86_400_000
const problemsAtOnce = 500
/** How many problems of a file are kept to be shown. */
const problemsKeptMax = 100_000

/**
 * Imports files that people have sent, and removes those whose time has passed, one at a time in
 * each process. A file whose process dies is imported by another one when its lease ends.
 */
export function startFileSweeper(context: ReconContext): Sweeper {
  const { db, clock } = context
  return startSweeper<KeptFile>({
    ...context,
    name: 'statement files',
    claim: async (now) => {
      const claimed = await claimFile(db, now, after(now, leaseMs))
      return claimed === undefined ? [] : [claimed]
    },
    work: async ([file], stopping) => {
      if (file === undefined) return
      if (file.state !== 'waiting') return deleteFile(db, file.id)
      const imported = importFile(context, file, stopping)
      // A process that stops does not wait for it: what was read is gone on with by another one.
      await Promise.race([imported, aborted(stopping)])
      imported.catch(() => {})
      if (stopping.aborted) await postponeFile(db, file.id, clock.now())
    },
    batchMax: 1,
    idleMs: 1000,
  })
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}

async function importFile(
  context: ReconContext,
  file: KeptFile,
  signal: AbortSignal,
): Promise<void> {
  const { db, clock, log } = context
  const { id, attempt } = file
  const keptUntil = () => after(clock.now(), keptMs)
  // Else a file that kills its process would do so for ever.
  if (attempt > attemptsMax) {
    log.error({ fileId: id, attempt }, 'an import was given up: every attempt was interrupted')
    await moveFile(db, id, ['waiting'], { state: 'failed', dueAt: keptUntil() })
    return
  }
  await deleteFileProblems(db, id)
  const problems = problemKeeper(context, id)
  try {
    const statement = await importStatement(context, {
      ...file,
      file: whileWanted(readKeptFile(db, file), signal),
      from: file.fromAt ?? undefined,
      to: file.toAt ?? undefined,
      actor: file.importedBy ?? file.uploadedBy,
      onProblem: problems.add,
      // Progress is best effort: that one is lost changes nothing.
      onProgress: (share) =>
        void writeFileShare(db, id, share, after(clock.now(), leaseMs)).catch(() => {}),
    })
    const done = { state: 'imported', dueAt: keptUntil(), statementId: statement.id } as const
    await moveFile(db, id, ['waiting'], done)
    await deleteFileChunks(db, id)
  } catch (problem) {
    if (signal.aborted) return
    if (problem instanceof UnreadableStatement) {
      await problems.flush()
      const { count } = problem
      await moveFile(db, id, ['waiting'], { state: 'refused', dueAt: keptUntil(), problems: count })
      return deleteFileChunks(db, id)
    }
    if (problem instanceof Refusal && problem.kind === 'conflict')
      return postponeFile(db, id, after(clock.now(), busyMs))
    log.error({ err: problem, fileId: id, attempt }, 'a statement could not be imported')
    if (attempt >= attemptsMax || problem instanceof Refusal)
      await moveFile(db, id, ['waiting'], { state: 'failed', dueAt: keptUntil() })
  }
}

/** Ends what is read of a file when the process stops. */
async function* whileWanted(
  chunks: AsyncIterable<Buffer>,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    if (signal.aborted) throw new Error('the process stops')
    yield chunk
  }
}

/** Writes problems as they are found, some at a time. */
function problemKeeper({ db }: ReconContext, id: string) {
  let waiting: LineProblem[] = []
  let kept = 0
  async function flush(): Promise<void> {
    if (waiting.length === 0) return
    const problems = waiting
    waiting = []
    await insertFileProblems(db, id, kept + 1, problems)
    kept += problems.length
  }
  return {
    flush,
    add: async (problem: LineProblem): Promise<void> => {
      if (kept + waiting.length >= problemsKeptMax) return
      waiting.push(problem)
      if (waiting.length >= problemsAtOnce) await flush()
    },
  }
}
