import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

// It doubles, so this is where it stops between 40 and 80 MB: at 64 the first time.
const youngBytesEnough = 40 * 2 ** 20

/**
 * Keeps the heap of this process small. Left to itself it may grow to four times what is alive
 * before it is looked through, and the part of it where objects begin takes 128 MB under load. Half
 * as much again and 64 MB are enough. To be called before much is loaded: what has grown stays so.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=50')
  // Young objects are looked through when their room is full, not when four fifths of it are: less
  // often, and fewer of them are kept because they were still in use.
  setFlagsFromString('--minor-gc-task-trigger=98')
  // Where objects begin can only be given a size before the program starts, but grows in steps.
  // In quiet hours V8 gives it back, and it has to grow again: so this is watched for ever.
  let isGrown = false
  new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
    const isNowGrown = (young?.space_size ?? 0) >= youngBytesEnough
    if (isNowGrown === isGrown) return
    isGrown = isNowGrown
    setFlagsFromString(`--semi-space-growth-factor=${isGrown ? 1 : 2}`)
  }).observe({ entryTypes: ['gc'] })
}
