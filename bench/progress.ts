/** Tells whoever watches how far a run is, on standard error. */
export interface Progress {
  /** What is going on now: on a terminal in place of what was said before, elsewhere at times. */
  now(text: string): void
  /** What stays to be read. */
  line(text: string): void
}

const eraseLine = '\r\u001b[K'
const lineEveryMs = 5000

export function openProgress(): Progress {
  const { stderr } = process
  let hasDraft = false
  let saidMs = performance.now()
  const erase = () => (hasDraft ? eraseLine : '')
  return {
    now: (text) => {
      if (!stderr.isTTY) {
        if (performance.now() - saidMs < lineEveryMs) return
        saidMs = performance.now()
        stderr.write(`${text}\n`)
        return
      }
      stderr.write(`${erase()}${text.slice(0, (stderr.columns ?? 80) - 1)}`)
      hasDraft = true
    },
    line: (text) => {
      stderr.write(`${erase()}${text}\n`)
      hasDraft = false
    },
  }
}
