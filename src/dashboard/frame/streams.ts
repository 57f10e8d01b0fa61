import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { acceptsEncoding } from '../../http/encoding.ts'
import { beginEvents } from '../../http/stream.ts'
import type { People } from '../../people/open.ts'
import type { ShownBySession } from '../../people/session-store.ts'
import type { StreamPart } from './stream-parts.ts'
import { gzipHead, streamPart } from './stream-parts.ts'
import type { AnyVisit } from './visit.ts'

/** Makes a page read itself again and take over what has changed. */
export const refresh = '<turbo-stream action="refresh"></turbo-stream>'

export type Streams = ReturnType<typeof openStreams>

/** A page that is open in a browser. */
export interface Stream<V extends AnyVisit = AnyVisit> {
  visit: V
  /** Sends updates; a reader that does not read is disconnected, and reads on when it is back. */
  send(update: StreamPart): void
  end(): void
}

/** Updates of a time, for any number of streams. */
export function updateOf(at: Date, updates: string): StreamPart {
  return streamPart(`id: ${at.getTime()}\ndata: ${updates.replaceAll('\n', ' ')}\n\n`)
}

// So few that a payment hardly waits for its turn.
const sentAtOnce = 50

/** Sends an update to many streams, and lets requests have their turns in between. */
export async function sendToAll(streams: Stream[], update: StreamPart): Promise<void> {
  for (const [index, stream] of streams.entries()) {
    if (index % sentAtOnce === 0) await nextTurn()
    stream.send(update)
  }
}

interface Open {
  raw: ServerResponse
  send(part: StreamPart): void
  /** Whether it got something since the last heartbeat. */
  isFresh: boolean
}

interface Limits {
  perPerson: number
  perProcess: number
}

const heartbeatMs = 15_000
const sessionsMs = 5000
const unreadBytesMax = 200_000
const heartbeat = streamPart(': still here\n\n')
// Not all at once when a process stops.
const retries = Array.from({ length: 10 }, (_, tenth) =>
  streamPart(`retry: ${1500 + 250 * tenth}\n\n`),
)

/**
 * The open streams of this process. All of them share one heartbeat and one statement that looks
 * whether their sessions are still open and show the same client in the same role.
 */
export function openStreams(
  people: Pick<People, 'shownBy'>,
  { perPerson, perProcess }: Limits = { perPerson: 20, perProcess: 4000 },
) {
  const streams = new Map<Stream, Open>()
  const persons = countPersons()
  let timers: NodeJS.Timeout[] = []
  let closing: AbortSignal | undefined

  function beat(): void {
    for (const open of streams.values()) {
      if (!open.isFresh) open.send(heartbeat)
      open.isFresh = false
    }
  }

  function check(): void {
    // Looked at again in five seconds.
    endUnshown(people, [...streams.keys()]).catch(() => {})
  }

  function endAll(): void {
    for (const stream of streams.keys()) stream.end()
  }

  function start(reply: FastifyReply): void {
    if (timers.length > 0) return
    timers = [setInterval(beat, heartbeatMs).unref(), setInterval(check, sessionsMs).unref()]
    ;({ closing } = reply.server)
    closing.addEventListener('abort', endAll)
  }

  function leave(stream: Stream): void {
    streams.delete(stream)
    persons.add(stream.visit, -1)
    if (streams.size > 0) return
    for (const timer of timers) clearInterval(timer)
    timers = []
    closing?.removeEventListener('abort', endAll)
  }

  return {
    isFull: (visit: AnyVisit): boolean =>
      streams.size >= perProcess || persons.of(visit) >= perPerson,
    /** Begins a stream; `onEnd` is called once, however it ends. */
    add<V extends AnyVisit>(visit: V, reply: FastifyReply, onEnd: () => void): Stream<V> {
      const open = beginStream(visit, reply)
      const { raw } = open
      const stream: Stream<V> = {
        visit,
        send: (update) => sendOn(open, update),
        end: () => raw.end(),
      }
      streams.set(stream, open)
      persons.add(visit, 1)
      start(reply)
      raw.once('close', () => {
        leave(stream)
        onEnd()
      })
      if (reply.server.closing.aborted) raw.end()
      return stream
    },
  }
}

function sendOn(open: Open, update: StreamPart): void {
  const { raw } = open
  // Its browser may have left since sending to all began.
  if (raw.destroyed || raw.writableEnded) return
  open.isFresh = true
  if (raw.writableLength > unreadBytesMax) raw.destroy()
  else open.send(update)
}

/** How many streams each person has. */
function countPersons() {
  const counts = new Map<string, number>()
  const of = ({ session }: AnyVisit) => counts.get(session.personId) ?? 0
  return {
    of,
    add(visit: AnyVisit, change: 1 | -1): void {
      const count = of(visit) + change
      if (count > 0) counts.set(visit.session.personId, count)
      else counts.delete(visit.session.personId)
    },
  }
}

/** Ends the streams whose sessions are over, or show something else by now. */
async function endUnshown(people: Pick<People, 'shownBy'>, streams: Stream[]): Promise<void> {
  const ids = new Set(streams.map(({ visit }) => visit.session.id))
  const shown = await people.shownBy([...ids])
  for (const stream of streams)
    if (!isStill(stream.visit, shown.get(stream.visit.session.id))) stream.end()
}

/** Sends the head of a stream, which is compressed if the browser accepts it. */
function beginStream({ request }: AnyVisit, reply: FastifyReply): Open {
  const isPacked = acceptsEncoding(request.headers['accept-encoding'], 'gzip')
  if (isPacked) reply.header('Content-Encoding', 'gzip')
  // Ends with its connection: each part is then written as it is, without a length around it.
  reply.raw.useChunkedEncodingByDefault = false
  const raw = beginEvents(reply)
  if (isPacked) raw.write(gzipHead)
  const send = isPacked
    ? (part: StreamPart) => void raw.write(part.packed())
    : (part: StreamPart) => void raw.write(part.plain)
  const retry = retries[Math.floor(Math.random() * retries.length)]
  if (retry !== undefined) send(retry)
  return { raw, send, isFresh: true }
}

/** Whether a session shows the same to the same role as when a page was opened. */
function isStill({ client, role }: AnyVisit, now: ShownBySession | undefined): boolean {
  if (client === null) return now?.operatorRole === role
  return now?.clientId === client.id && now.role === role
}
