/*
 * Turns concurrent single calls into groups that share one database transaction.
 *
 * - Gains: a commit costs the same for one item as for a hundred; under load a whole payment takes
 *   0.07 commits (docs/performance.md). The pauses below were chosen by whole payments of two
 *   gateways under load in turn (docs/notebook).
 * - Must never: run two groups of one partition at a time; fail an item because of another one; or
 *   let a lone item of an idle system wait, unless `lingerMs` says so.
 * - Tested against: the result of each item by itself, for random bursts of calls (batch.test.ts).
 * - Decisions: docs/decisions/0005, docs/decisions/0022
 */
import { Histogram } from '@prometheus-io/client'
import { CommitUnknown, DatabaseSilent, isLockTimeout } from './errors.ts'
import { type Locked, openSetAside, type QueuedItem } from './set-aside.ts'
import { isDatabaseUnreachable } from './unreachable.ts'

interface BatchOptions<Item> {
  /** What is written; the sizes of its groups are counted under this name in `groupSizes`. */
  name?: string
  /** Most items in one group: bounds the size of a statement. */
  groupSizeMax: number
  /** Most groups that run at a time: two keep the database busy while the next one gathers. */
  concurrentGroupsMax: number
  /** While a group runs, a further one begins only with this many items: small groups cost most. */
  extraGroupSizeMin?: number
  /**
   * The longest pause after a group, in which the next one gathers. After a group of 50 and more it
   * is as long as that, after a smaller one shorter in proportion, and after a single item none.
   */
  pauseMs?: number
  /** How long the first item of a group waits for others, even when the system is idle. */
  lingerMs?: number
  /** Most items in the queue (of one partition): beyond it calls fail with `QueueFull`. */
  queueSizeMax: number
  /**
   * The partition of an item, from 0 to `concurrentGroupsMax` - 1. Groups of one partition run one
   * after the other: items that would wait for each other's locks gather into a larger group.
   */
  partitionOf?(item: Item): number
  /**
   * Whose rows an item locks. Items of owners whose rows somebody else keeps locked are set aside,
   * and the others of their group are done at once.
   */
  ownerOf?(item: Item): unknown
}

interface Queue<Item, Result> {
  items: QueuedItem<Item, Result>[]
  runningGroups: number
  isPaused: boolean
}

/** Thrown when too many items wait already; the work on the item was not begun. */
export class QueueFull extends Error {
  override name = 'QueueFull'
}

/** How many items the groups of this process had, by their names; for metrics. */
export const groupSizes = new Histogram({
  name: 'passerelle_write_batch_size',
  help: 'Items that were written in one database transaction, by what they are',
  labelNames: ['batch'],
  buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
  registers: [],
})

/** The pause while callers wait for the result. */
const shortPauseMs = 12
/** The pause when most callers have their answer already, as after a provider's callback. */
const longPauseMs = 40
const fullPauseGroupSize = 50
const clientPartitions = 2

const defaults = { groupSizeMax: 500, concurrentGroupsMax: 2, queueSizeMax: 10_000 }
/** Whose item it is. */
export const clientOf = ({ clientId }: { clientId: number }) => clientId

/** For work that locks a client's rows: groups of the same client run one after the other. */
export const partitionedByClient = {
  ...defaults,
  concurrentGroupsMax: clientPartitions,
  pauseMs: shortPauseMs,
  partitionOf: ({ clientId }: { clientId: number }) => clientId % clientPartitions,
  ownerOf: clientOf,
}

/** The same for work that no caller waits for: the longer pause makes larger groups. */
export const partitionedByClientLongPause = { ...partitionedByClient, pauseMs: longPauseMs }

/** For work without locks that others wait for: two groups may run at a time. */
export const unpartitioned = {
  ...defaults,
  extraGroupSizeMin: 32,
  pauseMs: shortPauseMs,
  ownerOf: clientOf,
}

/**
 * Turns a function over arrays into one over single items. Calls made while a group runs share the
 * next group; an idle system runs a single item at once. When a group of several fails, its items
 * run again one by one, so that only the faulty one fails; when it met a lock, they run again by
 * owner; when the database was unreachable, the group runs once more. `runAll` must therefore be
 * all-or-nothing, and safe to repeat.
 */
export function batched<Item, Result>(
  runAll: (items: Item[]) => Promise<Result[]>,
  given: Partial<BatchOptions<Item>> = {},
): (item: Item) => Promise<Result> {
  const options: BatchOptions<Item> = { ...defaults, ...given }
  const { partitionOf, ownerOf, lingerMs, pauseMs, extraGroupSizeMin = 1 } = options
  // Without partitions all items share one queue, from which several groups may run.
  const queues = Array.from(
    { length: partitionOf === undefined ? 1 : options.concurrentGroupsMax },
    (): Queue<Item, Result> => ({ items: [], runningGroups: 0, isPaused: false }),
  )
  const sizes = options.name === undefined ? undefined : groupSizes.labels({ batch: options.name })
  const setAside = openSetAside((items: QueuedItem<Item, Result>[]) => runGroup(runAll, items))
  const runningGroupsMax = partitionOf === undefined ? options.concurrentGroupsMax : 1

  function startGroups(queue: Queue<Item, Result>): void {
    const isEnough = () => queue.items.length >= (queue.runningGroups === 0 ? 1 : extraGroupSizeMin)
    while (!queue.isPaused && queue.runningGroups < runningGroupsMax && isEnough()) {
      queue.runningGroups += 1
      const group = queue.items.splice(0, options.groupSizeMax)
      sizes?.observe(group.length)
      void runNow(queue, group)
    }
  }

  async function runNow(queue: Queue<Item, Result>, group: QueuedItem<Item, Result>[]) {
    const locked = await runGroup(runAll, group)
    const ofOwners = Map.groupBy(locked?.items ?? [], ({ item }) => ownerOf?.(item))
    for (const [owner, items] of ofOwners) setAside.add(owner, items)
    queue.runningGroups -= 1
    if (pauseMs === undefined || group.length === 1) startGroups(queue)
    else pause(queue, pauseMs * Math.min(1, group.length / fullPauseGroupSize))
  }

  function pause(queue: Queue<Item, Result>, forMs: number): void {
    queue.isPaused = true
    setTimeout(() => {
      queue.isPaused = false
      startGroups(queue)
    }, forMs)
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const queue = queues[partitionOf?.(item) ?? 0]
      if (queue === undefined) throw new Error('an item without a lane')
      if (queue.items.length + setAside.size() >= options.queueSizeMax) {
        reject(new QueueFull('too many callers wait for a group of this kind'))
        return
      }
      const owner = ownerOf?.(item)
      if (setAside.has(owner)) {
        setAside.add(owner, [{ item, resolve, reject }])
        return
      }
      queue.items.push({ item, resolve, reject })
      if (lingerMs !== undefined && queue.items.length === 1) pause(queue, lingerMs)
      else startGroups(queue)
    })
}

/** Settles every item of the group but those that met a lock; never rejects. */
async function runGroup<Item, Result>(
  runAll: (items: Item[]) => Promise<Result[]>,
  group: QueuedItem<Item, Result>[],
  firstProblem?: unknown,
): Promise<Locked<Item, Result> | undefined> {
  try {
    const results = await runAll(group.map((one) => one.item))
    if (results.length !== group.length) throw new Error('a batch must answer every item')
    group.forEach((one, index) => one.resolve(results[index] as Result))
    return undefined
  } catch (problem) {
    if (isLockTimeout(problem)) return { items: group, problem }
    if (isDatabaseUnreachable(problem)) {
      // A server that does not answer is not asked twice. What the first try may have committed
      // stays unknown when the second one fails.
      const isOver = firstProblem !== undefined || problem instanceof DatabaseSilent
      if (!isOver) return runGroup(runAll, group, problem)
      const reported = firstProblem instanceof CommitUnknown ? firstProblem : problem
      for (const one of group) one.reject(reported)
      return undefined
    }
    if (group.length > 1) return runOneByOne(runAll, group)
    group[0]?.reject(problem)
    return undefined
  }
}

async function runOneByOne<Item, Result>(
  runAll: (items: Item[]) => Promise<Result[]>,
  group: QueuedItem<Item, Result>[],
): Promise<Locked<Item, Result> | undefined> {
  const locked: Locked<Item, Result> = { items: [], problem: undefined }
  for (const one of group) {
    const found = await runGroup(runAll, [one])
    locked.items.push(...(found?.items ?? []))
    locked.problem ??= found?.problem
  }
  return locked.items.length === 0 ? undefined : locked
}
