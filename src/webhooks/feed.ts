import { Refusal } from '../catalog/refusal.ts'
import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { newDelivery } from './announce.ts'
import type { BodySafe } from './body-safe.ts'
import type { Follower } from './followers.ts'
import { openFollowers } from './followers.ts'
import type { EventRow, Job } from './store.ts'
import { findEventTarget, insertDeliveries, readEvents } from './store.ts'

export interface Feed {
  /** A client's events after a position, in the order of their commits. */
  read(clientId: number, afterPosition: number, limit: number): Promise<EventRow[]>
  /** The same, and then new events as they are committed, until the signal aborts. */
  follow(clientId: number, afterPosition: number, signal: AbortSignal): AsyncIterable<EventRow>
  /** Sends an event to its address once more. */
  replay(clientId: number, eventId: string): Promise<void>
  /** Makes the followers of these clients read again. */
  wake(clientIds: Iterable<number>): void
  /** Ends all followers. */
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

/** Opens the feed of events: pages, streams and replays. */
export function openFeed({ db, clock, log, safe, deliver }: FeedParts): Feed {
  const followers = openFollowers(db, log)

  async function read(clientId: number, afterPosition: number, limit: number) {
    const events = await readEvents(db, clientId, afterPosition, limit)
    return events.map((event) => ({ ...event, body: safe.open(event) }))
  }

  // Not a generator: a stream too many is refused here, while an error answer can still be sent.
  function follow(clientId: number, afterPosition: number, signal: AbortSignal) {
    const follower = followers.join(clientId)
    signal.addEventListener('abort', follower.leave)
    return generateEvents(clientId, afterPosition, signal, follower)
  }

  async function* generateEvents(
    clientId: number,
    afterPosition: number,
    signal: AbortSignal,
    follower: Follower,
  ) {
    const isOver = () => signal.aborted || followers.isClosed()
    try {
      for (let position = afterPosition; !isOver(); ) {
        // Asked for before the read: an event committed meanwhile is not missed.
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
      const job = await newReplay(db, safe, clientId, eventId, now)
      await db.transaction((tx) => insertDeliveries(tx, [job], now))
      deliver([job])
    },
    wake: followers.wake,
    close: followers.close,
  }
}

/** A new delivery of an event, to the address of its last one. */
async function newReplay(
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
  const event = { clientId, id: eventId, body: target.body }
  return newDelivery({ ...event, body: safe.open(event) }, url, now)
}
