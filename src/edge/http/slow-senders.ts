import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Http } from './http.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Connections whose request may take longer to arrive than all others. */
    slowSenders: Set<Socket>
  }
}

const atOnceMax = 50

/**
 * Lets a request whose headers have arrived be slow: a file that somebody uploads over a weak line.
 * Only for people who are known and may send it. With too many at a time it keeps the time of all
 * others.
 */
export function mayBeSlow({ slowSenders }: Http, request: IncomingMessage): void {
  const { socket } = request
  if (slowSenders.size >= atOnceMax) return
  slowSenders.add(socket)
  request.once('close', () => slowSenders.delete(socket))
}
