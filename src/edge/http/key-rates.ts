import type { DbParts } from '#data/db/db.ts'
import { addKeyCounts, type KeyCount } from './key-rates-store.ts'
import type { RateCount } from './rate-windows.ts'

interface Window extends KeyCount {
  /** Counted here since the counts were shared last. */
  unshared: number
}

const windowMs = 60_000
const shareEveryMs = 1000

/**
 * Counts the requests of each key over a minute that begins with the first one. It counts in
 * memory, so that no request waits, and adds what it has counted to the database each second, where
 * it learns what other processes have: together they may let a key exceed its limit by what it
 * sends in a second. While the database is away each process counts for itself.
 */
export function openKeyRates({ db, clock }: DbParts) {
  const windows = new Map<string, Window>()
  let isSharing = false

  function count(keyId: string): RateCount {
    const nowMs = clock.now().getTime()
    let window = windows.get(keyId)
    if (window === undefined || window.endsMs <= nowMs) {
      window = { keyId, requests: 0, unshared: 0, endsMs: nowMs + windowMs }
      windows.set(keyId, window)
    }
    window.requests += 1
    window.unshared += 1
    return { current: window.requests, leftMs: window.endsMs - nowMs }
  }

  /** Adds what was counted here to what all have counted. */
  async function share(): Promise<void> {
    const now = clock.now()
    for (const [keyId, { endsMs }] of windows) if (endsMs <= now.getTime()) windows.delete(keyId)
    const counted = [...windows.values()].filter(({ unshared }) => unshared > 0)
    if (counted.length === 0 || isSharing) return
    isSharing = true
    const added = counted.map(({ keyId, unshared, endsMs }) => ({
      keyId,
      endsMs,
      requests: unshared,
    }))
    for (const window of counted) window.unshared = 0
    try {
      const totals = new Map((await addKeyCounts(db, added, now)).map((one) => [one.keyId, one]))
      for (const window of counted) {
        const { requests = 0, endsMs = 0 } = totals.get(window.keyId) ?? {}
        Object.assign(window, { requests: requests + window.unshared, endsMs })
      }
    } catch {
      for (const [index, window] of counted.entries())
        window.unshared += added[index]?.requests ?? 0
    }
    isSharing = false
  }

  const sharing = setInterval(() => void share(), shareEveryMs).unref()
  return { count, share, close: () => clearInterval(sharing) }
}
