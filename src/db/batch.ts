import { isDatabaseUnreachable } from './unreachable.ts'

interface BatchLimits<In> {
  /** Most items in one run: bounds the size of a database statement. */
  itemsMax: number
  /** Most runs at the same time: two keep the database busy while the next group gathers. */
  runningMax: number
  /** A further run begins only with as many items: small groups are dear, and soon merge. */
  crowd?: number
  /**
   * How long others may join after a run that was not alone, at most: large groups are cheap. As
   * long as that after fifty, and less after fewer, so that a rest grows with the crowd.
   */
  restMs?: number
  /** How long the first of a group waits for others; none unless said. */
  gatherMs?: number
  /** Most callers waiting: beyond it new ones are refused rather than kept waiting for ever. */
  waitingMax: number
  /**
   * Items of one lane never run at the same time: what would only wait for the other's locks
   * gathers into a larger group instead.
   */
  laneOf?(item: In): number
}

interface Waiting<In, Out> {
  item: In
  resolve(answer: Out): void
  reject(problem: unknown): void
}

/** Thrown at once when too many callers wait already: nothing of the item was begun. */
export class QueueFull extends Error {
  override name = 'QueueFull'
}

/** A rest while somebody waits for the answer. */
const restMs = 12
/** How many make the whole rest. */
const crowdOfRest = 50

/** How many groups of the hot path run at once, each for its own share of the clients. */
const lanes = 2

/** Limits for what locks a client's rows: groups of the same client follow each other. */
export const clientLanes = {
  itemsMax: 500,
  restMs,
  runningMax: lanes,
  waitingMax: 10_000,
  laneOf: ({ clientId }: { clientId: number }) => clientId % lanes,
}

/** The same for what is heard of payments: most of their merchants have been answered already. */
export const patientLanes = { ...clientLanes, restMs: 40 }

/** Limits for what locks nothing that others wait for. */
export const freely = { itemsMax: 500, runningMax: 2, waitingMax: 10_000, crowd: 32, restMs }

/**
 * Turns a function over arrays into one over single items: calls made while a run is under way are
 * gathered and share the next run. An idle system runs a single item at once, so nothing waits for
 * company unless told to. When a run of several fails by one of its items, they are run again one
 * by one, so that a poisoned item hurts only itself; when the database was away, once more
 * together. `runAll` must therefore be all-or-nothing, and safe to repeat.
 */
export function batched<In, Out>(
  runAll: (items: In[]) => Promise<Out[]>,
  limits: BatchLimits<In> = { itemsMax: 500, runningMax: 2, waitingMax: 10_000 },
): (item: In) => Promise<Out> {
  const { laneOf, gatherMs, restMs, crowd = 1 } = limits
  // Without lanes of their own all items share one, in which several groups may run.
  const queues = Array.from({ length: laneOf === undefined ? 1 : limits.runningMax }, () => ({
    waiting: [] as Waiting<In, Out>[],
    running: 0,
    isGathering: false,
  }))
  const runningMax = laneOf === undefined ? limits.runningMax : 1

  async function runGroup(group: Waiting<In, Out>[], isSecondTry = false): Promise<void> {
    try {
      const answers = await runAll(group.map((one) => one.item))
      if (answers.length !== group.length) throw new Error('a batch must answer every item')
      group.forEach((one, index) => one.resolve(answers[index] as Out))
    } catch (problem) {
      if (isDatabaseUnreachable(problem)) {
        if (!isSecondTry) await runGroup(group, true)
        else for (const one of group) one.reject(problem)
      } else if (group.length === 1) group[0]?.reject(problem)
      else for (const one of group) await runGroup([one])
    }
  }

  function startRuns(queue: (typeof queues)[number]): void {
    const isEnough = () => queue.waiting.length >= (queue.running === 0 ? 1 : crowd)
    while (!queue.isGathering && queue.running < runningMax && isEnough()) {
      queue.running += 1
      const group = queue.waiting.splice(0, limits.itemsMax)
      void runGroup(group).finally(() => {
        queue.running -= 1
        if (restMs === undefined || group.length === 1) startRuns(queue)
        else gather(queue, restMs * Math.min(1, group.length / crowdOfRest))
      })
    }
  }

  function gather(queue: (typeof queues)[number], forMs: number): void {
    queue.isGathering = true
    setTimeout(() => {
      queue.isGathering = false
      startRuns(queue)
    }, forMs)
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const queue = queues[laneOf?.(item) ?? 0]
      if (queue === undefined) throw new Error('an item without a lane')
      if (queue.waiting.length >= limits.waitingMax) {
        reject(new QueueFull('too many callers wait for a group of this kind'))
        return
      }
      queue.waiting.push({ item, resolve, reject })
      if (gatherMs !== undefined && queue.waiting.length === 1) gather(queue, gatherMs)
      else startRuns(queue)
    })
}
