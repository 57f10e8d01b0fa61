import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../db/db.ts'
import type { Log } from '../kit/log.ts'
import { readVersions } from './store.ts'

// Quick enough to feel at once; one statement however many payers wait.
const lookEveryMs = 700

interface Watched {
  version: string | undefined
  waiting: Set<() => void>
}

/** Tells payers' pages when something changed, whichever process changed it. */
export interface LinkWatch {
  /** Yields each time a link has changed, until the signal. */
  follow(linkId: string, signal: AbortSignal): AsyncGenerator<void>
}

/** Watches links that somebody follows; rests while nobody does. */
export function openLinkWatch(db: Db, log: Log): LinkWatch {
  const watched = new Map<string, Watched>()
  let isLooking = false

  async function look(): Promise<void> {
    isLooking = true
    try {
      while (watched.size > 0) {
        const versions = await readVersions(db, [...watched.keys()])
        for (const [id, one] of watched) {
          const version = versions.get(id)
          // The first time too: whoever follows may have looked before it changed.
          if (one.version !== version) for (const wake of one.waiting) wake()
          one.version = version
        }
        await sleep(lookEveryMs, undefined, { ref: false })
      }
    } catch (problem) {
      log.warn({ err: problem }, 'links could not be watched for a moment')
      await sleep(lookEveryMs, undefined, { ref: false })
    } finally {
      isLooking = false
      if (watched.size > 0) void look()
    }
  }

  async function* follow(linkId: string, signal: AbortSignal): AsyncGenerator<void> {
    const one = watched.get(linkId) ?? { version: undefined, waiting: new Set() }
    watched.set(linkId, one)
    let changed = Promise.withResolvers<void>()
    const wake = () => changed.resolve()
    one.waiting.add(wake)
    signal.addEventListener('abort', wake)
    if (!isLooking) void look()
    try {
      while (!signal.aborted) {
        await changed.promise
        changed = Promise.withResolvers<void>()
        if (!signal.aborted) yield
      }
    } finally {
      signal.removeEventListener('abort', wake)
      one.waiting.delete(wake)
      if (one.waiting.size === 0) watched.delete(linkId)
    }
  }

  return { follow }
}
