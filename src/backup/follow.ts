/*
 * Receives the log of changes from the server while it is written, and stores it. What was flushed
 * to the archive's disk is reported to the server, which keeps the rest for the slot.
 */
import { randomBytes } from 'node:crypto'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, monotonicMs } from '../kit/clock.ts'
import { makeFolders } from '../kit/folders.ts'
import { Problem } from '../kit/problem.ts'
import type { Log } from '../log/log.ts'
import type { Archive } from './archive.ts'
import { explainFolder, listLog, logFile, openArchiveFor, syncFolder } from './archive.ts'
import type { Lsn } from './lsn.ts'
import { readLsn, segmentAt, startOf, writeLsn } from './lsn.ts'
import type { CopyStream, ReplicationSession } from './replication.ts'
import { openReplication } from './replication.ts'
import type { SealedWriter } from './sealed-file.ts'
import { createSealed } from './sealed-file.ts'
import type { Source } from './source-store.ts'
import { createSlot, dropSlot, findSlot, readSource, slotName } from './source-store.ts'

interface FollowOrder {
  url: string
  folder: string
  key: Buffer
  log: Log
  /** After each write: up to which time, by the server's clock, its changes are stored. */
  progress?(reached: { lsn: Lsn; timeline: number; until: Date }): void
  /** How long the server may say nothing, though it is asked each second. */
  silentMsMax?: number | undefined
  signal: AbortSignal
}

// How long the newest changes may wait for the next flush: four times a second is no load.
const flushEveryMs = 250
// More than this is written without a wait.
const busyBytes = 1024 * 1024
const askEveryMs = 1000
// A machine that is off or cut off closes no connection: another server may be the primary.
const usualSilentMsMax = 30_000
// The server may commit and answer between reading its position and telling the time.
const marginMs = 1000

/** Another process has the slot. */
export class ArchiveTaken extends Problem {
  override name = 'ArchiveTaken'
}

/**
 * Stores the log until the signal comes, the server ends or a write fails. Begins where the archive
 * ends; when the server no longer has that part, it says so and begins anew: the caller must then
 * make a base backup, which `hasLiveBase` tells.
 */
export async function follow(order: FollowOrder): Promise<void> {
  const session = await openReplication(order.url, 'passerelle-archive')
  const writer = { current: undefined as OpenSegment | undefined }
  try {
    const source = await readSource(session)
    const archive = await openArchiveFor(order.folder, order.key, source)
    const from = await findBeginning(session, { archive, source, log: order.log })
    const stream = session.stream(
      `START_REPLICATION SLOT ${slotName} PHYSICAL ${writeLsn(from)} TIMELINE ${source.timeline}`,
    )
    const end = await receive(stream, { ...order, archive, source, from, writer })
    if (end === 'server' && !order.signal.aborted)
      throw new Problem('The server has ended the stream of its log: it begins a new timeline.')
  } catch (problem) {
    throw explainFolder(order.folder, problem as Error)
  } finally {
    await writer.current?.file.close()
    await session.close()
  }
}

interface Beginning {
  archive: Archive
  source: Source
  log: Log
}

async function findBeginning(session: ReplicationSession, parts: Beginning): Promise<Lsn> {
  const { archive, source, log } = parts
  const { segmentBytes } = archive
  const slot = await findSlot(session)
  if (slot?.isActive) throw new ArchiveTaken('Another process receives the log of this server.')
  const isLost = slot !== undefined && (slot.state === 'lost' || slot.restartLsn === null)
  if (isLost) {
    log.error('the server has removed a part of its log before the archive had it')
    await dropSlot(session)
  }
  if (slot === undefined || isLost) await createSlot(session)
  const kept = readLsn((await findSlot(session))?.restartLsn ?? source.position)
  const beginning = startOf(segmentAt(source.timeline, kept, segmentBytes), segmentBytes)

  const own = (await listLog(archive)).find(({ timeline }) => timeline === source.timeline)
  const last = own?.whole.at(-1)
  if (last === undefined) return beginning
  const next = (last + 1n) * BigInt(segmentBytes)
  if (next > readLsn(source.position))
    throw new Problem(
      `${archive.folder} holds a log of this server that goes further than the server itself ` +
        `(${writeLsn(next)} and ${source.position}): it was restored by other means. ` +
        'Use another folder.',
    )
  if (next >= beginning) return next
  log.error(
    { from: writeLsn(next), to: writeLsn(beginning) },
    'a part of the log is missing in the archive: a base backup is made',
  )
  return beginning
}

interface OpenSegment {
  index: bigint
  path: string
  file: SealedWriter
}

interface ReceiveOrder extends FollowOrder {
  archive: Archive
  source: Source
  from: Lsn
  writer: { current: OpenSegment | undefined }
}

async function receive(stream: CopyStream, order: ReceiveOrder): Promise<'server' | 'signal'> {
  const { signal, silentMsMax = usualSilentMsMax } = order
  const run = randomBytes(4).toString('hex')
  let heardMs = monotonicMs()
  let flushed = order.from
  let known = { end: order.from, at: new Date(0) }
  let askedMs = 0
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  const report = () => {
    const isTime = monotonicMs() - askedMs >= askEveryMs
    if (isTime) askedMs = monotonicMs()
    stream.send(statusMessage(flushed, known.at, isTime))
  }
  while (!signal.aborted) {
    await Promise.race([stream.arrival(), sleep(askEveryMs, undefined, { ref: false }), aborted])
    const messages = stream.take().map(readMessage)
    const last = messages.at(-1)
    if (last !== undefined) {
      known = last
      heardMs = monotonicMs()
    }
    if (monotonicMs() - heardMs > silentMsMax)
      throw new Problem('The server has said nothing for too long.')
    const data = joined(messages, flushed)
    if (data.length > 0) flushed = await write(data, { ...order, at: known.at, run, flushed })
    report()
    if (flushed >= known.end && known.at.getTime() > 0)
      order.progress?.({
        lsn: flushed,
        timeline: order.source.timeline,
        until: after(known.at, -marginMs),
      })
    if (stream.hasEnded()) return 'server'
    if (data.length < busyBytes) await Promise.race([sleep(flushEveryMs), aborted])
  }
  stream.finish()
  return 'signal'
}

/** The data of messages, which must go on where the archive ends. */
function joined(messages: Message[], from: Lsn): Buffer {
  let next = from
  const parts = messages.flatMap(({ start, data }) => {
    if (data === undefined) return []
    if (start !== next)
      throw new Problem(`The server went on at ${writeLsn(start)} and not at ${writeLsn(next)}.`)
    next += BigInt(data.length)
    return [data]
  })
  return Buffer.concat(parts)
}

/** Appends to the files of the log, and flushes them; up to where the archive reaches then. */
async function write(
  data: Buffer,
  order: ReceiveOrder & { at: Date; run: string; flushed: Lsn },
): Promise<Lsn> {
  const { archive, source, writer, at, run } = order
  const { segmentBytes } = archive
  let lsn = order.flushed
  for (let offset = 0; offset < data.length; ) {
    const { index } = segmentAt(source.timeline, lsn, segmentBytes)
    const place = logFile(archive, source.timeline, index)
    writer.current ??= await openSegment(place, index, run)
    const left = Number((index + 1n) * BigInt(segmentBytes) - lsn)
    const part = data.subarray(offset, offset + left)
    await writer.current.file.append(part, at, { isLast: part.length === left })
    offset += part.length
    lsn += BigInt(part.length)
    if (part.length < left) continue
    await closeSegment(place, writer.current)
    writer.current = undefined
  }
  await writer.current?.file.sync()
  return lsn
}

type Place = ReturnType<typeof logFile>

async function openSegment(place: Place, index: bigint, run: string): Promise<OpenSegment> {
  await makeFolders(place.folder)
  const path = join(place.folder, `${place.segment}.${run}.partial`)
  return { index, path, file: await createSealed({ ...place, path }) }
}

async function closeSegment(place: Place, { path, file }: OpenSegment): Promise<void> {
  await file.sync()
  await file.close()
  await rename(path, place.path)
  await syncFolder(place.folder)
  // What earlier runs had received of it.
  for (const name of await readdir(place.folder))
    if (name.startsWith(`${place.segment}.`) && name.endsWith('.partial'))
      await rm(join(place.folder, name))
}

// PostgreSQL counts microseconds from 2000.
const epochMs = Date.UTC(2000, 0, 1)

interface Message {
  start: Lsn
  /** Up to where the server's log reached, and when. */
  end: Lsn
  at: Date
  data?: Buffer
}

function readMessage(message: Buffer): Message {
  const kind = String.fromCharCode(message[0] ?? 0)
  const timeOf = (offset: number) =>
    new Date(epochMs + Number(message.readBigInt64BE(offset) / 1000n))
  const start = message.readBigUInt64BE(1)
  if (kind === 'k') return { start, end: start, at: timeOf(9) }
  if (kind !== 'w') throw new Problem(`The server sent a message of the unknown kind ${kind}.`)
  return { start, end: message.readBigUInt64BE(9), at: timeOf(17), data: message.subarray(25) }
}

function statusMessage(flushed: Lsn, at: Date, wantsAnswer: boolean): Buffer {
  const message = Buffer.alloc(34)
  message.write('r', 0)
  for (const offset of [1, 9, 17]) message.writeBigUInt64BE(flushed, offset)
  message.writeBigInt64BE(BigInt(Math.max(0, at.getTime() - epochMs)) * 1000n, 25)
  message.writeUInt8(wantsAnswer ? 1 : 0, 33)
  return message
}
