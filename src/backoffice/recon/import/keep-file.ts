import { createHash } from 'node:crypto'
import { after } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import { oneLine } from '#base/kit/one-line.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import type { Db } from '#data/db/db.ts'
import type { ReconContext } from '../context.ts'
import type { KeptFile } from './file.ts'
import { deleteFile, insertFile, insertFileChunk, moveFile, readFileChunk } from './file-store.ts'
import { checkTimes } from './import.ts'
import { checkParty } from './party.ts'
import type { Party, Statement } from './statement.ts'
import { findSameFile } from './statement-store.ts'

/** How large a file may be that comes through a browser. */
const fileBytesMax = 2 ** 31

const chunkBytes = 1024 * 1024
// A file whose sender is gone is removed after this time, one that nobody imports after a day.
const arrivingMs = 600_000
const readyMs = 86_400_000

export interface KeepOrder extends Party {
  name: string
  file: AsyncIterable<Uint8Array>
  from?: Date | undefined
  to?: Date | undefined
  actor: string
}

/** A file that is new, or the statement that the same file was imported as. */
export type Kept = { file: KeptFile } | { statement: Statement }

/**
 * Stores a file as it arrives, in parts, so that whoever sent it can look at what is understood of
 * it before any process imports it. Nothing stays of one that does not arrive to its end.
 */
export async function keepFile({ db, clock }: ReconContext, order: KeepOrder): Promise<Kept> {
  checkParty(order)
  checkTimes(order)
  const { provider, country, actor, from = null, to = null } = order
  const now = clock.now()
  const id = newId(now)
  const name = oneLine(order.name, 200) || '1'
  const head = { id, provider, country, name, fromAt: from, toAt: to }
  const own = { uploadedBy: actor, uploadedAt: now }
  await insertFile(db, { ...head, ...own }, after(now, arrivingMs))
  try {
    const hash = createHash('sha256')
    let number = 0
    for await (const content of inChunks(order.file)) {
      hash.update(content)
      number += 1
      const chunk = { number, content, dueAt: after(clock.now(), arrivingMs) }
      await db.transaction((tx) => insertFileChunk(tx, id, chunk))
    }
    if (number === 0)
      throw new Refusal('validation_failed', reason('The file is empty', {}, 'file'))
    const statement = await findSameFile(db, order, hash.digest('hex'))
    if (statement !== undefined) {
      await deleteFile(db, id)
      return { statement }
    }
    const dueAt = after(clock.now(), readyMs)
    const file = await moveFile(db, id, ['arriving'], { state: 'ready', dueAt })
    if (file === undefined) throw new Error(`file ${id} is gone`)
    return { file }
  } catch (problem) {
    // Lost with the connection: it is removed when its time has passed.
    await deleteFile(db, id).catch(() => {})
    throw problem
  }
}

/** Joins what arrives to parts of about a megabyte. */
async function* inChunks(file: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let [waiting, length, whole] = [[] as Uint8Array[], 0, 0]
  for await (const block of file) {
    waiting.push(block)
    length += block.length
    whole += block.length
    if (whole > fileBytesMax)
      throw new Refusal(
        'body_too_large',
        reason('The file is larger than {bytesMax} bytes', { bytesMax: fileBytesMax }, 'file'),
      )
    if (length < chunkBytes) continue
    yield Buffer.concat(waiting)
    waiting = []
    length = 0
  }
  if (length > 0) yield Buffer.concat(waiting)
}

/** The bytes of a file that has arrived, all of them, or an error. */
export async function* readKeptFile(
  db: Db,
  { id, bytes }: Pick<KeptFile, 'id' | 'bytes'>,
): AsyncGenerator<Buffer> {
  for (let [number, read] = [1, 0]; read < bytes; number += 1) {
    const chunk = await readFileChunk(db, id, number)
    if (chunk === undefined) throw new Error(`file ${id} ends early`)
    read += chunk.length
    yield chunk
  }
}
