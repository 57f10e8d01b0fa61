/** Tells whoever watches how far a run is, on standard error. */
export interface Progress {
  /** What is going on now; on a terminal it takes the place of what was said before. */
  now(text: string): void
  /** What stays to be read. */
  line(text: string): void
}

const eraseLine = '\r\u001b[K'

export function openProgress(): Progress {
  const { stderr } = process
  let hasDraft = false
  const erase = () => (hasDraft ? eraseLine : '')
  return {
    now: (text) => {
      if (!stderr.isTTY) return
      stderr.write(`${erase()}${text.slice(0, (stderr.columns ?? 80) - 1)}`)
      hasDraft = true
    },
    line: (text) => {
      stderr.write(`${erase()}${text}\n`)
      hasDraft = false
    },
  }
}
