import { once } from 'node:events'
import type { WebSocket } from '@fastify/websocket'
import type { FastifyReply } from 'fastify'

interface Sendable {
  /** Told with each event, so that a listener can go on from there. */
  position: number
}

type Follow<Event> = (signal: AbortSignal) => AsyncIterable<Event>
type Write<Event> = (event: Event) => object

// Shorter than any proxy's patience.
const usualHeartbeatMs = 15_000
const bufferedBytesMax = 1_000_000

/** Writes server-sent events until the caller or the server goes; waits while a caller is slow. */
export async function streamAsEvents<Event extends Sendable>(
  reply: FastifyReply,
  follow: Follow<Event>,
  write: Write<Event>,
  heartbeatMs = usualHeartbeatMs,
): Promise<void> {
  const gone = new AbortController()
  const signal = AbortSignal.any([gone.signal, reply.server.closing])
  const events = follow(signal)
  const headers = {
    'content-type': 'text/event-stream',
    'x-accel-buffering': 'no',
    // Nothing follows a stream; a server that stops would wait for what could.
    connection: 'close',
  }
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, { ...reply.getHeaders(), ...headers } as Record<string, string>)
  raw.write(': connected\n\n')
  raw.on('close', () => gone.abort())
  // Who left before that is not told of again.
  if (raw.closed) gone.abort()
  const heartbeat = setInterval(() => raw.write(': still here\n\n'), heartbeatMs)
  try {
    for await (const event of events) {
      const data = JSON.stringify(write(event))
      const text = `id: ${event.position}\nevent: event\ndata: ${data}\n\n`
      if (!raw.write(text)) await once(raw, 'drain', { signal })
    }
  } catch {
    // The caller left in the middle.
  } finally {
    clearInterval(heartbeat)
    gone.abort()
    raw.end()
  }
}

/** Sends events over a WebSocket until it closes; stops one that does not read. */
export async function streamAsSocket<Event extends Sendable>(
  socket: WebSocket,
  follow: Follow<Event>,
  write: Write<Event>,
  heartbeatMs = usualHeartbeatMs,
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
    for await (const event of follow(gone.signal)) {
      await new Promise<void>((resolve, reject) => {
        socket.send(JSON.stringify(write(event)), (problem) =>
          problem ? reject(problem) : resolve(),
        )
      })
      if (socket.bufferedAmount > bufferedBytesMax) socket.terminate()
    }
    socket.close(1001, 'the server is stopping')
  } catch (problem) {
    socket.close(1013, problem instanceof Error ? problem.message.slice(0, 100) : '')
  } finally {
    clearInterval(heartbeat)
    gone.abort()
  }
}
