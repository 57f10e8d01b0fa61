/*
 * A minimal HTTP/1.1 reader and writer, written for speed.
 *
 * - Gain: load generator and webhook receiver take 0.07 ms of processor time for a payment; with an
 *   HTTP client and server they took 0.16 (`npm run bench -- --scenario life`, from /proc).
 * - It must never serve anything but the benchmark: it reads only messages with a content-length,
 *   and refuses any other framing.
 * - http-messages.test.ts and http-pool.test.ts test it against Node's own HTTP server.
 *
 * Text is latin1 everywhere, so that a character is a byte.
 */

/** A request; `{n}` in its path or body is replaced by another text for each request. */
export interface RequestTemplate {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
}

const headEndMark = '\r\n\r\n'
const contentLength = /\r\ncontent-length: *([^\r]*)/i
const transferEncoding = /\r\ntransfer-encoding:/i
const statusWithoutBody = /^HTTP\/1\.1 (204|304)/

/**
 * Reads messages from chunks that may be cut anywhere. `onMessage` is called once for each complete
 * message, with the head without its blank line. Throws for a message whose length is unknown.
 */
export function createMessageReader(
  onMessage: (head: string, body: string) => void,
): (chunk: string) => void {
  let text = ''
  let headEnd = -1
  let messageEnd = 0
  return (chunk) => {
    text = text === '' ? chunk : text + chunk
    while (text !== '') {
      if (headEnd === -1) {
        headEnd = text.indexOf(headEndMark)
        if (headEnd === -1) return
        messageEnd = headEnd + headEndMark.length + bodyLengthOf(text.slice(0, headEnd))
      }
      if (text.length < messageEnd) return
      const head = text.slice(0, headEnd)
      const body = text.slice(headEnd + headEndMark.length, messageEnd)
      text = text.slice(messageEnd)
      headEnd = -1
      onMessage(head, body)
    }
  }
}

function bodyLengthOf(head: string): number {
  if (transferEncoding.test(head)) throw new Error('transfer-encoding cannot be read here')
  const [, length] = contentLength.exec(head) ?? []
  if (length !== undefined && /^\d+$/.test(length)) return Number(length)
  if (length !== undefined) throw new Error(`content-length is "${length}"`)
  if (head.startsWith('HTTP/') && !statusWithoutBody.test(head))
    throw new Error('no content-length')
  return 0
}

/** Writes requests from a template: everything but the text for `{n}` is built once. */
export function createRequestWriter(
  template: RequestTemplate,
  host: string,
): (n: string) => string {
  const { method, path, headers, body } = template
  const { 'x-forwarded-for': address, ...others } = headers
  const fixed = Object.entries({ host, connection: 'keep-alive', ...others })
  const headerLines = fixed.map(([name, value]) => `\r\n${name}: ${value}`).join('')
  const writePath = createInserter(path)
  const afterPath = latin1Of(` HTTP/1.1${headerLines}`)
  const writeAddress = createInserter(
    address === undefined ? '' : `\r\nx-forwarded-for: ${address}`,
  )
  const writeBody = createInserter(body ?? '')
  return (n) => {
    const content = writeBody(n)
    const length = body === undefined ? '' : `\r\ncontent-length: ${content.length}`
    const addressLine = writeAddress(addressFor(n))
    return `${method} ${writePath(n)}${afterPath}${addressLine}${length}${headEndMark}${content}`
  }
}

function createInserter(template: string): (n: string) => string {
  const [before = '', after] = template.split('{n}').map(latin1Of)
  return after === undefined ? () => before : (n) => before + n + after
}

function latin1Of(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** A different address of a private network for each request, from the number that ends `n`. */
function addressFor(n: string): string {
  const number = Number(n.slice(n.lastIndexOf('-') + 1))
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
}

/** Status and message of a refused request, with ids removed: refusals are counted by this text. */
export function describeRefusal(status: number, body: string): string {
  const [, message = body.slice(0, 160)] = /"message":(.*?),"success"/.exec(body) ?? []
  return `${status} ${message.replaceAll(/[\da-f-]{8,}/g, '…')}`
}
