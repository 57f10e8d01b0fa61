import { monotonicMs } from '#base/kit/clock.ts'

/** The results and durations of the calls of a time window. */
export interface CallFigures {
  good: number
  bad: number
  /** The number of calls in each bucket of durations. */
  durations: number[]
}

/** The calls of one second. */
interface Slot {
  second: number
  good: number
  bad: number
  /** A histogram: the number of calls in each bucket of `bucketsMs`. */
  durations: number[]
}

// Five minutes, one slot a second.
const slotsMax = 300
// Upper bounds; the last bucket also holds what is longer.
const bucketsMs = [2, 5, 10, 20, 50, 100, 200, 350, 500, 750, 1000, 1500, 2000, 3000, 5000, 8000]

/** Counts calls second by second over the last five minutes, in a fixed amount of memory. */
export class RecentCalls {
  readonly #slots: Slot[] = []

  /** Counts the result of a call, which for a slow call is known before the call ends. */
  countResult(isGood: boolean): void {
    const slot = this.#current()
    if (isGood) slot.good += 1
    else slot.bad += 1
  }

  /** Counts the duration of a call that ended. */
  countDuration(tookMs: number): void {
    const found = bucketsMs.findIndex((boundMs) => tookMs <= boundMs)
    const bucket = found === -1 ? bucketsMs.length - 1 : found
    const { durations } = this.#current()
    durations[bucket] = (durations[bucket] ?? 0) + 1
  }

  /** The figures of the last `ms` milliseconds, to the second. */
  over(ms: number): CallFigures {
    const oldest = (monotonicMs() - ms) / 1000
    const slots = this.#slots.filter((slot) => slot.second + 1 > oldest)
    return {
      good: slots.reduce((sum, slot) => sum + slot.good, 0),
      bad: slots.reduce((sum, slot) => sum + slot.bad, 0),
      durations: sumOfDurations(slots),
    }
  }

  #current(): Slot {
    const second = Math.floor(monotonicMs() / 1000)
    const last = this.#slots.at(-1)
    if (last?.second === second) return last
    const slot: Slot = { second, good: 0, bad: 0, durations: bucketsMs.map(() => 0) }
    this.#slots.push(slot)
    if (this.#slots.length > slotsMax) this.#slots.shift()
    return slot
  }
}

/** The sums of histograms over the same buckets. */
export function sumOfDurations(all: Pick<CallFigures, 'durations'>[]): number[] {
  return bucketsMs.map((_, bucket) =>
    all.reduce((sum, { durations }) => sum + (durations[bucket] ?? 0), 0),
  )
}

/** The 95th percentile of durations, rounded up to a bucket; null without calls. */
export function percentile95(counts: number[]): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  let seen = 0
  const bucket = counts.findIndex((count) => {
    seen += count
    return seen >= total * 0.95
  })
  return total === 0 ? null : (bucketsMs[bucket] ?? null)
}
