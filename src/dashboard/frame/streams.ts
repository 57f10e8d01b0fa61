import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { beginEvents } from '../../http/stream.ts'
import type { People } from '../../people/open.ts'
import type { ShownBySession } from '../../people/session-store.ts'
import type { AnyVisit } from './visit.ts'

/** Makes a page read itself again and take over what has changed. */
export const refresh = '<turbo-stream action="refresh"></turbo-stream>'

export type Streams = ReturnType<typeof openStreams>

/** A page that is open in a browser. */
export interface Stream<V extends AnyVisit = AnyVisit> {
  visit: V
  /** Sends updates; a reader that does not read is disconnected, and reads on when it is back. */
  send(at: Date, updates: string): void
  end(): void
}

interface Limits {
  perPerson: number
  perProcess: number
}

const heartbeatMs = 15_000
const sessionsMs = 5000
const unreadBytesMax = 200_000

/**
 * The open streams of this process. All of them share one heartbeat and one statement that looks
 * whether their sessions are still open and show the same client in the same role.
 */
export function openStreams(
  people: Pick<People, 'shownBy'>,
  { perPerson, perProcess }: Limits = { perPerson: 20, perProcess: 4000 },
) {
  const streams = new Map<Stream, ServerResponse>()
  let timers: NodeJS.Timeout[] = []

  function beat(): void {
    for (const raw of streams.values()) raw.write(': still here\n\n')
  }

  async function checkSessions(): Promise<void> {
    const ids = new Set([...streams.keys()].map(({ visit }) => visit.session.id))
    const shown = await people.shownBy([...ids])
    for (const stream of streams.keys()) {
      if (!isStill(stream.visit, shown.get(stream.visit.session.id))) stream.end()
    }
  }

  function check(): void {
    // Looked at again in five seconds.
    checkSessions().catch(() => {})
  }

  function start(): void {
    if (timers.length > 0) return
    timers = [setInterval(beat, heartbeatMs).unref(), setInterval(check, sessionsMs).unref()]
  }

  function leave(stream: Stream): void {
    streams.delete(stream)
    if (streams.size > 0) return
    for (const timer of timers) clearInterval(timer)
    timers = []
  }

  return {
    isFull: ({ session }: AnyVisit): boolean =>
      streams.size >= perProcess ||
      [...streams.keys()].filter(({ visit }) => visit.session.personId === session.personId)
        .length >= perPerson,
    /** Begins a stream; `onEnd` is called once, however it ends. */
    add<V extends AnyVisit>(visit: V, reply: FastifyReply, onEnd: () => void): Stream<V> {
      const { closing } = reply.server
      const raw = beginEvents(reply)
      const stream: Stream<V> = {
        visit,
        send: (at, updates) => {
          if (raw.writableLength > unreadBytesMax) raw.destroy()
          else raw.write(`id: ${at.getTime()}\ndata: ${updates.replaceAll('\n', ' ')}\n\n`)
        },
        end: () => raw.end(),
      }
      // Not all at once when a process stops.
      raw.write(`retry: ${1500 + Math.round(Math.random() * 2500)}\n\n`)
      streams.set(stream, raw)
      start()
      closing.addEventListener('abort', stream.end)
      raw.once('close', () => {
        closing.removeEventListener('abort', stream.end)
        leave(stream)
        onEnd()
      })
      if (closing.aborted) raw.end()
      return stream
    },
  }
}

/** Whether a session shows the same to the same role as when a page was opened. */
function isStill({ client, role }: AnyVisit, now: ShownBySession | undefined): boolean {
  if (client === null) return now?.operatorRole === role
  return now?.clientId === client.id && now.role === role
}
