import { Refusal } from '#base/kit/refusal.ts'
import type { Log } from '#base/log/log.ts'
import type { Db } from '#data/db/db.ts'
import { readPositions } from './store.ts'

export interface Follower {
  /** Resolves when there may be new events, or the stream ends; must be called before the read. */
  changed(): Promise<void>
  leave(): void
}

export interface Followers {
  /** Adds a follower of a client's events; refuses beyond the limits. */
  join(clientId: number): Follower
  /** Resolves `changed` of every follower of these clients. */
  wake(clientIds: Iterable<number>): void
  isClosed(): boolean
  close(): void
}

const pollMs = 250
const streamsMax = 1000
const clientStreamsMax = 20

/**
 * Keeps the open event streams. Events of this process wake them at once. Events of other processes
 * are found by polling the positions of all followed clients: one small statement each time,
 * however many streams there are, and none while there is no stream.
 */
export function openFollowers(db: Db, log: Log): Followers {
  const followers = new Map<number, Set<{ wake(): void }>>()
  const seenPositions = new Map<number, number>()
  let openStreams = 0
  let isClosed = false

  function wake(clientIds: Iterable<number>): void {
    for (const clientId of clientIds) for (const one of followers.get(clientId) ?? []) one.wake()
  }
  async function poll(): Promise<void> {
    const positions = await readPositions(db, [...followers.keys()])
    const moved = [...positions].filter(([clientId, last]) => seenPositions.get(clientId) !== last)
    for (const [clientId, last] of moved) seenPositions.set(clientId, last)
    wake(moved.map(([clientId]) => clientId))
  }
  const timer = setInterval(() => {
    if (followers.size === 0) return
    poll().catch((problem: unknown) => log.warn({ err: problem }, 'new events could not be read'))
  }, pollMs)
  timer.unref()

  return {
    join: (clientId) => {
      const ofClient = followers.get(clientId) ?? new Set()
      if (openStreams >= streamsMax || ofClient.size >= clientStreamsMax)
        throw new Refusal('rate_limited', 'Too many streams are open')
      const follower = { wake: () => {} }
      followers.set(clientId, ofClient.add(follower))
      openStreams += 1
      return {
        changed: () =>
          new Promise((resolve) => {
            follower.wake = resolve
            if (isClosed) resolve()
          }),
        leave: () => {
          follower.wake()
          if (!ofClient.delete(follower)) return
          openStreams -= 1
          if (ofClient.size === 0) followers.delete(clientId)
        },
      }
    },
    wake,
    isClosed: () => isClosed,
    close: () => {
      isClosed = true
      clearInterval(timer)
      wake([...followers.keys()])
    },
  }
}
