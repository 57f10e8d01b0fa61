import { monotonicMs } from '../kit/clock.ts'

// One Ctrl-C comes from the terminal, and the same one again through npm or our own launcher.
const sameRequestMs = 500

/**
 * From now on a request to stop (SIGINT, SIGTERM, SIGHUP) ends nothing half-way, with a database
 * left running behind: it is told here, with its name as the reason. Asked again, we leave at once.
 */
export function hearSignals(): AbortSignal {
  const asking = new AbortController()
  let askedMs: number | undefined
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(name, () => {
      askedMs ??= monotonicMs()
      if (monotonicMs() - askedMs > sameRequestMs) process.exit(1)
      asking.abort(name)
    })
  return asking.signal
}
