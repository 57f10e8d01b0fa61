import type { Clock } from '../kit/clock.ts'
import { Problem } from '../kit/problem.ts'
import type { Archive } from './archive.ts'
import { listBases, listLog, logFile, openArchive } from './archive.ts'
import { nameOfSegment } from './lsn.ts'
import { findGap } from './plan.ts'
import { nowhere, readBase } from './read-base.ts'
import type { Restored } from './restore.ts'
import { restore } from './restore.ts'
import { readSealed } from './sealed-file.ts'

export interface CheckOrder {
  folder: string
  key: Buffer
  /** A folder in which the newest state is restored and then removed again. */
  workFolder: string
  programs: string | null
  clock: Clock
  report?(step: string): void
  /** Proves the restored database; what it finds wrong. */
  prove(url: string): Promise<string[]>
  signal?: AbortSignal | undefined
}

/** What a check found. */
export interface Checked {
  bases: number
  logFiles: number
  /** Undefined: it could not be restored. */
  restored: Restored | undefined
  /** Everything that is wrong; empty: the archive holds. */
  problems: string[]
}

/**
 * Proves an archive: opens every file of it, looks for gaps in the log, and restores the newest
 * state to prove it as `verify` does.
 */
export async function checkArchive(order: CheckOrder): Promise<Checked> {
  const found = await checkFiles(order)
  const problems = [...found.problems]
  order.signal?.throwIfAborted()
  const restored = await restoreNewest(order, problems).catch((problem: Error) => {
    problems.push(expected(problem))
    return undefined
  })
  return { ...found, restored, problems: [...new Set(problems)] }
}

type FilesOrder = Pick<CheckOrder, 'folder' | 'key' | 'report' | 'signal'>

/** Opens every file of an archive, and looks for gaps in the log. */
export async function checkFiles(order: FilesOrder): Promise<Omit<Checked, 'restored'>> {
  const { report = () => {}, signal } = order
  const archive = await openArchive(order.folder, order.key)
  const { bases, problems } = await listBases(archive)
  const attempt = async (work: Promise<unknown>) => {
    await work.catch((problem: Error) => problems.push(expected(problem)))
    signal?.throwIfAborted()
  }
  for (const base of bases) {
    report(`Reading the base backup ${base.name}`)
    await attempt(readBase(archive, base, nowhere, () => signal?.throwIfAborted()))
  }
  report('Reading the log of changes')
  const log = await listLog(archive)
  const files = log.flatMap(({ timeline, whole }) => whole.map((index) => ({ timeline, index })))
  for (const { timeline, index } of files) await attempt(readLogFile(archive, timeline, index))
  // Twice: a file may get its name while they are listed.
  const again = await listLog(archive)
  for (const base of bases) {
    const index = findGap(base, log)
    if (index === undefined || findGap(base, again) !== index) continue
    const name = nameOfSegment({ timeline: base.timeline, index }, archive.segmentBytes)
    problems.push(`The file ${name} of the log is missing after the base backup ${base.name}.`)
  }
  return { bases: bases.length, logFiles: files.length, problems }
}

/** What is wrong with the archive, in a sentence; any other error is thrown. */
function expected(problem: Error): string {
  if (problem instanceof Problem) return problem.message
  const { code } = problem as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'EIO') return problem.message
  throw problem
}

function restoreNewest(order: CheckOrder, problems: string[]): Promise<Restored> {
  const { folder, key, workFolder, programs, clock, report = () => {}, signal } = order
  return restore({
    folder,
    key,
    into: workFolder,
    keep: false,
    programs,
    clock,
    report,
    signal,
    inspect: async (url) => {
      report('Proving what was restored')
      problems.push(...(await order.prove(url)))
    },
  })
}

async function readLogFile(archive: Archive, timeline: number, index: bigint): Promise<void> {
  const file = logFile(archive, timeline, index)
  let bytes = 0
  for await (const { data } of readSealed(file)) bytes += data.length
  if (bytes !== archive.segmentBytes) throw new Problem(`${file.path} is not whole.`)
}
