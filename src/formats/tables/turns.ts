import { TableProblem } from './table.ts'

interface Waiting {
  owner: string
  begin(): void
}

const busy = 'Other files are being read: try again in a minute'

/**
 * Turns for work on files: one at a time for an owner, a few in all, in the order in which they
 * came. Refuses whoever would wait behind too many of their own or in all.
 */
export function openTurns({ runningMax, waitingMax, ownMax }: Record<TurnLimit, number>) {
  const running = new Set<string>()
  const waiting: Waiting[] = []

  function startNext(): void {
    while (running.size < runningMax) {
      const next = waiting.findIndex(({ owner }) => !running.has(owner))
      const [one] = next === -1 ? [] : waiting.splice(next, 1)
      if (one === undefined) return
      running.add(one.owner)
      one.begin()
    }
  }

  /** Waits for a turn, and keeps it while the items of `work` are read. */
  return async function* inTurn<Item>(
    owner: string,
    work: () => AsyncIterable<Item>,
  ): AsyncGenerator<Item> {
    const own = waiting.filter((one) => one.owner === owner).length
    if (waiting.length >= waitingMax || own >= ownMax) throw new TableProblem(busy)
    const { promise, resolve: begin } = Promise.withResolvers<void>()
    waiting.push({ owner, begin })
    startNext()
    await promise
    try {
      yield* work()
    } finally {
      running.delete(owner)
      startNext()
    }
  }
}

type TurnLimit = 'runningMax' | 'waitingMax' | 'ownMax'
