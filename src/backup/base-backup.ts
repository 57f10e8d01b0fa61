import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '../kit/problem.ts'
import type { Archive, Base } from './archive.ts'
import { baseFiles, explainFolder, openArchiveFor, publishBase, removeDrafts } from './archive.ts'
import type { CopyStream, ReplicationSession } from './replication.ts'
import { openReplication } from './replication.ts'
import type { SealedWriter } from './sealed-file.ts'
import { createSealed } from './sealed-file.ts'
import { holdLog, readServerTime, readSource, tryLock } from './source-store.ts'

interface BaseOrder {
  /** The server, with a login that may replicate. */
  url: string
  folder: string
  key: Buffer
  /** Spreads the reading over time, so that payments do not wait for the disk. */
  isGentle?: boolean
  /** Bytes of the server's files so far. */
  progress?(bytes: number): void
  signal?: AbortSignal
}

const chunkBytes = 1024 * 1024
const gentleKbPerSecond = 64 * 1024

/**
 * Makes a base backup: the server's files as they are while payments go on, with the part of the
 * log that makes them one state. It counts only once all of it is on the disk.
 */
export async function makeBase(order: BaseOrder): Promise<Base> {
  const session = await openReplication(order.url, 'passerelle-backup')
  try {
    await takeLock(session)
    const source = await readSource(session)
    const archive = await openArchiveFor(order.folder, order.key, source)
    await removeDrafts(archive)
    await holdLog(session, `passerelle_base_${randomBytes(6).toString('hex')}`)
    const startedAt = await readServerTime(session)
    const name = startedAt.replaceAll(/[-:]|\.\d+/g, '')
    const stored = await store(archive, { ...order, session, name })
    const base = {
      name,
      systemId: source.systemId,
      segmentBytes: source.segmentBytes,
      serverVersion: source.serverVersion,
      database: source.database,
      login: source.login,
      ...stored,
      startedAt,
      endedAt: await readServerTime(session),
    }
    await publishBase(archive, base)
    return base
  } catch (problem) {
    throw explainFolder(order.folder, problem as Error)
  } finally {
    await session.close()
  }
}

// The server may take a moment to notice that a process was killed which had the lock.
const lockTries = { most: 20, everyMs: 250 }

async function takeLock(session: ReplicationSession): Promise<void> {
  for (let tries = 0; !(await tryLock(session, 'passerelle base backup')); tries += 1) {
    if (tries === lockTries.most) throw new Problem('Another base backup is under way.')
    await sleep(lockTries.everyMs)
  }
}

type StoreOrder = BaseOrder & { session: ReplicationSession; name: string }

async function store(archive: Archive, order: StoreOrder) {
  const files = baseFiles(archive, order.name, true)
  await mkdir(files.folder, { mode: 0o700 })
  const [tar, manifest] = [await createSealed(files.tar), await createSealed(files.manifest)]
  try {
    const pace = order.isGentle ? `CHECKPOINT 'spread', MAX_RATE ${gentleKbPerSecond}` : ''
    const stream = order.session.stream(
      `BASE_BACKUP (LABEL 'passerelle', WAL true, MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256',
        ${pace || `CHECKPOINT 'fast'`})`,
    )
    const bytes = await receive(stream, { tar, manifest }, order)
    const [[startLsn, timeline] = []] = stream.results[0] ?? []
    const [[endLsn] = []] = stream.results.at(-1) ?? []
    if (!startLsn || !endLsn || stream.results.length < 3)
      throw new Problem('The server ended the backup without saying where it ends.')
    const storedBytes = tar.bytes() + manifest.bytes()
    return { timeline: Number(timeline), startLsn, endLsn, bytes, storedBytes }
  } finally {
    await Promise.all([tar.close(), manifest.close()])
  }
}

/** Writes what the server sends: its files as one tar, then its list of them. */
async function receive(
  stream: CopyStream,
  { tar, manifest }: { tar: SealedWriter; manifest: SealedWriter },
  { progress, signal }: BaseOrder,
): Promise<number> {
  let writer = tar
  let archives = 0
  let waiting: Buffer[] = []
  let waitingBytes = 0
  let bytes = 0
  const flush = async (isLast = false) => {
    await writer.append(Buffer.concat(waiting), new Date(0), { isLast })
    waiting = []
    waitingBytes = 0
  }
  for await (const message of stream.messages()) {
    signal?.throwIfAborted()
    const kind = String.fromCharCode(message[0] ?? 0)
    if (kind === 'n' && ++archives > 1)
      throw new Problem('The server has tablespaces of its own, which a backup does not support.')
    if (kind === 'm') {
      await flush(true)
      writer = manifest
    }
    if (kind !== 'd') continue
    waiting.push(message.subarray(1))
    waitingBytes += message.length - 1
    bytes += message.length - 1
    if (waitingBytes < chunkBytes) continue
    await flush()
    progress?.(bytes)
  }
  if (writer !== manifest) throw new Problem('The server sent no list of its files.')
  await flush(true)
  await Promise.all([tar.sync(), manifest.sync()])
  return bytes
}
