/*
 * V8 flags that are set while the process runs, to keep its heap small under load.
 *
 * - Gains: with V8's defaults the heap grows to four times its live size, 430 to 600 MB resident
 *   under load; now at most 270 in ten minutes (`npm run bench soak -- --minutes 10`). The young
 *   generation takes 64 MB instead of 128. Collecting it when it is full, not at four fifths, takes
 *   0.75 s of the main thread in 18 instead of 0.92 to 1.0. Figures: docs/notebook/memory.md and
 *   docs/notebook/profile-findings.md.
 * - Must never: limit the young generation once and for all. V8 shrinks it in quiet times; a fixed
 *   limit then kept it at 1 to 3 MB, and a payment took 1.2 to 1.5 ms of processor time instead of
 *   0.7 until the next start.
 * - Tested by: heap.slow.test.ts, in a process of its own: 64 MB under load, at most 8 after V8 has
 *   shrunk it, 40 to 80 under load again. The plain version is V8 without these flags; results are
 *   the same, only memory and time differ.
 * - Decision: none; docs/performance.md has the goal of 300 MB.
 */
import { flushCompileCache } from 'node:module'
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

// The young generation doubles its size, so it stops between 40 and 80 MB: at 64 the first time.
const youngBytesEnough = 40 * 2 ** 20

/** The flags of a process from its start to its end. */
export const heapFlags = [
  '--heap-growing-percent=50',
  // Collects the young generation when it is full, not at 80 %: less often, and fewer objects
  // survive because they were still in use.
  '--minor-gc-task-trigger=98',
]

/**
 * Lets the heap grow by half of its live size between collections. Must be called before much is
 * loaded: a heap that has grown stays large. And before the cache of compiled code is opened: V8
 * takes such code only under the flags that it was compiled with.
 */
export function keepHeapSmall(): void {
  for (const flag of heapFlags) setFlagsFromString(flag)
}

/** Lets the young generation grow to about 64 MB. To be called when all modules are loaded. */
export function keepYoungGenerationSmall(): void {
  // Now, since code that is written under other flags is of no use to the next start.
  flushCompileCache()
  // The size of the young generation can only be set before the start, but the factor by which it
  // grows can be set at any time. V8 shrinks it in quiet times, and then it must be able to grow
  // again: so its size is checked after every collection.
  let isGrown = false
  new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
    const isNowGrown = (young?.space_size ?? 0) >= youngBytesEnough
    if (isNowGrown === isGrown) return
    isGrown = isNowGrown
    setFlagsFromString(`--semi-space-growth-factor=${isGrown ? 1 : 2}`)
  }).observe({ entryTypes: ['gc'] })
}
