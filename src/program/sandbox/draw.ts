/** Numbers that look random and are the same for the same seed. */
export interface Draw {
  /** A whole number from 0 on and below a limit. */
  below(limit: number): number
  one<T>(of: readonly T[]): T
  /** One of the values, each as often as its weight. */
  weighted<T>(of: readonly (readonly [T, number])[]): T
}

/** Draws numbers from a seed (mulberry32). */
export function drawing(seed: number): Draw {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (limit: number) => next() % limit
  return {
    below,
    one: (of) => pick(of, below(of.length)),
    weighted: (of) => {
      let left = below(of.reduce((sum, [, weight]) => sum + weight, 0))
      const index = of.findIndex(([, weight]) => {
        left -= weight
        return left < 0
      })
      return pick(of, index)[0]
    },
  }
}

function pick<T>(values: readonly T[], index: number): T {
  const value = values[index]
  if (value === undefined) throw new Error('nothing to draw from')
  return value
}
