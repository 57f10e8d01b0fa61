/** A range of the time that ids begin with, in milliseconds; `below` is not part of it. */
export interface Window {
  from: number
  below: number
}

export interface Windows {
  /** The next window, given how many ids the last one had; undefined after the last window. */
  next(idsInLast: number): Window | undefined
  /** A shorter window from the same start; undefined when it cannot be shorter. */
  shorter(): Window | undefined
}

// Ids begin with 48 bits of milliseconds.
const endOfTime = 2 ** 48

// The length changes by these factors at most from one window to the next, so that the windows
// after one very full or empty window are not far off.
const [shrinkMost, growMost] = [1 / 8, 4]

/**
 * Divides all of time into windows with about `target` ids each: short ones where ids are dense,
 * long ones where they are sparse. `first` and `last` are the times of the first and the last id,
 * `expected` is roughly the number of ids.
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
    next: (idsInLast) => {
      const { below } = window
      if (below === endOfTime) return undefined
      if (below > 0) {
        const change = Math.min(growMost, Math.max(shrinkMost, target / Math.max(idsInLast, 1)))
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
