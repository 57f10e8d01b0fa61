import { monotonicMs } from '#base/kit/clock.ts'

/** An item whose caller waits for its result. */
export interface QueuedItem<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(problem: unknown): void
}

interface Waiting<Item, Result> {
  items: QueuedItem<Item, Result>[]
  sinceMs: number
}

/** Items that another transaction's lock has kept from being done; nothing of them is done. */
export interface Locked<Item, Result> {
  items: QueuedItem<Item, Result>[]
  problem: unknown
}

const runningMax = 8
/** As long as a single statement waits for a lock. */
const waitMaxMs = 15_000

// Who was found locked, by any of the queues of this process, and until when that is believed.
const lockedUntilMs = new Map<unknown, number>()
const believedMs = 2000

/**
 * Items of owners whose rows another process has locked for longer than its group takes: each
 * owner's items are tried by themselves, owners in turn, until the lock is free or 15 s are over.
 * Other owners wait for none of them.
 */
export function openSetAside<Item, Result>(
  run: (items: QueuedItem<Item, Result>[]) => Promise<Locked<Item, Result> | undefined>,
) {
  const owners = new Map<unknown, Waiting<Item, Result>>()
  const turns: unknown[] = []
  let running = 0

  function startNext(): void {
    while (running < runningMax && turns.length > 0) {
      running += 1
      void tryOwner(turns.shift()).finally(() => {
        running -= 1
        startNext()
      })
    }
  }

  async function tryOwner(owner: unknown): Promise<void> {
    const waiting = owners.get(owner)
    if (waiting === undefined) return
    const locked = await run(waiting.items.splice(0))
    if (locked === undefined) {
      waiting.sinceMs = monotonicMs()
      lockedUntilMs.delete(owner)
    } else {
      if (owner !== undefined) lockedUntilMs.set(owner, monotonicMs() + believedMs)
      if (monotonicMs() - waiting.sinceMs < waitMaxMs) waiting.items.unshift(...locked.items)
      else for (const one of locked.items) one.reject(locked.problem)
    }
    if (waiting.items.length > 0) turns.push(owner)
    else owners.delete(owner)
  }

  return {
    /** How many items wait. */
    size: () => [...owners.values()].reduce((sum, { items }) => sum + items.length, 0),
    /** Whether items of this owner must not join the groups of others. */
    has: (owner: unknown) => owners.has(owner) || (lockedUntilMs.get(owner) ?? 0) > monotonicMs(),
    add(owner: unknown, items: QueuedItem<Item, Result>[]): void {
      const waiting = owners.get(owner)
      if (waiting !== undefined) {
        waiting.items.push(...items)
        return
      }
      owners.set(owner, { items: [...items], sinceMs: monotonicMs() })
      turns.push(owner)
      startNext()
    },
  }
}
