import type { FastifyReply } from 'fastify'
import type { Clock } from '../../kit/clock.ts'
import type { Streams } from './streams.ts'
import { refresh, updateOf } from './streams.ts'
import type { AnyVisit } from './visit.ts'

interface Followed {
  /** Yields when the record may have changed, until the signal. */
  follow(signal: AbortSignal): AsyncIterable<void>
  version(): Promise<string>
}

/** Tells a page that is open when its record is no longer of the version that the page shows. */
export async function followRecord(
  { streams, clock }: { streams: Streams; clock: Clock },
  visit: AnyVisit,
  reply: FastifyReply,
  { follow, version }: Followed,
): Promise<FastifyReply> {
  if (streams.isFull(visit)) return reply.code(429).header('Retry-After', 15).send()
  const gone = new AbortController()
  const stream = streams.add(visit, reply, () => gone.abort())
  let shown = visit.query.version ?? ''
  try {
    for await (const _ of follow(gone.signal)) {
      const now = await version()
      if (now !== shown) stream.send(updateOf(clock.now(), refresh))
      shown = now
    }
  } catch (problem) {
    visit.request.log.warn({ err: problem, path: visit.path }, 'a record could not be followed')
    // The browser connects again.
    stream.end()
  }
  return reply
}
