import type { Log } from '#base/log/log.ts'
import type { DbParts } from '#data/db/db.ts'
import type { Viewer } from '#merchants/clients/scope.ts'
import type { BodySafe } from './body-safe.ts'
import { type Follower, openFollowers } from './followers.ts'
import { openReplay, type Replay } from './replay.ts'
import { type EventRow, type Job, readEvents, readPositions } from './store.ts'

export interface Feed extends Replay {
  /** The events that a key sees, after a position, in the order of their commits. */
  read(viewer: Viewer, afterPosition: number, limit: number): Promise<EventRow[]>
  /** The position of the client's newest event. */
  lastPosition(viewer: Viewer): Promise<number>
  /** The events after a position, then new ones as they are committed, until the signal aborts. */
  follow(viewer: Viewer, afterPosition: number, signal: AbortSignal): AsyncIterable<EventRow>
  /** Makes the followers of these clients read again. */
  wake(clientIds: Iterable<number>): void
  /** Ends all followers. */
  close(): void
}

interface FeedParts extends DbParts {
  log: Log
  safe: BodySafe
  deliver(jobs: Job[]): void
}

const pageSize = 100

/** Opens the feed of events: pages, streams and replays. */
export function openFeed({ db, clock, log, safe, deliver }: FeedParts): Feed {
  const followers = openFollowers(db, log)

  async function read(viewer: Viewer, afterPosition: number, limit: number) {
    const events = await readEvents(db, viewer, afterPosition, limit)
    return events.map((event) => ({ ...event, body: safe.open(event) }))
  }

  // Not a generator: a stream too many is refused here, while an error answer can still be sent.
  function follow(viewer: Viewer, afterPosition: number, signal: AbortSignal) {
    const follower = followers.join(viewer.clientId)
    signal.addEventListener('abort', follower.leave)
    return generateEvents(viewer, afterPosition, signal, follower)
  }

  async function* generateEvents(
    viewer: Viewer,
    afterPosition: number,
    signal: AbortSignal,
    follower: Follower,
  ) {
    const isOver = () => signal.aborted || followers.isClosed()
    try {
      for (let position = afterPosition; !isOver(); ) {
        // Asked for before the read: an event committed meanwhile is not missed.
        const changed = follower.changed()
        const events = await read(viewer, position, pageSize)
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
    lastPosition: async ({ clientId }) => (await readPositions(db, [clientId])).get(clientId) ?? 0,
    follow,
    ...openReplay({ db, clock, safe, deliver }),
    wake: followers.wake,
    close: followers.close,
  }
}
