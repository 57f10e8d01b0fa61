import { monotonicMs } from '#base/kit/clock.ts'

// One Ctrl-C may arrive twice: from the terminal, and again through npm or our own launcher.
const sameRequestMs = 500

/**
 * Catches SIGINT, SIGTERM and SIGHUP, so that a command can close what it opened, such as the
 * embedded PostgreSQL. The first one aborts the returned signal, with its name as the reason; a
 * later one exits at once.
 */
export function catchStopSignals(): AbortSignal {
  const stopping = new AbortController()
  let firstMs: number | undefined
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(name, () => {
      firstMs ??= monotonicMs()
      if (monotonicMs() - firstMs > sameRequestMs) process.exit(1)
      stopping.abort(name)
    })
  return stopping.signal
}
