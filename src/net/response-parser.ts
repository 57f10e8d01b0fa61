/** By names in small letters; a name that came more than once has its values behind commas. */
export type AnswerHeaders = Readonly<Record<string, string | undefined>>

/** Who hears an answer while it comes. */
export interface AnswerListener {
  onHead(status: number, headers: AnswerHeaders): void
  /** Good only until it returns: the bytes are overwritten by those that come next. */
  onData(bytes: Buffer): void
  /** `canStay`: the connection is fit for another request. */
  onEnd(canStay: boolean): void
}

/** What came is not an answer in HTTP/1, or could be read in two ways. */
export class NotHttp extends Error {
  override name = 'NotHttp'
}

const headBytesMax = 16_384
const lineBytesMax = 4096
// A status line, then lines of a name and a value; no value goes on in the next line.
const headForm =
  /^HTTP\/1\.([01]) (\d{3})(?: [^\0\r\n]*)?((?:\r\n[!#$%&'*+.^_`|~\w-]+:[^\0\r\n]*)*)$/
const lengthForm = /^\d{1,15}$/
const chunkForm = /^([\da-f]{1,12})[\t ]*(?:;[^\0\r\n]*)?$/i
const closeForm = /(?:^|[\s,])close(?:$|[\s,])/i

type State = 'head' | 'counted' | 'chunk size' | 'chunk' | 'chunk end' | 'trailers' | 'until closed'

/**
 * Reads the answers on one connection, one after the other, and strictly: where two readers could
 * disagree on where an answer ends, it is none. Feed it all that comes; throws `NotHttp`.
 */
export class AnswerReader {
  #listener: AnswerListener | undefined
  #state: State = 'head'
  /** What came of a head or a line that has not ended yet. */
  #begun = ''
  /** Bytes that are yet to come of a body or a chunk. */
  #left = 0
  #trailerBytes = 0
  #canStay = false

  /** The next answer is for this listener. */
  expect(listener: AnswerListener): void {
    this.#listener = listener
  }

  feed(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length) {
      if (this.#listener === undefined) throw new NotHttp('bytes that nobody asked for')
      at = this.#read(bytes, at, this.#listener)
    }
  }

  /** The other side has closed the connection; for some answers that is their end. */
  finish(): void {
    if (this.#state === 'until closed') this.#end()
  }

  /** Reads what it can in its state, and tells where the rest begins. */
  #read(bytes: Buffer, at: number, listener: AnswerListener): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(bytes, at, listener)
      case 'counted':
      case 'chunk':
        return this.#readCounted(bytes, at, listener)
      case 'until closed':
        listener.onData(bytes.subarray(at))
        return bytes.length
      case 'chunk size':
      case 'chunk end':
      case 'trailers':
        return this.#readLine(bytes, at)
    }
  }

  #readHead(bytes: Buffer, at: number, listener: AnswerListener): number {
    const before = this.#begun.length
    const text = this.#begun + bytes.toString('latin1', at, at + headBytesMax + 4)
    // What ends a head may come in two parts.
    const end = text.indexOf('\r\n\r\n', Math.max(0, before - 3))
    if (end > headBytesMax || (end === -1 && text.length > headBytesMax + 3))
      throw new NotHttp('a head that is too long')
    if (end === -1) {
      this.#begun = text
      return bytes.length
    }
    this.#begun = ''
    this.#takeHead(text.slice(0, end), listener)
    return at + end + 4 - before
  }

  #takeHead(head: string, listener: AnswerListener): void {
    const [, minor, code, lines] = headForm.exec(head) ?? []
    if (code === undefined || lines === undefined) throw new NotHttp('not a head of HTTP/1')
    const status = Number(code)
    if (status < 100 || status === 101) throw new NotHttp(`an answer ${code}`)
    // News on the way: the answer itself is yet to come.
    if (status < 200) return
    const headers = headersOf(lines)
    listener.onHead(status, headers)
    this.#canStay = minor === '1' && !closeForm.test(headers.connection ?? '')
    this.#findEnd(status, headers, minor === '1')
  }

  #findEnd(status: number, headers: AnswerHeaders, mayHaveChunks: boolean): void {
    const length = headers['content-length']
    const coding = headers['transfer-encoding']
    if (coding !== undefined) {
      if (coding.toLowerCase() !== 'chunked' || length !== undefined || !mayHaveChunks)
        throw new NotHttp('a body whose end cannot be known')
      this.#trailerBytes = 0
      this.#state = 'chunk size'
    } else if (length !== undefined && !lengthForm.test(length))
      throw new NotHttp('a length that is none')
    else if (status === 204 || status === 304 || Number(length) === 0) this.#end()
    else {
      this.#state = length === undefined ? 'until closed' : 'counted'
      this.#left = Number(length)
    }
  }

  #readCounted(bytes: Buffer, at: number, listener: AnswerListener): number {
    const end = Math.min(bytes.length, at + this.#left)
    this.#left -= end - at
    listener.onData(bytes.subarray(at, end))
    if (this.#left > 0) return end
    if (this.#state === 'chunk') this.#state = 'chunk end'
    else this.#end()
    return end
  }

  /** Lines between chunks, and behind the last one. */
  #readLine(bytes: Buffer, at: number): number {
    const found = bytes.indexOf(0x0a, at)
    const end = found === -1 ? bytes.length : found + 1
    const line = this.#begun + bytes.toString('latin1', at, Math.min(end, at + lineBytesMax + 1))
    if (line.length > lineBytesMax) throw new NotHttp('a line that is too long')
    this.#begun = found === -1 ? line : ''
    if (found !== -1) {
      if (!line.endsWith('\r\n')) throw new NotHttp('a line that ends wrongly')
      this.#takeLine(line.slice(0, -2))
    }
    return end
  }

  #takeLine(line: string): void {
    if (this.#state === 'trailers') {
      this.#trailerBytes += line.length
      if (this.#trailerBytes > headBytesMax) throw new NotHttp('trailers that are too long')
      if (line === '') this.#end()
    } else if (this.#state === 'chunk end') {
      if (line !== '') throw new NotHttp('a chunk that is longer than it says')
      this.#state = 'chunk size'
    } else {
      const [, size] = chunkForm.exec(line) ?? []
      if (size === undefined) throw new NotHttp('a size of a chunk that is none')
      this.#left = Number.parseInt(size, 16)
      this.#state = this.#left === 0 ? 'trailers' : 'chunk'
    }
  }

  #end(): void {
    const listener = this.#listener
    const canStay = this.#canStay && this.#state !== 'until closed'
    this.#listener = undefined
    this.#state = 'head'
    listener?.onEnd(canStay)
  }
}

function headersOf(lines: string): AnswerHeaders {
  const headers: Record<string, string> = {}
  for (let at = 2; at < lines.length; ) {
    const colon = lines.indexOf(':', at)
    const found = lines.indexOf('\r\n', colon)
    const end = found === -1 ? lines.length : found
    const name = lines.slice(at, colon).toLowerCase()
    const value = lines.slice(colon + 1, end).trim()
    const known = Object.hasOwn(headers, name) ? headers[name] : undefined
    // A length that is merely said twice is one; two that differ stand behind commas, and are none.
    const isRepeated = name === 'content-length' && known === value
    headers[name] = known === undefined || isRepeated ? value : `${known}, ${value}`
    at = end + 2
  }
  return headers
}
