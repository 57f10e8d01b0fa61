import { monotonicMs } from '#base/kit/clock.ts'

/** What was counted in the current window of a key. */
export interface RateCount {
  current: number
  /** Until the window ends. */
  leftMs: number
}

const keysMax = 100_000

/** Counts in memory; the window of a key begins with what is counted first. */
export class RateWindows {
  readonly #windows = new Map<string, { count: number; endsMs: number }>()
  readonly #windowMs: number
  readonly #nowMs: () => number

  constructor(windowMs: number, nowMs = monotonicMs) {
    this.#windowMs = windowMs
    this.#nowMs = nowMs
  }

  /** Counts one more for a key. */
  count(key: string): RateCount {
    const nowMs = this.#nowMs()
    this.#deleteEnded(nowMs)
    const window = this.#windows.get(key) ?? { count: 0, endsMs: nowMs + this.#windowMs }
    window.count += 1
    this.#windows.set(key, window)
    return { current: window.count, leftMs: window.endsMs - nowMs }
  }

  /** All windows are equally long, so they end in the order in which they were added. */
  #deleteEnded(nowMs: number): void {
    for (const [key, { endsMs }] of this.#windows)
      if (endsMs <= nowMs || this.#windows.size > keysMax) this.#windows.delete(key)
      else break
  }
}
