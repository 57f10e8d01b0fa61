import { chmod, chown, copyFile, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '../kit/problem.ts'
import type { Account, DataFolder } from '../postgres/data-folder.ts'
import type { Archive, Base, TimelineFiles } from './archive.ts'
import { listLog, logFile } from './archive.ts'
import type { Lsn } from './lsn.ts'
import { nameOfSegment, readLsn, segmentOfName } from './lsn.ts'
import { filesAfter, findGap, lastOwnIndex } from './plan.ts'
import { readSealed } from './sealed-file.ts'

/** What was found of the log. */
export interface Placed {
  files: number
  /** Up to where it reaches. */
  end: Lsn
  until: Date | null
}

interface PlaceOrder {
  /** The cluster that is being built, and who owns its files. */
  draft: DataFolder
  owner: Account | undefined
  to?: Date | undefined
  /** The pg_wal of a crashed cluster. */
  crashedLog?: string | undefined
}

// A file of the log whose first part came this long after the moment is not needed to reach it.
const beyondMs = 60_000

/** Writes the log after the base backup into the cluster's pg_wal, as far as it is needed. */
export async function placeLog(archive: Archive, base: Base, order: PlaceOrder): Promise<Placed> {
  const folder = join(order.draft.cluster, 'pg_wal')
  const log = await listLog(archive)
  const write = (index: bigint, path: string, isOpenEnded: boolean) =>
    writeSegment(
      { ...logFile(archive, base.timeline, index), path },
      { folder, wholeBytes: archive.segmentBytes, isOpenEnded },
    )
  let until: Date | null = null
  let files = 0
  let next = lastOwnIndex(base) + 1n
  let best = 0
  const isEnough = () =>
    order.to !== undefined && until !== null && until.getTime() > order.to.getTime() + beyondMs
  for (const index of filesAfter(base, log)) {
    if (isEnough()) break
    const { path } = logFile(archive, base.timeline, index)
    until = (await write(index, path, false)).until ?? until
    files += 1
    next = index + 1n
  }
  if (!isEnough()) {
    const own = log.find(({ timeline }) => timeline === base.timeline)?.partial ?? []
    for (const { path } of own.filter(({ index }) => index === next)) {
      const { bytes, until: at } = await sizeOf({ ...logFile(archive, base.timeline, next), path })
      if (bytes <= best) continue
      best = bytes
      until = at ?? until
      await write(next, path, true)
    }
    refuseGap(archive, { base, log, until, to: order.to })
    if (order.crashedLog !== undefined) await takeCrashedLog(archive, base, next, order)
  }
  await markTimelines(
    folder,
    log.map(({ timeline }) => timeline),
    base.timeline,
  )
  for (const name of await readdir(folder))
    if (order.owner) await chown(join(folder, name), order.owner.uid, order.owner.gid)
  const isOwn = files === 0 && best === 0
  const end = next * BigInt(archive.segmentBytes) + BigInt(best)
  return { files, until, end: isOwn ? readLsn(base.endLsn) : end }
}

interface Found {
  base: Base
  log: TimelineFiles[]
  until: Date | null
  to: Date | undefined
}

/** What comes after a gap cannot be reached; a restore must not end there without a word. */
function refuseGap(archive: Archive, { base, log, until, to }: Found): void {
  if (to !== undefined && until !== null && to <= until) return
  const index = findGap(base, log)
  if (index === undefined) return
  const name = nameOfSegment({ timeline: base.timeline, index }, archive.segmentBytes)
  const last = until?.toISOString() ?? base.endedAt
  throw new Problem(
    `The file ${name} of the log is missing in the archive. After the base backup ${base.name} ` +
      `the last moment that can be restored is about ${last}: give it with --to.`,
  )
}

type Sealed = ReturnType<typeof logFile>

interface SegmentOrder {
  folder: string
  /** How long a file of the log is; what has not come of it is zero. */
  wholeBytes: number
  isOpenEnded: boolean
}

async function writeSegment(
  sealed: Sealed,
  { folder, wholeBytes, isOpenEnded }: SegmentOrder,
): Promise<Pick<Placed, 'until'>> {
  const path = join(folder, sealed.segment)
  const file = await open(path, 'w', 0o600)
  let until: Date | null = null
  try {
    for await (const { data, at } of readSealed(sealed, { isOpenEnded })) {
      await file.appendFile(data)
      until = at
    }
    // PostgreSQL reads whole pages: of a file that ends within one it would not see the last one.
    if (isOpenEnded) await file.truncate(wholeBytes)
  } finally {
    await file.close()
  }
  return { until }
}

async function sizeOf(sealed: Sealed): Promise<{ bytes: number; until: Date | null }> {
  let bytes = 0
  let until: Date | null = null
  for await (const { data, at } of readSealed(sealed, { isOpenEnded: true })) {
    bytes += data.length
    until = at
  }
  return { bytes, until }
}

/** Copies what the archive has not: whole files, whose records tell themselves where they end. */
async function takeCrashedLog(
  { segmentBytes }: Archive,
  base: Base,
  from: bigint,
  { crashedLog = '', draft }: PlaceOrder,
): Promise<void> {
  let taken = 0
  for (const name of await readdir(crashedLog)) {
    const segment = segmentOfName(name, segmentBytes)
    if (segment?.timeline !== base.timeline || segment.index < from) continue
    await copyFile(join(crashedLog, name), join(draft.cluster, 'pg_wal', name))
    await chmod(join(draft.cluster, 'pg_wal', name), 0o600)
    taken += 1
  }
  if (taken > 0) return
  const name = nameOfSegment({ timeline: base.timeline, index: from }, segmentBytes)
  throw new Problem(`${crashedLog} has no file of the log from ${name} on.`)
}

/** Marks timelines of the archive as used, so that the restored server begins one of its own. */
async function markTimelines(folder: string, known: number[], own: number): Promise<void> {
  for (const timeline of known.filter((one) => one > own)) {
    const name = `${timeline.toString(16).toUpperCase().padStart(8, '0')}.history`
    const file = await open(join(folder, name), 'a', 0o600)
    await file.writeFile(`${own}\t0/0\tknown to the archive\n`)
    await file.close()
  }
}
