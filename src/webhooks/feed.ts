import type { Clock } from '../kit/clock.ts'
import { after } from '../kit/clock.ts'
import type { Db } from '../kit/db.ts'
import { newId } from '../kit/ids.ts'
import type { Log } from '../kit/log.ts'
import { Refusal } from '../kit/refusal.ts'
import { deliveryLeaseMs } from './announce.ts'
import type { EventRow, Job } from './store.ts'
import { findEventTarget, insertDeliveries, readEvents, readPositions } from './store.ts'

export interface Feed {
  /** A client's events after a position, in the order in which they became true. */
  read(clientId: number, afterPosition: number, limit: number): Promise<EventRow[]>
  /** The same, and then those to come, until the signal ends it. */
  follow(clientId: number, afterPosition: number, signal: AbortSignal): AsyncIterable<EventRow>
  /** Sends an event to its address once more. */
  replay(clientId: number, eventId: string): Promise<void>
  /** Something new may be there for these clients. */
  wake(clientIds: number[]): void
  close(): void
}

interface FeedParts {
  db: Db
  clock: Clock
  log: Log
  deliver(jobs: Job[]): void
}

const pageSize = 100
const lookEveryMs = 250
const streamsMax = 1000
const clientStreamsMax = 20

/**
 * Reads events, once or as they come. Followers wait for a word from this process or, since other
 * processes write events too, for the next look at the positions of all clients that are followed:
 * one small statement however many follow, and nothing at all while nobody does.
 */
export function openFeed({ db, clock, log, deliver }: FeedParts): Feed {
  const followers = new Map<number, Set<() => void>>()
  const known = new Map<number, number>()
  let open = 0
  let isClosed = false
  const wake = (clientIds: Iterable<number>) => {
    for (const clientId of clientIds) for (const go of followers.get(clientId) ?? []) go()
  }
  const timer = setInterval(() => {
    if (followers.size === 0) return
    look().catch((problem: unknown) => log.warn({ err: problem }, 'events could not be looked for'))
  }, lookEveryMs)
  timer.unref()

  async function look(): Promise<void> {
    const positions = await readPositions(db, [...followers.keys()])
    const moved = [...positions].filter(([clientId, last]) => known.get(clientId) !== last)
    for (const [clientId, last] of moved) known.set(clientId, last)
    wake(moved.map(([clientId]) => clientId))
  }

  function follow(clientId: number, afterPosition: number, signal: AbortSignal) {
    // Refused at once, while the caller can still be given an ordinary answer.
    if (open >= streamsMax || (followers.get(clientId)?.size ?? 0) >= clientStreamsMax)
      throw new Refusal('rate_limited', 'Too many streams are open')
    return run(clientId, afterPosition, signal)
  }

  async function* run(clientId: number, afterPosition: number, signal: AbortSignal) {
    const own = followers.get(clientId) ?? new Set()
    let go: () => void = () => {}
    const onWake = () => go()
    followers.set(clientId, own.add(onWake))
    signal.addEventListener('abort', onWake)
    open += 1
    try {
      for (let position = afterPosition; !signal.aborted && !isClosed; ) {
        // Listening begins before reading: what comes in between is not missed.
        const woken = new Promise<void>((resolve) => {
          go = resolve
        })
        const events = await readEvents(db, clientId, position, pageSize)
        for (const event of events) {
          if (signal.aborted || isClosed) return
          yield event
          position = event.position
        }
        if (events.length < pageSize) await woken
      }
    } finally {
      open -= 1
      own.delete(onWake)
      if (own.size === 0) followers.delete(clientId)
      signal.removeEventListener('abort', onWake)
    }
  }

  async function replay(clientId: number, eventId: string): Promise<void> {
    const now = clock.now()
    const target = await findEventTarget(db, clientId, eventId)
    if (target === undefined) throw new Refusal('not_found', 'No event found')
    if (target.url === null) throw new Refusal('conflict', 'This event has no address to go to')
    const { url, body } = target
    const job: Job = {
      clientId,
      id: newId(now),
      eventId,
      endpoint: new URL(url).origin,
      url,
      body,
      tries: 0,
      leaseEndsAt: after(now, deliveryLeaseMs),
    }
    await db.transaction((tx) => insertDeliveries(tx, [job], now))
    deliver([job])
  }

  return {
    read: (clientId, afterPosition, limit) => readEvents(db, clientId, afterPosition, limit),
    follow,
    replay,
    wake,
    close: () => {
      isClosed = true
      clearInterval(timer)
      wake([...followers.keys()])
    },
  }
}
