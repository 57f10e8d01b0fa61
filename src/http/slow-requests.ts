import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { monotonicMs } from '../kit/clock.ts'
import type { Http } from './http.ts'

declare module 'fastify' {
  interface FastifyInstance {
    slowRequests: SlowRequests
  }
}

/** What a request that may be slow can cost. */
export interface SlowLimits {
  /** How long it may take to arrive as a whole. */
  wholeMs: number
  /** How long nothing is expected of it. */
  graceMs: number
  /** How many bytes must have arrived on average for each second after that. */
  bytesPerSecondMin: number
  /** How many may be slow at a time. */
  atOnceMax: number
}

// 5 MB, the largest file, take five and a half minutes at 120 kbit/s.
const usualLimits: SlowLimits = {
  wholeMs: 400_000,
  graceMs: 20_000,
  bytesPerSecondMin: 4000,
  atOnceMax: 50,
}

const checkMs = 1000

interface Allowed {
  request: IncomingMessage
  wholeMs: number
  sinceMs: number
  bytesRead: number
}

/**
 * Requests that may take longer to arrive than all others, whose time is Node's `requestTimeout`:
 * files that people upload over a weak line. Node has one limit for a whole server. It reports a
 * request that is over it as an error of the client, which is ignored for those allowed here; from
 * then on Node no longer looks at it, and these limits alone hold.
 */
export class SlowRequests {
  readonly #http: Http
  readonly #limits: SlowLimits
  readonly #allowed = new Map<Socket, Allowed>()
  #timer: NodeJS.Timeout | undefined

  constructor(http: Http, limits: Partial<SlowLimits> = {}) {
    this.#http = http
    this.#limits = { ...usualLimits, ...limits }
  }

  /**
   * Lets a request whose headers have arrived be slow. Only for people who are known and may send
   * it. With too many at a time it keeps the time of all others.
   */
  allow(request: IncomingMessage, wholeMs: number = this.#limits.wholeMs): void {
    const { socket } = request
    if (request.complete || this.#allowed.size >= this.#limits.atOnceMax) return
    const { bytesRead } = socket
    this.#allowed.set(socket, { request, wholeMs, sinceMs: monotonicMs(), bytesRead })
    this.#timer ??= setInterval(() => this.#check(), checkMs).unref()
    request.once('close', () => this.#forget(socket))
  }

  /** Whether the request that a connection is sending may be slow. */
  isAllowed(socket: Socket): boolean {
    return this.#allowed.get(socket)?.request.complete === false
  }

  #forget(socket: Socket): void {
    this.#allowed.delete(socket)
    if (this.#allowed.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** Closes the connections whose request is too slow even so. */
  #check(): void {
    const { graceMs, bytesPerSecondMin } = this.#limits
    for (const [socket, { request, wholeMs, sinceMs, bytesRead }] of this.#allowed) {
      if (request.complete) continue
      const elapsedMs = monotonicMs() - sinceMs
      const expected = (bytesPerSecondMin * (elapsedMs - graceMs)) / 1000
      const isTooSlow = socket.bytesRead - bytesRead < expected
      if (isTooSlow || elapsedMs > wholeMs) this.#http.connections.cutOff(socket, 'slow')
    }
  }
}
