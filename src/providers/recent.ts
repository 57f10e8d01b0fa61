import { monotonicMs } from '../kit/clock.ts'

/** How calls went over a while. */
export interface Figures {
  good: number
  bad: number
  /** 95 of 100 calls took at most this; null without calls. */
  p95Ms: number | null
}

interface Slot {
  second: number
  good: number
  bad: number
  /** How many calls ended by each edge. */
  tookMs: number[]
}

// Five minutes, second by second.
const slotsMax = 300
const edgesMs = [2, 5, 10, 20, 50, 100, 200, 350, 500, 750, 1000, 1500, 2000, 3000, 5000, 8000]

/** Counts calls second by second over the last five minutes, in a fixed amount of memory. */
export class Recent {
  readonly #slots: Slot[] = []

  /** A call was judged; a slow one may be judged before it ends. */
  countVerdict(isGood: boolean): void {
    const slot = this.#current()
    if (isGood) slot.good += 1
    else slot.bad += 1
  }

  /** A call ended. */
  countDuration(tookMs: number): void {
    const edge = edgesMs.findIndex((edgeMs) => tookMs <= edgeMs)
    const index = edge === -1 ? edgesMs.length - 1 : edge
    const { tookMs: counts } = this.#current()
    counts[index] = (counts[index] ?? 0) + 1
  }

  /** The figures of the last `ms` milliseconds, to the second. */
  over(ms: number): Figures {
    const oldest = (monotonicMs() - ms) / 1000
    const slots = this.#slots.filter((slot) => slot.second + 1 > oldest)
    return {
      good: slots.reduce((sum, slot) => sum + slot.good, 0),
      bad: slots.reduce((sum, slot) => sum + slot.bad, 0),
      p95Ms: percentile95(edgesMs.map((_, edge) => sumAt(slots, edge))),
    }
  }

  #current(): Slot {
    const second = Math.floor(monotonicMs() / 1000)
    const last = this.#slots.at(-1)
    if (last?.second === second) return last
    const slot: Slot = { second, good: 0, bad: 0, tookMs: edgesMs.map(() => 0) }
    this.#slots.push(slot)
    if (this.#slots.length > slotsMax) this.#slots.shift()
    return slot
  }
}

function sumAt(slots: Slot[], edge: number): number {
  return slots.reduce((sum, slot) => sum + (slot.tookMs[edge] ?? 0), 0)
}

function percentile95(counts: number[]): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0)
  let seen = 0
  const edge = counts.findIndex((count) => {
    seen += count
    return seen >= total * 0.95
  })
  return total === 0 ? null : (edgesMs[edge] ?? null)
}
