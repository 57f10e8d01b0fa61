const TERMINAL_MS = 200
const PLAIN_MS = 5000

/**
 * Shows how far a run is: files done of all, elapsed time and failures so far. On a terminal it is
 * one line that is rewritten, elsewhere a line every few seconds.
 */
export function showProgress(total: number) {
  const { stdout } = process
  const startedMs = performance.now()
  const running = new Set<string>()
  const finished = new Set<string>()
  let failures = 0

  const elapsed = () => {
    const seconds = Math.floor((performance.now() - startedMs) / 1000)
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  }
  const line = () => {
    const failed = `${failures} ${failures === 1 ? 'failure' : 'failures'}`
    return `${finished.size} of ${total} files, ${elapsed()}, ${failed}  ${[...running].join(' ')}`
  }
  const draw = () => {
    if (stdout.isTTY) stdout.write(`\r\u001B[2K${line().slice(0, stdout.columns - 1)}`)
    else stdout.write(`${line()}\n`)
  }
  const timer = setInterval(draw, stdout.isTTY ? TERMINAL_MS : PLAIN_MS)

  return {
    begin: (file: string) => void running.add(file),
    finish: (file: string) => {
      running.delete(file)
      finished.add(file)
    },
    fail: () => {
      failures += 1
    },
    failures: () => failures,
    finished: () => finished.size,
    elapsed,
    /** Prints something that stays, above the line. */
    say: (text: string) => {
      stdout.write(stdout.isTTY ? `\r\u001B[2K${text}\n` : `${text}\n`)
    },
    end: () => {
      clearInterval(timer)
      draw()
      stdout.write('\n')
    },
  }
}
