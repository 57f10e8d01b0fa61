import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { WebSocket } from '@fastify/websocket'
import type { FastifyReply } from 'fastify'

interface Sendable {
  /** Sent as the id of the event, so that a client can resume after it. */
  position: number
}

type Follow<Event> = (signal: AbortSignal) => AsyncIterable<Event>
type Write<Event> = (event: Event) => object

interface StreamOptions {
  heartbeatMs?: number
  /** Ends the stream when it is aborted; its reason is a sentence for the client. */
  until?: AbortSignal
  /** Sent as the first id, so that a client that saw no event yet can resume, too. */
  startPosition?: number
}

// Shorter than the idle timeouts of proxies.
const usualHeartbeatMs = 15_000
const bufferedBytesMax = 1_000_000

/** Writes server-sent events, at the client's pace, until it disconnects or the server closes. */
export async function streamAsEvents<Event extends Sendable>(
  reply: FastifyReply,
  follow: Follow<Event>,
  write: Write<Event>,
  { heartbeatMs = usualHeartbeatMs, until, startPosition }: StreamOptions = {},
): Promise<void> {
  const gone = new AbortController()
  const signal = AbortSignal.any([gone.signal, reply.server.closing, ...(until ? [until] : [])])
  const events = follow(signal)
  const raw = beginEvents(reply)
  raw.write(`: connected\n${startPosition === undefined ? '' : `id: ${startPosition}\n`}\n`)
  raw.on('close', () => gone.abort())
  // No event is emitted for a connection that closed before the listener was added.
  if (raw.closed) gone.abort()
  const heartbeat = setInterval(() => raw.write(': still here\n\n'), heartbeatMs)
  try {
    for await (const event of events) {
      const data = JSON.stringify(write(event))
      const text = `id: ${event.position}\nevent: event\ndata: ${data}\n\n`
      if (!raw.write(text)) await once(raw, 'drain', { signal })
    }
  } catch {
    // The client disconnected while an event was written.
  } finally {
    clearInterval(heartbeat)
    gone.abort()
    raw.end()
  }
}

/** Sends the head of a stream of server-sent events, and gives what they are written to. */
export function beginEvents(reply: FastifyReply): ServerResponse {
  const headers = {
    'content-type': 'text/event-stream',
    'x-accel-buffering': 'no',
    // A keep-alive connection would delay the closing of the server.
    connection: 'close',
  }
  reply.request.freePlace()
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, { ...reply.getHeaders(), ...headers } as Record<string, string>)
  return raw
}

/** Sends events over a WebSocket until it closes; ends one whose client does not read or pong. */
export async function streamAsSocket<Event extends Sendable>(
  socket: WebSocket,
  follow: Follow<Event>,
  write: Write<Event>,
  { heartbeatMs = usualHeartbeatMs, until }: StreamOptions = {},
): Promise<void> {
  const gone = new AbortController()
  socket.on('close', () => gone.abort())
  socket.on('error', () => gone.abort())
  let isAlive = true
  socket.on('pong', () => {
    isAlive = true
  })
  const heartbeat = setInterval(() => {
    if (!isAlive) socket.terminate()
    isAlive = false
    socket.ping()
  }, heartbeatMs)
  try {
    const signal = until === undefined ? gone.signal : AbortSignal.any([gone.signal, until])
    for await (const event of follow(signal)) {
      await new Promise<void>((resolve, reject) => {
        socket.send(JSON.stringify(write(event)), (problem) =>
          problem ? reject(problem) : resolve(),
        )
      })
      if (socket.bufferedAmount > bufferedBytesMax) socket.terminate()
    }
    if (until?.aborted) socket.close(1008, String(until.reason))
    else socket.close(1001, 'the server is stopping')
  } catch (problem) {
    socket.close(1013, problem instanceof Error ? problem.message.slice(0, 100) : '')
  } finally {
    clearInterval(heartbeat)
    gone.abort()
  }
}
