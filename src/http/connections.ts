import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { monotonicMs } from '../kit/clock.ts'
import type { Http } from './http.ts'

declare module 'fastify' {
  interface FastifyInstance {
    connections: Connections
  }
}

/** What clients may make the server keep for them. */
export interface ConnectionLimits {
  /** Requests of one connection that wait for the answers before them. */
  waitingMax: number
  /** Bytes that came with them. */
  waitingBytesMax: number
  /** Requests that wait on all connections. */
  waitingInAllMax: number
  /** How long a client may take to read an answer. */
  unreadMaxMs: number
}

// Clients that do not pipeline never wait. A waiting request takes about 4 KB. Two minutes are
// enough for the largest answer, 1 MB compressed, at 9 KB/s.
const usualLimits: ConnectionLimits = {
  waitingMax: 256,
  waitingBytesMax: 262_144,
  waitingInAllMax: 10_000,
  unreadMaxMs: 120_000,
}

interface Waiting {
  request: IncomingMessage
  response: ServerResponse
  /** What the connection had received when it arrived. */
  bytesRead: number
}

interface Connection {
  isUsed: boolean
  /** When its last request was answered. */
  restedMs: number
  current: ServerResponse | undefined
  waiting: Waiting[]
  /** An answer that the client had not read when it was last looked at, and since when. */
  unread: { response: ServerResponse; sinceMs: number } | undefined
  /** To be done when everything is answered. */
  afterAnswers: (() => void) | undefined
}

/** Why connections were closed by the server. */
export type CutReason = 'pipelined' | 'unread' | 'slow'

/**
 * Carries out the requests of a connection one after the other, so that a client costs one answer
 * at a time, however many requests it sends ahead. Node would begin all of them at once, and keep
 * all of their answers. Connections over a limit are closed.
 */
export class Connections {
  /** How many were closed because they were over a limit. */
  readonly cut: Record<CutReason, number> = { pipelined: 0, unread: 0, slow: 0 }
  /** How many connections and requests have arrived since the start. */
  accepted = 0
  received = 0
  readonly #http: Http
  readonly #limits: ConnectionLimits
  readonly #open = new Map<Socket, Connection>()
  #waitingInAll = 0

  constructor(http: Http, limits: Partial<ConnectionLimits> = {}) {
    this.#http = http
    this.#limits = { ...usualLimits, ...limits }
    const { server } = http
    const admit = (request: IncomingMessage, response: ServerResponse) =>
      this.#admit(request, response)
    server.on('connection', (socket: Socket) => this.#add(socket))
    // A WebSocket is no longer ours.
    server.on('upgrade', ({ socket }) => void this.#open.delete(socket))
    server.removeAllListeners('request')
    server.on('request', admit)
    // Node answers 417 to an Expect other than 100-continue; RFC 9110, 10.1.1 allows to ignore it.
    server.on('checkExpectation', admit)
    const checkMs = Math.ceil(this.#limits.unreadMaxMs / 12)
    const checks = setInterval(() => this.#cutUnread(), checkMs).unref()
    http.addHook('onClose', async () => clearInterval(checks))
  }

  /** How many connections are open. */
  get size(): number {
    return this.#open.size
  }

  /** The connections without a request in progress. */
  idle(): { socket: Socket; isUsed: boolean }[] {
    return [...this.#open]
      .filter(([, { current }]) => current === undefined)
      .map(([socket, { isUsed }]) => ({ socket, isUsed }))
  }

  /** How many connections have got an answer within that time; an open stream has got none. */
  answeredWithin(ms: number): number {
    const sinceMs = monotonicMs() - ms
    return [...this.#open.values()].filter(({ restedMs }) => restedMs > sinceMs).length
  }

  /** Whether a connection has further requests that wait for their turn. */
  hasMore(socket: Socket): boolean {
    return (this.#open.get(socket)?.waiting.length ?? 0) > 0
  }

  /**
   * Calls `answer` once the requests that a connection has sent whole are answered; at once when
   * the one in progress is not whole.
   */
  afterAnswers(socket: Socket, answer: () => void): void {
    const connection = this.#open.get(socket)
    if (connection?.current === undefined || !connection.current.req.complete) {
      answer()
      return
    }
    const { waiting } = connection
    if (waiting.at(-1)?.request.complete === false) {
      waiting.pop()
      this.#waitingInAll -= 1
    }
    connection.afterAnswers = answer
  }

  #add(socket: Socket): void {
    const connection: Connection = {
      isUsed: false,
      restedMs: -Infinity,
      current: undefined,
      waiting: [],
      unread: undefined,
      afterAnswers: undefined,
    }
    this.accepted += 1
    this.#open.set(socket, connection)
    socket.once('close', () => {
      this.#open.delete(socket)
      this.#waitingInAll -= connection.waiting.length
      connection.waiting = []
      connection.afterAnswers = undefined
    })
  }

  #admit(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    this.received += 1
    // After the end of our side a request cannot be answered, so it must not take effect.
    if (!socket.writable) return
    const connection = this.#open.get(socket)
    if (connection === undefined) this.#http.routing(request, response)
    else if (connection.current === undefined) this.#begin(connection, request, response)
    else if (this.#isOverLimit(connection, socket)) this.cutOff(socket, 'pipelined')
    else {
      connection.waiting.push({ request, response, bytesRead: socket.bytesRead })
      this.#waitingInAll += 1
    }
  }

  #isOverLimit({ waiting }: Connection, { bytesRead }: Socket): boolean {
    const { waitingMax, waitingBytesMax, waitingInAllMax } = this.#limits
    return (
      waiting.length >= waitingMax ||
      bytesRead - (waiting[0]?.bytesRead ?? bytesRead) > waitingBytesMax ||
      this.#waitingInAll >= waitingInAllMax
    )
  }

  #begin(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    connection.isUsed = true
    connection.current = response
    response.once('close', () => {
      // Other connections get their turn first.
      if (connection.waiting.length > 0) setImmediate(() => this.#beginNext(connection))
      else this.#rest(connection)
    })
    if (!this.#http.refuseUnrouted(request, response)) this.#http.routing(request, response)
  }

  #beginNext(connection: Connection): void {
    const [next] = connection.waiting
    if (next === undefined || !next.request.socket.writable) this.#rest(connection)
    else {
      connection.waiting.shift()
      this.#waitingInAll -= 1
      this.#begin(connection, next.request, next.response)
    }
  }

  #rest(connection: Connection): void {
    connection.current = undefined
    connection.restedMs = monotonicMs()
    connection.afterAnswers?.()
  }

  /** Closes a connection because of what its client did. */
  cutOff(socket: Socket, reason: CutReason): void {
    this.cut[reason] += 1
    socket.destroy()
  }

  /** Closes the connections whose client does not read its answer. */
  #cutUnread(): void {
    const nowMs = monotonicMs()
    for (const [socket, connection] of this.#open) {
      const { current, unread } = connection
      if (current?.writableEnded !== true || current.writableFinished) connection.unread = undefined
      else if (unread?.response !== current)
        connection.unread = { response: current, sinceMs: nowMs }
      else if (nowMs - unread.sinceMs >= this.#limits.unreadMaxMs) this.cutOff(socket, 'unread')
    }
  }
}
