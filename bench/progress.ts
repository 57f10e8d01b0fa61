/** Progress messages on standard error. */
export interface Progress {
  /** The current step: replaces the last one on a terminal, else is printed every 5 s. */
  now(text: string): void
  /** A line that stays. */
  line(text: string): void
}

const eraseLine = '\r\u001b[K'
const lineEveryMs = 5000

export function openProgress(): Progress {
  const { stderr } = process
  let hasDraft = false
  let printedMs = performance.now()
  const erase = () => (hasDraft ? eraseLine : '')
  return {
    now: (text) => {
      if (!stderr.isTTY) {
        if (performance.now() - printedMs < lineEveryMs) return
        printedMs = performance.now()
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
