import { DamagedFile } from './sealed-file.ts'

/** A file, folder or link of a tar, as PostgreSQL writes it. */
export interface TarEntry {
  name: string
  kind: 'file' | 'folder' | 'link'
  size: number
  /** What is in it; must be read before the next entry. */
  content(): AsyncGenerator<Buffer>
}

const blockBytes = 512

/** Reads a tar that comes in pieces of any size. */
export async function* readTar(pieces: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const reader = openReader(pieces)
  for (;;) {
    const header = await reader.exactly(blockBytes)
    // The end: nothing more, or blocks of zeros.
    if (header === undefined || header.every((byte) => byte === 0)) return reader.skipRest()
    const entry = readHeader(header)
    let left = entry.size
    const content = async function* () {
      while (left > 0) {
        const part = await reader.atMost(left)
        left -= part.length
        yield part
      }
    }
    yield { ...entry, content }
    for await (const _ of content());
    await reader.exactly((blockBytes - (entry.size % blockBytes)) % blockBytes)
  }
}

function readHeader(header: Buffer): Omit<TarEntry, 'content'> {
  const sum = header.reduce((total, byte) => total + byte, 0)
  const stored = Number.parseInt(textOf(header, 148, 8), 8)
  const field = header.subarray(148, 156).reduce((total, byte) => total + byte, 0)
  // The checksum is that of a header whose own field is eight spaces.
  if (sum - field + 8 * 32 !== stored) throw new DamagedFile('The tar of a backup is damaged.')
  const [name, prefix] = [textOf(header, 0, 100), textOf(header, 345, 155)]
  const path = (prefix === '' ? name : `${prefix}/${name}`).replace(/\/$/, '')
  if (path.startsWith('/') || path.split('/').includes('..'))
    throw new DamagedFile(`The tar of a backup names ${path}.`)
  const type = String.fromCharCode(header[156] ?? 0)
  const kind = type === '5' ? 'folder' : type === '2' ? 'link' : 'file'
  const size = kind === 'file' ? Number.parseInt(textOf(header, 124, 12), 8) : 0
  return { name: path, kind, size }
}

function textOf(header: Buffer, start: number, length: number): string {
  const field = header.subarray(start, start + length)
  const end = field.indexOf(0)
  return field
    .subarray(0, end === -1 ? length : end)
    .toString('utf8')
    .trim()
}

function openReader(pieces: AsyncIterable<Buffer>) {
  const source = pieces[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  /** The next bytes, at least one; undefined at the end. */
  const fill = async () => {
    while (rest.length === 0) {
      const next = await source.next()
      if (next.done) return false
      rest = next.value
    }
    return true
  }
  const atMost = async (length: number): Promise<Buffer> => {
    if (!(await fill())) throw new DamagedFile('The tar of a backup is cut off.')
    const part = rest.subarray(0, length)
    rest = rest.subarray(part.length)
    return part
  }
  return {
    atMost,
    /** So many bytes; undefined: there is nothing more. */
    exactly: async (length: number): Promise<Buffer | undefined> => {
      if (length > 0 && !(await fill())) return undefined
      const parts: Buffer[] = []
      for (let left = length; left > 0; left -= parts.at(-1)?.length ?? 0)
        parts.push(await atMost(left))
      return Buffer.concat(parts)
    },
    /** Reads to the end: the last chunk tells that nothing was cut off. */
    skipRest: async (): Promise<void> => {
      rest = Buffer.alloc(0)
      while (await fill()) rest = Buffer.alloc(0)
    },
  }
}
