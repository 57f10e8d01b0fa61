import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { Pool } from 'undici'

/** One request to a provider. */
export interface Call {
  method: 'GET' | 'POST'
  /** Goes behind the provider's base address; begins with a slash. */
  path: string
  headers?: Record<string, string>
  /** Sent as JSON. */
  body?: unknown
  /** Wall time from the call to the last byte of the answer. */
  deadlineMs: number
}

export interface Answered {
  kind: 'answered'
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** What became of a request: nothing is ever thrown. */
export type Reply =
  | Answered
  /** Proof that not one byte of it left. */
  | { kind: 'not_sent'; reason: string }
  /** It may have arrived; what was made of it is not known. */
  | { kind: 'lost'; reason: string }

export interface HttpClient {
  call(call: Call): Promise<Reply>
  close(): Promise<void>
}

// No protocol needs more; a provider that sends more is not read to the end.
const answerBytesMax = 64 * 1024
// A host that does not take the connection by then is down; nothing was sent, so giving up is safe.
const connectTimeoutMs = 3000

/**
 * Speaks HTTP to one provider over connections of its own, so that none waits for another's. Does
 * not follow redirects and does not repeat requests.
 */
export function openHttpClient(baseUrl: string, connectionsMax: number): HttpClient {
  const { origin, pathname } = new URL(baseUrl)
  const prefix = pathname.replace(/\/+$/, '')
  const pool = new Pool(origin, {
    connections: connectionsMax,
    // One connection, one request: the loss of one answer is never the loss of two.
    pipelining: 1,
    allowH2: false,
    connect: { timeout: connectTimeoutMs, rejectUnauthorized: true },
    // Both only watch pauses, which a dripping answer never makes; the deadline watches the whole.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    call: ({ method, path, headers, body, deadlineMs }) =>
      new Promise((resolve) => {
        const options: Dispatcher.DispatchOptions = {
          method,
          path: `${prefix}${path}`,
          headers: {
            accept: 'application/json',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          body: body === undefined ? null : JSON.stringify(body),
        }
        pool.dispatch(options, new Exchange(deadlineMs, resolve))
      }),
    close: () => pool.destroy(),
  }
}

/**
 * One request on its way. undici calls `onRequestStart` right before it writes the first byte, so
 * what ends before that was never sent, whatever the reason.
 */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (reply: Reply) => void
  readonly #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #isDone = false
  #status = 0
  #headers: IncomingHttpHeaders = {}
  readonly #chunks: Buffer[] = []
  #bytes = 0

  constructor(deadlineMs: number, resolve: (reply: Reply) => void) {
    this.#resolve = resolve
    this.#timer = setTimeout(() => this.#fail(`no answer within ${deadlineMs} ms`), deadlineMs)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Throwing here keeps it from being written: too late, or a second time by the library itself.
    if (this.#isDone || this.#controller !== undefined) throw new Error('not to be sent')
    this.#controller = controller
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > answerBytesMax) this.#fail(`an answer over ${answerBytesMax} bytes`)
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.#chunks).toString('utf8')
    this.#end({ kind: 'answered', status: this.#status, headers: this.#headers, body })
  }

  onResponseError(_: Dispatcher.DispatchController, problem: Error): void {
    this.#fail((problem as { code?: string }).code ?? problem.message)
  }

  #fail(reason: string): void {
    if (this.#isDone) return
    this.#end({ kind: this.#controller === undefined ? 'not_sent' : 'lost', reason })
    this.#controller?.abort(new Error(reason))
  }

  #end(reply: Reply): void {
    if (this.#isDone) return
    this.#isDone = true
    clearTimeout(this.#timer)
    this.#resolve(reply)
  }
}
