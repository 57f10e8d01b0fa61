/*
 * What an archive can restore, as plain functions over what is in it.
 */
import { Problem } from '../kit/problem.ts'
import type { Base, TimelineFiles } from './archive.ts'
import { readLsn } from './lsn.ts'

/** The place of the last file of the log that a base backup holds itself, whole. */
export function lastOwnIndex({ endLsn, segmentBytes }: Base): bigint {
  return (readLsn(endLsn) - 1n) / BigInt(segmentBytes)
}

/** The base backup to begin with: the last one that has ended by this moment. */
export function chooseBase(bases: Base[], to: Date | undefined): Base {
  const usable = bases.filter(({ endedAt }) => to === undefined || new Date(endedAt) <= to)
  const last = usable.at(-1)
  if (last !== undefined) return last
  const [first] = bases
  if (first === undefined) throw new Problem('There is no base backup in the archive.')
  throw new Problem(
    `The first moment that can be restored is ${first.endedAt}, the end of the first base backup.`,
  )
}

/** The whole files of the log that follow a base backup without a gap, in order. */
export function filesAfter(base: Base, log: TimelineFiles[]): bigint[] {
  const whole = new Set(wholeOn(log, base.timeline))
  const found: bigint[] = []
  for (let index = lastOwnIndex(base) + 1n; whole.has(index); index += 1n) found.push(index)
  return found
}

/** The first file that is missing after a base backup, though later ones are there. */
export function findGap(base: Base, log: TimelineFiles[]): bigint | undefined {
  const next = (filesAfter(base, log).at(-1) ?? lastOwnIndex(base)) + 1n
  const own = log.find(({ timeline }) => timeline === base.timeline)
  const later = [...(own?.whole ?? []), ...(own?.partial ?? []).map(({ index }) => index)]
  return later.some((index) => index > next) ? next : undefined
}

/**
 * Whether the log goes on without a gap from a base backup to the file that is being received: only
 * then does receiving more make more moments restorable.
 */
export function hasLiveBase(
  bases: Base[],
  log: TimelineFiles[],
  current: { timeline: number; index: bigint },
): boolean {
  const whole = new Set(wholeOn(log, current.timeline))
  let first = current.index
  while (whole.has(first - 1n)) first -= 1n
  return bases.some(
    (base) => base.timeline === current.timeline && lastOwnIndex(base) + 1n >= first,
  )
}

function wholeOn(log: TimelineFiles[], timeline: number): bigint[] {
  return log.find((one) => one.timeline === timeline)?.whole ?? []
}

/** What is no longer needed to restore to any moment since the cutoff. */
export interface Expired {
  bases: Base[]
  /** Files of the log: on this timeline, those before this place. */
  log: { timeline: number; before: bigint }[]
}

/**
 * Finds what retention may remove. A moment needs the last base backup that ended before it, and
 * the log from its beginning on: so the last base backup from before the cutoff stays.
 */
export function findExpired(bases: Base[], log: TimelineFiles[], cutoff: Date): Expired {
  const old = bases.filter(({ endedAt }) => new Date(endedAt) <= cutoff)
  const expired = old.slice(0, -1)
  const kept = bases.filter((base) => !expired.includes(base))
  if (kept.length === 0) return { bases: [], log: [] }
  const oldest = Math.min(...kept.map(({ timeline }) => timeline))
  const removable = log.flatMap(({ timeline, whole }) => {
    const first = kept.find((base) => base.timeline === timeline)
    if (first !== undefined) return [{ timeline, before: lastOwnIndex(first) + 1n }]
    // Without a base backup a timeline can be restored no more, unless it is the newest one.
    return timeline < oldest ? [{ timeline, before: (whole.at(-1) ?? -1n) + 1n }] : []
  })
  return { bases: expired, log: removable }
}
