import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { Html } from '../../kit/html.ts'
import { html } from '../../kit/html.ts'

// Shorter than the idle timeouts of proxies.
const heartbeatMs = 15_000
const leastGapMs = 1000

/** Tells a page that is open to fetch itself again and to take over what has changed. */
export const refresh = html`<turbo-stream action="refresh"></turbo-stream>`

/**
 * Sends changes to a page that is open (`<turbo-stream-source>`), at most one a second, until the
 * browser leaves or the server closes. `follow` yields what is sent.
 */
export async function sendTurboStream(
  reply: FastifyReply,
  follow: (signal: AbortSignal) => AsyncIterable<Html>,
): Promise<FastifyReply> {
  const gone = new AbortController()
  const signal = AbortSignal.any([gone.signal, reply.server.closing])
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream',
    'x-accel-buffering': 'no',
    connection: 'close',
  })
  raw.write(': connected\n\n')
  raw.on('close', () => gone.abort())
  if (raw.closed) gone.abort()
  const heartbeat = setInterval(() => raw.write(': still here\n\n'), heartbeatMs)
  try {
    for await (const { text } of follow(signal)) {
      const data = text.replaceAll('\n', '\ndata: ')
      if (!raw.write(`data: ${data}\n\n`)) await once(raw, 'drain', { signal })
      await sleep(leastGapMs, undefined, { signal })
    }
  } catch {
    // The browser has left.
  } finally {
    clearInterval(heartbeat)
    gone.abort()
    raw.end()
  }
  return reply
}
