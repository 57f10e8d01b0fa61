import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '#base/log/log.ts'

// Short enough to feel immediate. Each round is one statement, however many pages follow.
const pollMs = 700

interface Watched {
  version: string | undefined
  followers: Set<() => void>
}

/** Notifies pages of changes of records, whichever process made them. */
export interface VersionWatch {
  /** Yields each time a record has changed, until the signal. */
  follow(key: string, signal: AbortSignal): AsyncGenerator<void>
}

/** Polls the versions of records while they are followed, and costs nothing otherwise. */
export function openVersionWatch(
  name: string,
  log: Log,
  readVersions: (keys: string[]) => Promise<Map<string, string>>,
): VersionWatch {
  const watched = new Map<string, Watched>()
  let isPolling = false

  async function poll(): Promise<void> {
    isPolling = true
    try {
      while (watched.size > 0) {
        const versions = await readVersions([...watched.keys()])
        for (const [key, one] of watched) {
          const version = versions.get(key)
          // In the first round too: it may have changed after the page was rendered.
          if (one.version !== version) for (const wake of one.followers) wake()
          one.version = version
        }
        await sleep(pollMs, undefined, { ref: false })
      }
    } catch (problem) {
      log.warn({ err: problem, name }, 'changes could not be watched for a moment')
      await sleep(pollMs, undefined, { ref: false })
    } finally {
      isPolling = false
      if (watched.size > 0) void poll()
    }
  }

  async function* follow(key: string, signal: AbortSignal): AsyncGenerator<void> {
    const one = watched.get(key) ?? { version: undefined, followers: new Set() }
    watched.set(key, one)
    let changed = Promise.withResolvers<void>()
    const wake = () => changed.resolve()
    one.followers.add(wake)
    signal.addEventListener('abort', wake)
    // A change since its page was rendered may already be noted for the others: it looks itself.
    if (one.version !== undefined) wake()
    if (!isPolling) void poll()
    try {
      while (!signal.aborted) {
        await changed.promise
        changed = Promise.withResolvers<void>()
        if (!signal.aborted) yield
      }
    } finally {
      signal.removeEventListener('abort', wake)
      one.followers.delete(wake)
      if (one.followers.size === 0) watched.delete(key)
    }
  }

  return { follow }
}
