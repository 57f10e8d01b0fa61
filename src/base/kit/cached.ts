import { monotonicMs } from './clock.ts'
import { RecentMap } from './recent-map.ts'

/** A function whose results are cached. */
export interface Cached<Key, Value> {
  (key: Key): Promise<Value>
  /** Calls for this key from now on load the value again. */
  forget(key: Key): void
}

/**
 * Caches results for a short time, so that hot paths read rows that rarely change without a query
 * each time. Concurrent calls for one key share one load; a failed load is not cached. The cache is
 * bounded: the oldest entries go first.
 */
export function cached<Key, Value>(
  ttlMs: number,
  load: (key: Key) => Promise<Value>,
  entriesMax = 10_000,
): Cached<Key, Value> {
  const entries = new RecentMap<Key, { value: Promise<Value>; untilMs: number }>(entriesMax)
  const get = (key: Key) => {
    const nowMs = monotonicMs()
    const known = entries.get(key)
    if (known !== undefined && nowMs < known.untilMs) return known.value
    const value = load(key)
    // Counted from the start of the load, not its end: a result is never older than `ttlMs`.
    entries.set(key, { value, untilMs: nowMs + ttlMs })
    value.catch(() => {
      if (entries.get(key)?.value === value) entries.delete(key)
    })
    return value
  }
  return Object.assign(get, { forget: (key: Key) => entries.delete(key) })
}
