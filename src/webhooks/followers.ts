import { Refusal } from '../catalog/refusal.ts'
import type { Db } from '../db/db.ts'
import type { Log } from '../kit/log.ts'
import { readPositions } from './store.ts'

export interface Follower {
  /** Resolves when something new may be there, or the end has come; ask before you read. */
  changed(): Promise<void>
  leave(): void
}

export interface Followers {
  /** Lets somebody follow a client's events, unless too many do. */
  join(clientId: number): Follower
  /** Something new may be there for these clients. */
  wake(clientIds: Iterable<number>): void
  isClosed(): boolean
  close(): void
}

const lookEveryMs = 250
const streamsMax = 1000
const clientStreamsMax = 20

/**
 * Those who wait for events. They are woken by a word from this process or, since other processes
 * write events too, by the next look at the positions of all clients that are followed: one small
 * statement however many follow, and nothing at all while nobody does.
 */
export function openFollowers(db: Db, log: Log): Followers {
  const waiting = new Map<number, Set<{ go(): void }>>()
  const known = new Map<number, number>()
  let open = 0
  let isClosed = false

  function wake(clientIds: Iterable<number>): void {
    for (const clientId of clientIds) for (const one of waiting.get(clientId) ?? []) one.go()
  }
  async function look(): Promise<void> {
    const positions = await readPositions(db, [...waiting.keys()])
    const moved = [...positions].filter(([clientId, last]) => known.get(clientId) !== last)
    for (const [clientId, last] of moved) known.set(clientId, last)
    wake(moved.map(([clientId]) => clientId))
  }
  const timer = setInterval(() => {
    if (waiting.size === 0) return
    look().catch((problem: unknown) => log.warn({ err: problem }, 'events could not be looked for'))
  }, lookEveryMs)
  timer.unref()

  return {
    join: (clientId) => {
      const others = waiting.get(clientId) ?? new Set()
      if (open >= streamsMax || others.size >= clientStreamsMax)
        throw new Refusal('rate_limited', 'Too many streams are open')
      const own = { go: () => {} }
      waiting.set(clientId, others.add(own))
      open += 1
      return {
        changed: () =>
          new Promise((resolve) => {
            own.go = resolve
            if (isClosed) resolve()
          }),
        leave: () => {
          own.go()
          if (!others.delete(own)) return
          open -= 1
          if (others.size === 0) waiting.delete(clientId)
        },
      }
    },
    wake,
    isClosed: () => isClosed,
    close: () => {
      isClosed = true
      clearInterval(timer)
      wake([...waiting.keys()])
    },
  }
}
