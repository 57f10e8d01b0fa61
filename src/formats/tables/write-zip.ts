import { pipeline, Readable } from 'node:stream'
import { crc32, createDeflateRaw } from 'node:zlib'

/** A file to put into an archive. */
export interface ZipPart {
  name: string
  blocks: AsyncIterable<Buffer> | Iterable<Buffer>
}

interface Written {
  name: Buffer
  offset: number
  crc: number
  packedBytes: number
  bytes: number
}

// Sizes follow the data, since they are not known before; names are UTF-8.
const flags = 0x0808
const deflated = 8
const versionNeeded = 20
// The first of January 1980: an archive of the same content has the same bytes.
const dosDate = 0x0021
const sizeMax = 0xffff_ffff

/** Writes an archive as its parts are read, one after the other. */
export async function* writeZip(
  parts: AsyncIterable<ZipPart> | Iterable<ZipPart>,
): AsyncGenerator<Buffer> {
  const written: Written[] = []
  let offset = 0
  const count = (block: Buffer) => {
    offset += block.length
    if (offset > sizeMax) throw new Error('an archive of more than 4 GB')
    return block
  }
  for await (const { name, blocks } of parts) {
    const one: Written = { name: Buffer.from(name), offset, crc: 0, packedBytes: 0, bytes: 0 }
    written.push(one)
    yield count(localHeader(one))
    for await (const block of packed(blocks, one)) yield count(block)
    yield count(descriptor(one))
  }
  const directoryOffset = offset
  for (const one of written) yield count(directoryEntry(one))
  yield endRecord(written.length, directoryOffset, offset - directoryOffset)
}

async function* packed(blocks: ZipPart['blocks'], one: Written): AsyncGenerator<Buffer> {
  const counted = async function* () {
    for await (const block of blocks) {
      one.crc = crc32(block, one.crc)
      one.bytes += block.length
      yield block
    }
  }
  // An error of either reaches the loop below, through the stream that is read there.
  const deflate = pipeline(Readable.from(counted()), createDeflateRaw({ level: 6 }), () => {})
  for await (const block of deflate) {
    one.packedBytes += (block as Buffer).length
    yield block as Buffer
  }
}

function localHeader({ name }: Written): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x0403_4b50, 0)
  header.writeUInt16LE(versionNeeded, 4)
  header.writeUInt16LE(flags, 6)
  header.writeUInt16LE(deflated, 8)
  header.writeUInt16LE(dosDate, 12)
  header.writeUInt16LE(name.length, 26)
  return Buffer.concat([header, name])
}

function descriptor({ crc, packedBytes, bytes }: Written): Buffer {
  const record = Buffer.alloc(16)
  record.writeUInt32LE(0x0807_4b50, 0)
  record.writeUInt32LE(crc, 4)
  record.writeUInt32LE(packedBytes, 8)
  record.writeUInt32LE(bytes, 12)
  return record
}

function directoryEntry({ name, offset, crc, packedBytes, bytes }: Written): Buffer {
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x0201_4b50, 0)
  entry.writeUInt16LE(versionNeeded, 4)
  entry.writeUInt16LE(versionNeeded, 6)
  entry.writeUInt16LE(flags, 8)
  entry.writeUInt16LE(deflated, 10)
  entry.writeUInt16LE(dosDate, 14)
  entry.writeUInt32LE(crc, 16)
  entry.writeUInt32LE(packedBytes, 20)
  entry.writeUInt32LE(bytes, 24)
  entry.writeUInt16LE(name.length, 28)
  entry.writeUInt32LE(offset, 42)
  return Buffer.concat([entry, name])
}

function endRecord(count: number, offset: number, bytes: number): Buffer {
  const record = Buffer.alloc(22)
  record.writeUInt32LE(0x0605_4b50, 0)
  record.writeUInt16LE(count, 8)
  record.writeUInt16LE(count, 10)
  record.writeUInt32LE(bytes, 12)
  record.writeUInt32LE(offset, 16)
  return record
}
