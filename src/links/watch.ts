import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../db/db.ts'
import type { Log } from '../kit/log.ts'
import { readVersions } from './store.ts'

// Short enough to feel immediate. Each round is one statement, however many payers wait.
const pollMs = 700

interface Watched {
  version: string | undefined
  followers: Set<() => void>
}

/** Notifies payers' pages of changes, whichever process made them. */
export interface LinkWatch {
  /** Yields each time a link has changed, until the signal. */
  follow(linkId: string, signal: AbortSignal): AsyncGenerator<void>
}

/** Polls the versions of links while they are followed. */
export function openLinkWatch(db: Db, log: Log): LinkWatch {
  const watched = new Map<string, Watched>()
  let isPolling = false

  async function poll(): Promise<void> {
    isPolling = true
    try {
      while (watched.size > 0) {
        const versions = await readVersions(db, [...watched.keys()])
        for (const [id, one] of watched) {
          const version = versions.get(id)
          // In the first round too: the link may have changed after the page was rendered.
          if (one.version !== version) for (const wake of one.followers) wake()
          one.version = version
        }
        await sleep(pollMs, undefined, { ref: false })
      }
    } catch (problem) {
      log.warn({ err: problem }, 'links could not be watched for a moment')
      await sleep(pollMs, undefined, { ref: false })
    } finally {
      isPolling = false
      if (watched.size > 0) void poll()
    }
  }

  async function* follow(linkId: string, signal: AbortSignal): AsyncGenerator<void> {
    const one = watched.get(linkId) ?? { version: undefined, followers: new Set() }
    watched.set(linkId, one)
    let changed = Promise.withResolvers<void>()
    const wake = () => changed.resolve()
    one.followers.add(wake)
    signal.addEventListener('abort', wake)
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
      if (one.followers.size === 0) watched.delete(linkId)
    }
  }

  return { follow }
}
