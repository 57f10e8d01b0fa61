import type { LookupFunction, Socket } from 'node:net'
import { connect as connectPlain, isIP } from 'node:net'
import { connect as connectSecure } from 'node:tls'
import { monotonicMs } from '../kit/clock.ts'
import type { AnswerHeaders, AnswerListener } from './response-parser.ts'
import { AnswerReader } from './response-parser.ts'

/** One request, and who hears what becomes of it. */
export interface Sending {
  /**
   * Asked right before the first byte is written: the whole request, or nothing once it is wanted
   * no more. What ends before this was asked was never sent.
   */
  take(carrier: { cut(): void }): string | undefined
  /** Whether it would be sent. */
  isWanted(): boolean
  onHead: AnswerListener['onHead']
  onData: AnswerListener['onData']
  onEnd(): void
  /** It ends without an answer, or in the middle of one. */
  onProblem(problem: Error): void
}

/** Where connections lead, and what they have in common. */
export interface Destination {
  url: URL
  /** How long one may rest before it is closed, unless the other side says less. */
  idleMs: number
  /** Finds the addresses that may be connected to. */
  lookup?: LookupFunction | undefined
  /** Spares the next connection half of its handshake. */
  tlsSession?: Buffer | undefined
}

/** Who looks after a connection. */
export interface ConnectionOwner {
  /** It could carry another request. */
  onFree(connection: HttpConnection): void
  /** It is closed, or about to be. */
  onGone(connection: HttpConnection): void
}

// A host that does not take a connection by then is down; nothing was sent, so giving up is safe.
const connectTimeoutMs = 3000
// The other side closes what rests too long, and must not do so while a request is on its way.
const idleMarginMs = 2000
// What comes is read before anything else can come: one place is enough for all connections.
const readBuffer = Buffer.allocUnsafeSlow(65_536)

/** A connection that speaks HTTP/1.1, and carries one request at a time. */
export class HttpConnection implements AnswerListener {
  readonly #socket: Socket
  readonly #owner: ConnectionOwner
  readonly #idleMs: number
  readonly #reader = new AnswerReader()
  readonly #connectTimer: NodeJS.Timeout
  #sending: Sending | undefined
  #isReady = false
  #isGone = false
  /** Whether it is fit for another request, and how long it may wait for one. */
  #canStay = true
  #restMs: number
  restsUntilMs = 0

  /** Opens one for a first request, which is sent as soon as somebody has taken the connection. */
  constructor(to: Destination, owner: ConnectionOwner, first: Sending) {
    this.#owner = owner
    this.#idleMs = to.idleMs
    this.#restMs = to.idleMs
    this.#sending = first
    this.#socket = connect(to, (bytes) => this.#hear(bytes))
    this.#connectTimer = setTimeout(() => setImmediate(() => this.#giveUp()), connectTimeoutMs)
    this.#socket.once(to.url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      clearTimeout(this.#connectTimer)
      this.#isReady = true
      if (!this.#isGone && !this.carry(first)) this.#rest()
    })
    this.#socket.on('error', (problem) => this.fail(problem))
    this.#socket.on('end', () => this.#hearEnd())
    this.#socket.on('close', () => this.fail(new Error('the connection was lost')))
  }

  /** Sends a request, unless it is wanted no more. */
  carry(sending: Sending): boolean {
    const request = sending.take(this)
    this.#sending = request === undefined ? undefined : sending
    if (request === undefined) return false
    this.#reader.expect(this)
    this.#socket.write(request, 'utf8')
    return true
  }

  /** Whoever is carried has heard enough, or it rested for too long. */
  cut(): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#sending = undefined
    clearTimeout(this.#connectTimer)
    this.#socket.destroy()
    this.#owner.onGone(this)
  }

  fail(problem: Error): void {
    const sending = this.#sending
    this.cut()
    sending?.onProblem(problem)
  }

  onHead(status: number, headers: AnswerHeaders): void {
    const [, seconds] = /timeout=(\d+)/i.exec(headers['keep-alive'] ?? '') ?? []
    const saidMs = seconds === undefined ? Infinity : Number(seconds) * 1000 - idleMarginMs
    this.#restMs = Math.min(this.#idleMs, saidMs)
    this.#sending?.onHead(status, headers)
  }

  onData(bytes: Buffer): void {
    this.#sending?.onData(bytes)
  }

  onEnd(canStay: boolean): void {
    const sending = this.#sending
    this.#sending = undefined
    this.#canStay = canStay
    sending?.onEnd()
  }

  #hear(bytes: Buffer): void {
    try {
      this.#reader.feed(bytes)
    } catch (problem) {
      return this.fail(problem as Error)
    }
    // Only now: what came behind an answer must not be taken for the answer to the next request.
    if (this.#sending === undefined && !this.#isGone) this.#rest()
  }

  #hearEnd(): void {
    this.#reader.finish()
    this.fail(new Error('the other side closed the connection'))
  }

  #giveUp(): void {
    if (!this.#isReady) this.fail(new Error(`no connection within ${connectTimeoutMs} ms`))
  }

  #rest(): void {
    // An answer that came before the request was read to its end: the rest of it would follow.
    const isWritten = this.#socket.writableLength === 0
    if (!this.#canStay || this.#restMs <= 0 || !isWritten) return this.cut()
    this.restsUntilMs = monotonicMs() + this.#restMs
    this.#owner.onFree(this)
  }
}

function connect(to: Destination, onBytes: (bytes: Buffer) => void): Socket {
  const { protocol, hostname, port } = to.url
  const host = hostname.replace(/^\[|\]$/g, '')
  const callback = (count: number) => {
    onBytes(readBuffer.subarray(0, count))
    return true
  }
  const usual = {
    host,
    noDelay: true,
    onread: { buffer: readBuffer, callback },
    ...(to.lookup && { lookup: to.lookup }),
  }
  if (protocol === 'http:') return connectPlain({ ...usual, port: Number(port || 80) })
  const socket = connectSecure({
    ...usual,
    port: Number(port || 443),
    ALPNProtocols: ['http/1.1'],
    // Said here, so that no setting of the process takes it back.
    rejectUnauthorized: true,
    ...(isIP(host) === 0 && { servername: host }),
    ...(to.tlsSession && { session: to.tlsSession }),
  })
  socket.on('session', (session) => {
    to.tlsSession = session
  })
  return socket
}
