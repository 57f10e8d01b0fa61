// Part of our own HTTP client; request.ts says what it gains and what it must never do.
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectSecure } from 'node:tls'
import { monotonicMs } from '#base/kit/clock.ts'
import { type ResponseHandler, type ResponseHeaders, ResponseParser } from './response-parser.ts'

/** One request that waits for a connection or its response, with the callbacks of its outcome. */
export interface PendingRequest {
  /**
   * Called right before the first byte is written. Returns the whole request as text, or undefined
   * once its result is settled. A request that ends before this call was never sent.
   */
  start(connection: { destroy(): void }): string | undefined
  /** False once its result is settled, for example by its deadline. */
  isPending(): boolean
  onHead: ResponseHandler['onHead']
  onData: ResponseHandler['onData']
  onEnd(): void
  /** It ends without a response, or in the middle of one. */
  onFailure(error: Error): void
}

/** The origin that connections are opened to, and their common settings. */
export interface Destination {
  url: URL
  /** Idle connections are closed after this time, or earlier if the server's keep-alive says so. */
  idleMs: number
  /** Resolves a host to the addresses that may be connected to. */
  lookup?: LookupFunction | undefined
  /** The last TLS session, resumed by the next connection: saves half of its handshake. */
  tlsSession?: Buffer | undefined
}

/** The pool that a connection belongs to. */
export interface ConnectionOwner {
  /** The connection is open and has no request. */
  onIdle(connection: HttpConnection): void
  /** The connection was destroyed. */
  onClosed(connection: HttpConnection): void
}

// A host that does not accept a connection by then is down. Nothing was sent: giving up is safe.
const connectTimeoutMs = 3000
// Servers close idle connections. Closing ours earlier avoids losing a request that is under way.
const idleMarginMs = 2000
// Every read is parsed before the next one happens: all connections share one buffer.
const readBuffer = Buffer.allocUnsafeSlow(65_536)

/** One HTTP/1.1 connection that carries one request at a time. */
export class HttpConnection implements ResponseHandler {
  readonly #socket: Socket
  readonly #owner: ConnectionOwner
  readonly #idleMsMax: number
  readonly #parser = new ResponseParser()
  readonly #connectTimer: NodeJS.Timeout
  #request: PendingRequest | undefined
  #isOpen = false
  #isClosed = false
  /** What the last response said about another request, and about the time to wait for it. */
  #isReusable = true
  #idleMs: number
  idleUntilMs = 0

  /** Connects, and sends the first request as soon as the connection is open. */
  constructor(to: Destination, owner: ConnectionOwner, first: PendingRequest) {
    this.#owner = owner
    this.#idleMsMax = to.idleMs
    this.#idleMs = to.idleMs
    this.#request = first
    this.#socket = connect(to, (bytes) => this.#receive(bytes))
    this.#connectTimer = setTimeout(() => setImmediate(() => this.#timeOut()), connectTimeoutMs)
    this.#socket.once(to.url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      clearTimeout(this.#connectTimer)
      this.#isOpen = true
      if (!this.#isClosed && !this.send(first)) this.#becomeIdle()
    })
    this.#socket.on('error', (error) => this.fail(error))
    this.#socket.on('end', () => this.#receiveEnd())
    this.#socket.on('close', () => this.fail(new Error('the connection was lost')))
  }

  /** Sends a request; false when it is no longer pending. */
  send(request: PendingRequest): boolean {
    const text = request.start(this)
    this.#request = text === undefined ? undefined : request
    if (text === undefined) return false
    this.#parser.expect(this)
    this.#socket.write(text, 'utf8')
    return true
  }

  /** Closes the socket at once. The request it carries, if any, is not called again. */
  destroy(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#request = undefined
    clearTimeout(this.#connectTimer)
    this.#socket.destroy()
    this.#owner.onClosed(this)
  }

  /** Closes the socket at once, and fails the request it carries. */
  fail(error: Error): void {
    const request = this.#request
    this.destroy()
    request?.onFailure(error)
  }

  onHead(status: number, headers: ResponseHeaders): void {
    const [, seconds] = /timeout=(\d+)/i.exec(headers['keep-alive'] ?? '') ?? []
    const serverIdleMs = seconds === undefined ? Infinity : Number(seconds) * 1000 - idleMarginMs
    this.#idleMs = Math.min(this.#idleMsMax, serverIdleMs)
    this.#request?.onHead(status, headers)
  }

  onData(bytes: Buffer): void {
    this.#request?.onData(bytes)
  }

  onEnd(isReusable: boolean): void {
    const request = this.#request
    this.#request = undefined
    this.#isReusable = isReusable
    request?.onEnd()
  }

  #receive(bytes: Buffer): void {
    try {
      this.#parser.feed(bytes)
    } catch (error) {
      return this.fail(error as Error)
    }
    // Idle only after all bytes are parsed: bytes behind a response must not be taken for the
    // response to the next request.
    if (this.#request === undefined && !this.#isClosed) this.#becomeIdle()
  }

  #receiveEnd(): void {
    this.#parser.finish()
    this.fail(new Error('the other side closed the connection'))
  }

  #timeOut(): void {
    if (!this.#isOpen) this.fail(new Error(`no connection within ${connectTimeoutMs} ms`))
  }

  #becomeIdle(): void {
    // A response may come before the request is written to its end: the remaining bytes would
    // reach the server as the start of the next request.
    const isWritten = this.#socket.writableLength === 0
    if (!this.#isReusable || this.#idleMs <= 0 || !isWritten) return this.destroy()
    this.idleUntilMs = monotonicMs() + this.#idleMs
    this.#owner.onIdle(this)
  }
}

function connect(to: Destination, onBytes: (bytes: Buffer) => void): Socket {
  const { protocol, hostname, port } = to.url
  const host = hostname.replace(/^\[|\]$/g, '')
  const callback = (count: number) => {
    onBytes(readBuffer.subarray(0, count))
    return true
  }
  const common = {
    host,
    noDelay: true,
    onread: { buffer: readBuffer, callback },
    ...(to.lookup && { lookup: to.lookup }),
  }
  if (protocol === 'http:') return connectPlain({ ...common, port: Number(port || 80) })
  const socket = connectSecure({
    ...common,
    port: Number(port || 443),
    ALPNProtocols: ['http/1.1'],
    // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED=0 does not switch the check off.
    rejectUnauthorized: true,
    ...(isIP(host) === 0 && { servername: host }),
    ...(to.tlsSession && { session: to.tlsSession }),
  })
  socket.on('session', (session) => {
    to.tlsSession = session
  })
  return socket
}
