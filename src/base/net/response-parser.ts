// Part of our own HTTP client; request.ts says what it gains and what it must never do.

/** By lower-case name; a header that came several times has its values joined with commas. */
export type ResponseHeaders = Readonly<Record<string, string | undefined>>

/** Called while a response arrives. */
export interface ResponseHandler {
  onHead(status: number, headers: ResponseHeaders): void
  /** The buffer is valid only during the call: the next read overwrites it. */
  onData(bytes: Buffer): void
  /** `isReusable`: the connection can carry another request. */
  onEnd(isReusable: boolean): void
}

/** The bytes are not an HTTP/1 response, or two parsers could read them differently. */
export class MalformedResponse extends Error {
  override name = 'MalformedResponse'
}

const headBytesMax = 16_384
const lineBytesMax = 4096
// A status line, then header lines. Folded header lines (obs-fold) do not match.
const headPattern =
  /^HTTP\/1\.([01]) (\d{3})(?: [^\0\r\n]*)?((?:\r\n[!#$%&'*+.^_`|~\w-]+:[^\0\r\n]*)*)$/
const lengthPattern = /^\d{1,15}$/
const chunkSizePattern = /^([\da-f]{1,12})[\t ]*(?:;[^\0\r\n]*)?$/i
const closePattern = /(?:^|[\s,])close(?:$|[\s,])/i

type State = 'head' | 'body' | 'chunk size' | 'chunk' | 'chunk end' | 'trailers' | 'until closed'

/**
 * Parses the responses on one connection, one after the other, strictly: where two parsers could
 * disagree on where a response ends, it throws `MalformedResponse`. Feed it every byte received.
 */
export class ResponseParser {
  #handler: ResponseHandler | undefined
  #state: State = 'head'
  /** The part received so far of a head or a line that has not ended yet. */
  #partial = ''
  /** Bytes still to come of a body or a chunk. */
  #bytesLeft = 0
  #trailerBytes = 0
  #isReusable = false

  /** Sets the handler of the next response. */
  expect(handler: ResponseHandler): void {
    this.#handler = handler
  }

  feed(bytes: Buffer): void {
    let at = 0
    while (at < bytes.length) {
      if (this.#handler === undefined) throw new MalformedResponse('unexpected bytes')
      at = this.#parse(bytes, at, this.#handler)
    }
  }

  /** The server closed the connection; that ends a response without a length. */
  finish(): void {
    if (this.#state === 'until closed') this.#end()
  }

  /** Consumes bytes in the current state and returns the offset of the first unconsumed byte. */
  #parse(bytes: Buffer, at: number, handler: ResponseHandler): number {
    switch (this.#state) {
      case 'head':
        return this.#parseHead(bytes, at, handler)
      case 'body':
      case 'chunk':
        return this.#passData(bytes, at, handler)
      case 'until closed':
        handler.onData(bytes.subarray(at))
        return bytes.length
      case 'chunk size':
      case 'chunk end':
      case 'trailers':
        return this.#parseLine(bytes, at)
    }
  }

  #parseHead(bytes: Buffer, at: number, handler: ResponseHandler): number {
    const before = this.#partial.length
    const text = this.#partial + bytes.toString('latin1', at, at + headBytesMax + 4)
    // The terminator may be split between two reads.
    const end = text.indexOf('\r\n\r\n', Math.max(0, before - 3))
    if (end > headBytesMax || (end === -1 && text.length > headBytesMax + 3))
      throw new MalformedResponse('headers too long')
    if (end === -1) {
      this.#partial = text
      return bytes.length
    }
    this.#partial = ''
    this.#acceptHead(text.slice(0, end), handler)
    return at + end + 4 - before
  }

  #acceptHead(head: string, handler: ResponseHandler): void {
    const [, minor, code, lines] = headPattern.exec(head) ?? []
    if (code === undefined || lines === undefined)
      throw new MalformedResponse('not an HTTP/1 response')
    const status = Number(code)
    if (status < 100 || status === 101) throw new MalformedResponse(`unexpected status ${code}`)
    // An informational response (1xx): the final one follows.
    if (status < 200) return
    const headers = parseHeaders(lines)
    handler.onHead(status, headers)
    this.#isReusable = minor === '1' && !closePattern.test(headers.connection ?? '')
    this.#chooseFraming(status, headers, minor === '1')
  }

  #chooseFraming(status: number, headers: ResponseHeaders, mayBeChunked: boolean): void {
    const length = headers['content-length']
    const coding = headers['transfer-encoding']
    if (status === 204 || status === 304) {
      // These have no body, whatever their headers say; only a 304 may name a length. A server that
      // announces a body may send it too, which must not be taken for the next response.
      if (coding !== undefined || (status === 204 && Number(length ?? 0) !== 0))
        this.#isReusable = false
      this.#end()
    } else if (coding !== undefined) {
      if (coding.toLowerCase() !== 'chunked' || length !== undefined || !mayBeChunked)
        throw new MalformedResponse('body of unknown length')
      this.#trailerBytes = 0
      this.#state = 'chunk size'
    } else if (length !== undefined && !lengthPattern.test(length))
      throw new MalformedResponse('invalid length')
    else if (Number(length) === 0) this.#end()
    else {
      this.#state = length === undefined ? 'until closed' : 'body'
      this.#bytesLeft = Number(length)
    }
  }

  #passData(bytes: Buffer, at: number, handler: ResponseHandler): number {
    const end = Math.min(bytes.length, at + this.#bytesLeft)
    this.#bytesLeft -= end - at
    handler.onData(bytes.subarray(at, end))
    if (this.#bytesLeft > 0) return end
    if (this.#state === 'chunk') this.#state = 'chunk end'
    else this.#end()
    return end
  }

  /** Parses chunk sizes, the line end after a chunk, and trailers. */
  #parseLine(bytes: Buffer, at: number): number {
    const found = bytes.indexOf(0x0a, at)
    const end = found === -1 ? bytes.length : found + 1
    const line = this.#partial + bytes.toString('latin1', at, Math.min(end, at + lineBytesMax + 1))
    if (line.length > lineBytesMax) throw new MalformedResponse('line too long')
    this.#partial = found === -1 ? line : ''
    if (found !== -1) {
      if (!line.endsWith('\r\n')) throw new MalformedResponse('malformed line ending')
      this.#acceptLine(line.slice(0, -2))
    }
    return end
  }

  #acceptLine(line: string): void {
    if (this.#state === 'trailers') {
      this.#trailerBytes += line.length
      if (this.#trailerBytes > headBytesMax) throw new MalformedResponse('trailers too long')
      if (line === '') this.#end()
    } else if (this.#state === 'chunk end') {
      if (line !== '') throw new MalformedResponse('chunk longer than announced')
      this.#state = 'chunk size'
    } else {
      const [, size] = chunkSizePattern.exec(line) ?? []
      if (size === undefined) throw new MalformedResponse('invalid chunk size')
      this.#bytesLeft = Number.parseInt(size, 16)
      this.#state = this.#bytesLeft === 0 ? 'trailers' : 'chunk'
    }
  }

  #end(): void {
    const handler = this.#handler
    const isReusable = this.#isReusable && this.#state !== 'until closed'
    this.#handler = undefined
    this.#state = 'head'
    handler?.onEnd(isReusable)
  }
}

function parseHeaders(lines: string): ResponseHeaders {
  const headers: Record<string, string> = {}
  for (let at = 2; at < lines.length; ) {
    const colon = lines.indexOf(':', at)
    const found = lines.indexOf('\r\n', colon)
    const end = found === -1 ? lines.length : found
    const name = lines.slice(at, colon).toLowerCase()
    const value = lines.slice(colon + 1, end).trim()
    const known = Object.hasOwn(headers, name) ? headers[name] : undefined
    // The same length twice counts once. Two lengths that differ are joined with a comma, and
    // `lengthPattern` then refuses them.
    const isRepeated = name === 'content-length' && known === value
    headers[name] = known === undefined || isRepeated ? value : `${known}, ${value}`
    at = end + 2
  }
  return headers
}
