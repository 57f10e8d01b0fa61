// Enough to know a format by: the longest mark is that of old Excel files.
const markBytes = 8

interface Peeked {
  head: Buffer
  /** Everything, the head too. */
  bytes: AsyncGenerator<Buffer>
  /** Ends the source, also where not all was read. */
  end(): Promise<void>
}

/** Reads the first bytes of a stream, which show what it is. */
export async function peek(stream: AsyncIterable<Uint8Array>): Promise<Peeked> {
  const source = stream[Symbol.asyncIterator]()
  const parts: Buffer[] = []
  let length = 0
  while (length < markBytes) {
    const next = await source.next()
    if (next.done) break
    parts.push(bufferOf(next.value))
    length += next.value.length
  }
  const head = Buffer.concat(parts)
  const bytes = chain(head, source)
  return { head, bytes, end: async () => void (await source.return?.()) }
}

async function* chain(head: Buffer, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Buffer> {
  yield head
  for (let next = await rest.next(); !next.done; next = await rest.next())
    yield bufferOf(next.value)
}

function bufferOf(chunk: Uint8Array): Buffer {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
}
