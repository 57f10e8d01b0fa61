import type { FileHandle } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { crc32, createInflateRaw } from 'node:zlib'
import { TableProblem } from './table.ts'

interface ZipEntry {
  method: number
  isEncrypted: boolean
  crc: number
  packedBytes: number
  offset: number
}

/** An archive whose parts are read by their names. */
export interface ZipFile {
  has(name: string): boolean
  /** The bytes of a part. All parts together unpack to so many bytes at most. */
  read(name: string): AsyncGenerator<Buffer>
}

const endMark = 0x0605_4b50
const entryMark = 0x0201_4b50
const localMark = 0x0403_4b50
const endBytes = 22
const commentBytesMax = 65_535
// A workbook has some ten parts; one with pictures some hundreds.
const directoryBytesMax = 1_000_000
const blockBytes = 65_536
// Rows of real workbooks unpack to ten or twenty times their bytes; what is made to cost, to a
// thousand times. Below so many bytes nothing costs.
const [ratioMax, freeBytes] = [200, 8_000_000]

/** Opens an archive by the directory at its end. */
export async function openZip(
  file: FileHandle,
  bytes: number,
  unpackedBytesMax: number,
): Promise<ZipFile> {
  const entries = readDirectory(await directoryOf(file, bytes))
  const most = Math.min(unpackedBytesMax, Math.max(freeBytes, ratioMax * bytes))
  let unpacked = 0
  const count = (block: Buffer) => {
    unpacked += block.length
    if (unpacked > most)
      throw new TableProblem('The file unpacks to more than {unpackedBytesMax} bytes', {
        unpackedBytesMax: most,
      })
  }
  return {
    has: (name) => entries.has(keyOf(name)),
    async *read(name) {
      const entry = entries.get(keyOf(name))
      if (entry === undefined) throw damaged()
      for await (const block of unpack(file, entry)) {
        count(block)
        yield block
      }
    },
  }
}

/** The problem of bytes that are not those of an intact archive. */
export function damaged(): TableProblem {
  return new TableProblem('The file is damaged: it ends too early or was changed on its way')
}

// Names of parts are the same in capitals.
function keyOf(name: string): string {
  return name.replaceAll('\\', '/').replace(/^\//, '').toLowerCase()
}

async function directoryOf(file: FileHandle, bytes: number): Promise<Buffer> {
  const tailBytes = Math.min(bytes, endBytes + commentBytesMax)
  const tail = await readAt(file, bytes - tailBytes, tailBytes)
  let at = tail.length - endBytes
  while (at >= 0 && tail.readUInt32LE(at) !== endMark) at -= 1
  if (at < 0) throw damaged()
  const size = tail.readUInt32LE(at + 12)
  const offset = tail.readUInt32LE(at + 16)
  if (size > directoryBytesMax || offset + size > bytes) throw damaged()
  return readAt(file, offset, size)
}

function readDirectory(directory: Buffer): Map<string, ZipEntry> {
  const entries = new Map<string, ZipEntry>()
  let at = 0
  while (at + 46 <= directory.length && directory.readUInt32LE(at) === entryMark) {
    const nameBytes = directory.readUInt16LE(at + 28)
    const name = directory.toString('utf8', at + 46, at + 46 + nameBytes)
    entries.set(keyOf(name), {
      isEncrypted: (directory.readUInt16LE(at + 8) & 1) === 1,
      method: directory.readUInt16LE(at + 10),
      crc: directory.readUInt32LE(at + 16),
      packedBytes: directory.readUInt32LE(at + 20),
      offset: directory.readUInt32LE(at + 42),
    })
    at += 46 + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  return entries
}

async function* unpack(file: FileHandle, entry: ZipEntry): AsyncGenerator<Buffer> {
  if (entry.isEncrypted) throw new TableProblem('The file has a password: save it without one')
  if (entry.method !== 0 && entry.method !== 8) throw damaged()
  const packed = packedBlocks(file, entry)
  const blocks = entry.method === 0 ? packed : inflated(packed)
  let crc = 0
  for await (const block of blocks) {
    crc = crc32(block, crc)
    yield block
  }
  if (crc !== entry.crc) throw damaged()
}

async function* inflated(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // An error of either reaches the loop below, through the stream that is read there.
  const inflate = pipeline(Readable.from(packed), createInflateRaw(), () => {})
  try {
    for await (const block of inflate) yield block as Buffer
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code?.startsWith('Z_')) throw damaged()
    throw problem
  }
}

async function* packedBlocks(
  file: FileHandle,
  { offset, packedBytes }: ZipEntry,
): AsyncGenerator<Buffer> {
  const header = await readAt(file, offset, 30)
  if (header.readUInt32LE(0) !== localMark) throw damaged()
  let at = offset + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
  const end = at + packedBytes
  while (at < end) {
    const block = await readAt(file, at, Math.min(blockBytes, end - at))
    at += block.length
    yield block
  }
}

async function readAt(file: FileHandle, position: number, bytes: number): Promise<Buffer> {
  const block = Buffer.allocUnsafe(bytes)
  let filled = 0
  while (filled < bytes) {
    const { bytesRead } = await file.read(block, filled, bytes - filled, position + filled)
    if (bytesRead === 0) throw damaged()
    filled += bytesRead
  }
  return block
}
