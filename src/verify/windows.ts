/** Part of the time that ids begin with: from one millisecond until before another. */
export interface Window {
  from: number
  below: number
}

export interface Windows {
  /** The next one, after one that `found` ids were found in; none after the end of time. */
  next(found: number): Window | undefined
  /** The same once more, but shorter; none when it cannot be. */
  shorter(): Window | undefined
}

// Ids begin with 48 bits of milliseconds.
const endOfTime = 2 ** 48

// So that one crowded or empty window does not mislead for long.
const [shrinkMost, growMost] = [1 / 8, 4]

/**
 * Divides all of time into windows with about `target` ids each: short where there are many, and
 * long where there are few. The first and the last of some `expected` ids begin with `first` and
 * `last`.
 */
export function openWindows(order: {
  first: number
  last: number
  expected: number
  target: number
}): Windows {
  const { first, last, expected, target } = order
  let length = Math.max(1, Math.ceil(((last - first) * target) / Math.max(expected, target)))
  let window: Window = { from: 0, below: 0 }

  function windowFrom(from: number): Window {
    const below = from > last ? endOfTime : Math.min(Math.max(from, first) + length, endOfTime)
    window = { from, below }
    return window
  }

  return {
    next: (found) => {
      const { below } = window
      if (below === endOfTime) return undefined
      if (below > 0) {
        const change = Math.min(growMost, Math.max(shrinkMost, target / Math.max(found, 1)))
        length = Math.ceil(length * change)
      }
      return windowFrom(below)
    },
    shorter: () => {
      if (length === 1 || window.from > last) return undefined
      length = Math.ceil(length * shrinkMost)
      return windowFrom(window.from)
    },
  }
}
