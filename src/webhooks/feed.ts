import { Refusal } from '../catalog/refusal.ts'
import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import { after } from '../kit/clock.ts'
import { newId } from '../kit/ids.ts'
import type { Log } from '../kit/log.ts'
import { deliveryLeaseMs } from './announce.ts'
import type { BodySafe } from './body-safe.ts'
import type { Follower } from './followers.ts'
import { openFollowers } from './followers.ts'
import type { EventRow, Job } from './store.ts'
import { findEventTarget, insertDeliveries, readEvents } from './store.ts'

export interface Feed {
  /** A client's events after a position, in the order in which they became true. */
  read(clientId: number, afterPosition: number, limit: number): Promise<EventRow[]>
  /** The same, and then those to come, until the signal ends it. */
  follow(clientId: number, afterPosition: number, signal: AbortSignal): AsyncIterable<EventRow>
  /** Sends an event to its address once more. */
  replay(clientId: number, eventId: string): Promise<void>
  /** Something new may be there for these clients. */
  wake(clientIds: Iterable<number>): void
  close(): void
}

interface FeedParts {
  db: Db
  clock: Clock
  log: Log
  safe: BodySafe
  deliver(jobs: Job[]): void
}

const pageSize = 100

/** Reads events, once or as they come, and sends them again. */
export function openFeed({ db, clock, log, safe, deliver }: FeedParts): Feed {
  const followers = openFollowers(db, log)

  async function read(clientId: number, afterPosition: number, limit: number) {
    const events = await readEvents(db, clientId, afterPosition, limit)
    return events.map((event) => ({ ...event, body: safe.open(event) }))
  }

  // Joined at once, so that whoever is one too many can still be given an ordinary answer.
  function follow(clientId: number, afterPosition: number, signal: AbortSignal) {
    const follower = followers.join(clientId)
    signal.addEventListener('abort', follower.leave)
    return run(clientId, afterPosition, signal, follower)
  }

  async function* run(
    clientId: number,
    afterPosition: number,
    signal: AbortSignal,
    follower: Follower,
  ) {
    const isOver = () => signal.aborted || followers.isClosed()
    try {
      for (let position = afterPosition; !isOver(); ) {
        // Listening begins before reading: what comes in between is not missed.
        const changed = follower.changed()
        const events = await read(clientId, position, pageSize)
        for (const event of events) {
          if (isOver()) return
          yield event
          position = event.position
        }
        if (events.length < pageSize && !isOver()) await changed
      }
    } finally {
      follower.leave()
    }
  }

  return {
    read,
    follow,
    replay: async (clientId, eventId) => {
      const now = clock.now()
      const job = await jobAgain(db, safe, clientId, eventId, now)
      await db.transaction((tx) => insertDeliveries(tx, [job], now))
      deliver([job])
    },
    wake: followers.wake,
    close: followers.close,
  }
}

/** Another delivery of an event, to the address of the last. */
async function jobAgain(
  db: Db,
  safe: BodySafe,
  clientId: number,
  eventId: string,
  now: Date,
): Promise<Job> {
  const target = await findEventTarget(db, clientId, eventId)
  if (target === undefined) throw new Refusal('not_found', 'No event found')
  const { url } = target
  if (url === null) throw new Refusal('conflict', 'This event has no address to go to')
  return {
    clientId,
    id: newId(now),
    eventId,
    endpoint: new URL(url).origin,
    url,
    body: safe.open({ clientId, id: eventId, body: target.body }),
    tries: 0,
    leaseEndsAt: after(now, deliveryLeaseMs),
  }
}
