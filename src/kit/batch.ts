import { isDatabaseAway } from './database-away.ts'
import { Refusal } from './refusal.ts'

interface BatchLimits {
  /** Most items in one run: bounds the size of a database statement. */
  itemsMax: number
  /** Most runs at the same time: two keep the database busy while the next group gathers. */
  runningMax: number
  /** Most callers waiting: beyond it new ones are refused rather than kept waiting for ever. */
  waitingMax: number
}

interface Waiting<In, Out> {
  item: In
  resolve(answer: Out): void
  reject(problem: unknown): void
}

/**
 * Turns a function over arrays into one over single items: calls made while a run is under way are
 * gathered and share the next run. An idle system runs a single item at once, so nothing waits for
 * company. When a run of several fails by one of its items, they are run again one by one, so that
 * a poisoned item hurts only itself; when the database was away, once more together. `runAll` must
 * therefore be all-or-nothing, and safe to repeat.
 */
export function batched<In, Out>(
  runAll: (items: In[]) => Promise<Out[]>,
  limits: BatchLimits = { itemsMax: 500, runningMax: 2, waitingMax: 10_000 },
): (item: In) => Promise<Out> {
  const queue: Waiting<In, Out>[] = []
  let running = 0

  async function runGroup(group: Waiting<In, Out>[], isSecondTry = false): Promise<void> {
    try {
      const answers = await runAll(group.map((one) => one.item))
      if (answers.length !== group.length) throw new Error('a batch must answer every item')
      group.forEach((one, index) => one.resolve(answers[index] as Out))
    } catch (problem) {
      if (isDatabaseAway(problem)) {
        if (!isSecondTry) await runGroup(group, true)
        else for (const one of group) one.reject(problem)
      } else if (group.length === 1) group[0]?.reject(problem)
      else for (const one of group) await runGroup([one])
    }
  }

  function startRuns(): void {
    while (running < limits.runningMax && queue.length > 0) {
      running += 1
      void runGroup(queue.splice(0, limits.itemsMax)).finally(() => {
        running -= 1
        startRuns()
      })
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      if (queue.length >= limits.waitingMax) {
        reject(new Refusal('overloaded', 'The service is busy, please try again shortly'))
        return
      }
      queue.push({ item, resolve, reject })
      startRuns()
    })
}
