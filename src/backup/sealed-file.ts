/*
 * Files that are compressed and encrypted while they are written. A file has a key of its own,
 * derived from the archive's key and a random salt in its header. Chunks are numbered: a chunk's
 * number is its nonce, and number, end mark, time and the name of the file are authenticated with
 * it. So no chunk can be changed, left out, repeated, moved or taken from another file, and a file
 * that was cut off is missed by its end mark.
 *
 * header: 8 bytes magic, 16 bytes salt
 * chunk:  4 bytes length of what follows, 1 byte end mark, 8 bytes time, data, 16 bytes tag
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { promisify } from 'node:util'
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { Problem } from '../kit/problem.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

const magic = Buffer.from('PSRLBK01')
const saltBytes = 16
const tagBytes = 16
const prefixBytes = 13 // length, end mark, time
/** A reader refuses larger chunks: a damaged length must not take all memory. */
const chunkBytesMax = 20 * 1024 * 1024
// The fastest real level: half the size of the second for tables and the log, at 500 MB/s.
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/** What is wrong with a file of the archive. */
export class DamagedFile extends Problem {
  override name = 'DamagedFile'
}

/** A file under way: chunks are appended in order. */
export interface SealedWriter {
  /** Appends a chunk; `at` is a time that is kept with it. */
  append(data: Buffer, at: Date, options?: { isLast?: boolean }): Promise<void>
  sync(): Promise<void>
  /** How large the file is so far. */
  bytes(): number
  close(): Promise<void>
}

interface SealedPlace {
  path: string
  key: Buffer
  /** What the file is, whatever it is called on the disk: its chunks open only under this name. */
  name: string
}

/** Creates a file; it must not exist. */
export async function createSealed({ path, key, name }: SealedPlace): Promise<SealedWriter> {
  const file = await open(path, 'wx', 0o600)
  const salt = randomBytes(saltBytes)
  const own = fileKey(key, salt)
  let bytes = magic.length + saltBytes
  let count = 0
  await file.writeFile(Buffer.concat([magic, salt]))
  return {
    append: async (data, at, { isLast = false } = {}) => {
      const prefix = Buffer.alloc(prefixBytes)
      prefix.writeUInt8(isLast ? 1 : 0, 4)
      prefix.writeBigInt64BE(BigInt(at.getTime()), 5)
      const packed = await compress(data, compression)
      const cipher = createCipheriv('aes-256-gcm', own, nonceOf(count))
      cipher.setAAD(contextOf(name, prefix))
      const sealed = Buffer.concat([cipher.update(packed), cipher.final(), cipher.getAuthTag()])
      prefix.writeUInt32BE(sealed.length, 0)
      // One write: a kill between two would leave a chunk that has no beginning of the next.
      await file.appendFile(Buffer.concat([prefix, sealed]))
      count += 1
      bytes += prefixBytes + sealed.length
    },
    sync: () => file.sync(),
    bytes: () => bytes,
    close: () => file.close(),
  }
}

export interface Chunk {
  data: Buffer
  at: Date
  isLast: boolean
}

/**
 * Reads a file chunk by chunk. Throws `DamagedFile` for anything but what was written under this
 * name and key. `isOpenEnded`: a file that was being written when its process died ends with its
 * last whole chunk.
 */
export async function* readSealed(
  { path, key, name }: SealedPlace,
  { isOpenEnded = false } = {},
): AsyncGenerator<Chunk> {
  const file = await open(path)
  const damaged = (what: string) => new DamagedFile(`${path} ${what}.`)
  try {
    const header = await readBytes(file, magic.length + saltBytes)
    if (isOpenEnded && header.length < magic.length + saltBytes) return
    if (!header.subarray(0, magic.length).equals(magic)) throw damaged('is not a file of a backup')
    const own = fileKey(key, header.subarray(magic.length))
    for (let count = 0; ; count += 1) {
      const prefix = await readBytes(file, prefixBytes)
      const length = prefix.length < prefixBytes ? 0 : prefix.readUInt32BE(0)
      if (length > chunkBytesMax) throw damaged(`is damaged in chunk ${count + 1}`)
      const sealed = await readBytes(file, length)
      if (prefix.length < prefixBytes || sealed.length < length) {
        if (isOpenEnded) return
        throw damaged('is cut off')
      }
      const packed = unsealChunk(own, { count, name, prefix, sealed })
      if (packed === undefined)
        throw damaged(
          count === 0
            ? 'cannot be opened: it is damaged, or the key is not the one it was made with'
            : `is damaged in chunk ${count + 1}`,
        )
      const data = await decompress(packed)
      const isLast = prefix.readUInt8(4) === 1
      yield { data, at: new Date(Number(prefix.readBigInt64BE(5))), isLast }
      if (!isLast) continue
      if ((await readBytes(file, 1)).length > 0) throw damaged('goes on after its end')
      return
    }
  } finally {
    await file.close()
  }
}

function unsealChunk(
  key: Buffer,
  chunk: { count: number; name: string; prefix: Buffer; sealed: Buffer },
): Buffer | undefined {
  const { count, name, prefix, sealed } = chunk
  if (sealed.length < tagBytes) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(count))
  decipher.setAAD(contextOf(name, prefix)).setAuthTag(sealed.subarray(-tagBytes))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -tagBytes)), decipher.final()])
  } catch {
    return undefined
  }
}

function fileKey(key: Buffer, salt: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, 'passerelle backup file', 32))
}

function nonceOf(count: number): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(count, 8)
  return nonce
}

/** End mark, time and the file's name: all that is authenticated beside the data itself. */
function contextOf(name: string, prefix: Buffer): Buffer {
  return Buffer.concat([prefix.subarray(4), Buffer.from(name)])
}

async function readBytes(file: FileHandle, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await file.read(buffer, filled, length - filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return buffer.subarray(0, filled)
}
