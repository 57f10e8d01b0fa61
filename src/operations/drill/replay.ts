/*
 * What the log of a PostgreSQL tells that replayed an archive. It ends its replay without an error
 * where a file is missing or damaged, as at the end of the archive: only who knows what the server
 * has handed over can tell them apart.
 */
import { oneLine } from '#base/kit/one-line.ts'
import { nameOfSegment, readLsn, segmentOfName } from './lsn.ts'

/** How far a replay went. */
export interface Replay {
  /** When the backup was made that it began with. */
  backupAt: Date | null
  /** The position of the last change; null: it did not come to an end. */
  end: string | null
  lastCommitAt: Date | null
  /** The last file of the log that the archive gave. */
  lastFile: string | null
  /** Why it ended where it did, in PostgreSQL's or the archive's words; null: it found no more. */
  reason: string | null
  isBeforeMoment: boolean
}

const time = String.raw`(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?)(?: UTC|\+00)`
const started = new RegExp(
  'database system was (?:interrupted; last known up at|interrupted while in recovery at log time' +
    `|shut down(?: in recovery)? at) ${time}`,
)
const commit = new RegExp(`last completed transaction was at log time ${time}`, 'g')
// A record that is not there is the end of what was handed over.
const damage = new RegExp(
  'LOG: +(?!.*(?:wanted|at least) 24, got 0)' +
    '((?:invalid|incorrect|unexpected|there is no|record with|out-of|missing) ' +
    String.raw`.* at [0-9A-F]+\/[0-9A-F]+.*)`,
)

/** Reads the log, whose times are UTC. */
export function readReplay(log: string): Replay {
  const end = [...log.matchAll(/redo done at ([0-9A-F]+\/[0-9A-F]+)/g)].at(-1)
  const replayed = log.slice(0, end?.index)
  const files = [...replayed.matchAll(/restored log file "([0-9A-F]{24})" from archive/g)]
  const last = files.at(-1)
  const after = replayed.slice(last?.index ?? 0)
  const said = [...after.matchAll(/^(?:\S+ \S+ P\d\d +)?ERROR: (.*)$/gm)].at(-1)?.[1]
  const reason = damage.exec(after)?.[1] ?? said
  return {
    backupAt: dateOf(started.exec(log)?.[1]),
    end: end?.[1] ?? null,
    lastCommitAt: dateOf([...log.matchAll(commit)].at(-1)?.[1]),
    lastFile: last?.[1] ?? null,
    reason: reason === undefined ? null : oneLine(reason, 200).replace(/\.$/, ''),
    isBeforeMoment: log.includes('before configured recovery target'),
  }
}

function dateOf(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(`${text.replace(' ', 'T')}Z`)
}

/** What the live server had handed over when the restore began. */
export interface HandedOver {
  file: string
  segmentBytes: number
}

/** What is wrong where a replay ended before what had been handed over; undefined: it did not. */
export function shortReplay(replay: Replay, handed: HandedOver): string | undefined {
  const { segmentBytes } = handed
  const expected = segmentOfName(handed.file, segmentBytes)
  if (expected === undefined) return undefined
  if (replay.end !== null && readLsn(replay.end) / BigInt(segmentBytes) >= expected.index)
    return undefined
  const last = replay.lastFile === null ? undefined : segmentOfName(replay.lastFile, segmentBytes)
  const whole = `though the server had archived all up to ${handed.file.slice(0, 24)}`
  const until =
    replay.lastCommitAt === null
      ? ''
      : ` The last moment before is ${replay.lastCommitAt.toISOString()}.`
  if (replay.reason !== null)
    return (
      `The WAL in the archive cannot be read after ${replay.lastFile ?? 'its beginning'}, ` +
      `${whole}: ${replay.reason}.${until}`
    )
  const next = last === undefined ? undefined : { ...last, index: last.index + 1n }
  const missing =
    next === undefined ? 'that the backup begins with' : nameOfSegment(next, segmentBytes)
  return `The WAL file ${missing} is missing in the archive, ${whole}.${until}`
}
