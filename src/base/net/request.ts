/*
 * Our own HTTP/1.1 client: this file, pool.ts, connection.ts and response-parser.ts.
 *
 * - Gains: 8 µs of CPU for a request and its response, where undici took 16 to 27; 8 % of the
 *   gateway's CPU time for a whole payment (two gateways under load in turn: docs/notebook).
 * - Must never: send a request twice; report `not_sent` once a byte may have left; accept a
 *   response whose end is ambiguous; take bytes behind one response for the response to the next
 *   request; follow a redirect; leave TLS certificates unchecked.
 * - Tested against: undici, which must read the same from the same server (undici.test.ts).
 * - Decision: docs/decisions/0026
 */
import type { PendingRequest } from './connection.ts'
import type { ConnectionPool } from './pool.ts'
import type { ResponseHeaders } from './response-parser.ts'
import { NotTried } from './shares.ts'

/** One request, and the limits of its response. */
export interface HttpRequest {
  method: 'GET' | 'POST' | 'PUT'
  /** Begins with a slash; characters beyond ASCII must be percent-encoded. */
  path: string
  headers: Record<string, string>
  body?: string | undefined
  /**
   * Wall time to the last byte of the response: from the call or, with `waitMs`, from the moment
   * when it has a connection.
   */
  deadlineMs: number
  /** How long it may wait for a connection; it then fails with `NotTried`. */
  waitMs?: number
  /** Most bytes that are read of the response's body. */
  bodyBytesMax: number
  /** What happens to a longer body: the response counts as lost, or it is truncated. */
  whenTooLong: 'lost' | 'truncate'
}

/** A complete response, or one whose body was truncated. */
export interface HttpResponse {
  kind: 'answered'
  status: number
  headers: ResponseHeaders
  body: string
}

/** No complete response came. */
export interface RequestFailure {
  /** `not_sent`: proof that not one byte left. `lost`: the request may have arrived. */
  kind: 'not_sent' | 'lost'
  problem: Error
  /** The status and headers, if they came before the failure. */
  status: number | null
  headers: ResponseHeaders
}

export type RequestResult = HttpResponse | RequestFailure

/** The request's deadline has passed. */
export class DeadlineExceeded extends Error {
  override name = 'DeadlineExceeded'
}

/** Sends one request at most once and reads its response. Always settles, and never rejects. */
export function sendRequest(pool: ConnectionPool, request: HttpRequest): Promise<RequestResult> {
  return new Promise((resolve) => {
    const outgoing = new OutgoingRequest(pool.host, request, resolve)
    const invalid = findInvalidPart(request)
    if (invalid === undefined) pool.send(outgoing)
    else outgoing.onFailure(new Error(invalid))
  })
}

const pathPattern = /^\/[\x21-\x7e]*$/
// Callers cannot set the headers that frame or route a request: `serialize` alone writes them.
const headerNamePattern =
  /^(?!(?:host|connection|content-length|transfer-encoding)$)[!#$%&'*+.^_`|~\w-]+$/i
const headerValuePattern = /^[\x20-\x7e\t]*$/

/** Names the part that a server could read as something else; such a request is not sent. */
function findInvalidPart({ path, headers }: HttpRequest): string | undefined {
  if (!pathPattern.test(path)) return 'a path that cannot be written'
  for (const name in headers)
    if (!headerNamePattern.test(name) || !headerValuePattern.test(headers[name] ?? ''))
      return 'a header that cannot be written'
  return undefined
}

function serialize(host: string, { method, path, headers, body }: HttpRequest): string {
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`
  if (body === undefined) return `${text}\r\n`
  return `${text}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
}

/** One request under way. Once it has a connection, it may have arrived. */
class OutgoingRequest implements PendingRequest {
  readonly #host: string
  readonly #request: HttpRequest
  readonly #resolve: (result: RequestResult) => void
  #timer: NodeJS.Timeout
  #connection: { destroy(): void } | undefined
  #isSettled = false
  #status: number | null = null
  #headers: ResponseHeaders = {}
  readonly #chunks: Buffer[] = []
  #bodyBytes = 0

  constructor(host: string, request: HttpRequest, resolve: (result: RequestResult) => void) {
    this.#host = host
    this.#request = request
    this.#resolve = resolve
    this.#timer = this.#startTimer(request.waitMs ?? request.deadlineMs)
  }

  start(connection: { destroy(): void }): string | undefined {
    if (this.#isSettled) return undefined
    this.#connection = connection
    if (this.#request.waitMs !== undefined) {
      clearTimeout(this.#timer)
      this.#timer = this.#startTimer(this.#request.deadlineMs)
    }
    return serialize(this.#host, this.#request)
  }

  isPending(): boolean {
    return !this.#isSettled
  }

  onHead(status: number, headers: ResponseHeaders): void {
    this.#status = status
    this.#headers = headers
  }

  onData(bytes: Buffer): void {
    const { bodyBytesMax, whenTooLong } = this.#request
    const bytesLeft = bodyBytesMax - this.#bodyBytes
    this.#bodyBytes += bytes.length
    if (bytes.length <= bytesLeft) this.#chunks.push(Buffer.from(bytes))
    else if (whenTooLong === 'lost')
      this.#abort(new Error(`answer larger than ${bodyBytesMax} bytes`))
    else {
      this.#chunks.push(Buffer.from(bytes.subarray(0, bytesLeft)))
      this.onEnd()
      this.#connection?.destroy()
    }
  }

  onEnd(): void {
    const [first, ...others] = this.#chunks
    const bytes = others.length === 0 ? first : Buffer.concat(this.#chunks)
    const body = bytes?.toString('utf8') ?? ''
    this.#settle({ kind: 'answered', status: this.#status ?? 0, headers: this.#headers, body })
  }

  onFailure(problem: Error): void {
    const kind = this.#connection === undefined ? 'not_sent' : 'lost'
    this.#settle({ kind, problem, status: this.#status, headers: this.#headers })
  }

  /** setImmediate: if the event loop was blocked past the time, what has arrived is read first. */
  #startTimer(ms: number): NodeJS.Timeout {
    const connection = this.#connection
    return setTimeout(() => setImmediate(() => this.#timeOut(connection)), ms)
  }

  #timeOut(connectionThen: object | undefined): void {
    const { waitMs, deadlineMs } = this.#request
    // The connection may have come in this very turn of the event loop: another timer runs then.
    if (this.#isSettled || (waitMs !== undefined && connectionThen !== this.#connection)) return
    if (waitMs === undefined || connectionThen !== undefined)
      this.#abort(new DeadlineExceeded(`no answer within ${deadlineMs} ms`))
    else this.#abort(new NotTried(`no connection was free within ${waitMs} ms`))
  }

  #abort(problem: Error): void {
    this.onFailure(problem)
    this.#connection?.destroy()
  }

  #settle(result: RequestResult): void {
    if (this.#isSettled) return
    this.#isSettled = true
    clearTimeout(this.#timer)
    this.#resolve(result)
  }
}
