import { monotonicMs } from './clock.ts'
import { RecentMap } from './recent-map.ts'

/** Answers that are remembered for a while. */
export interface Recall<Key, Value> {
  (key: Key): Promise<Value>
  /** Who asks for this key from now on gets a new answer. */
  forget(key: Key): void
}

/**
 * Remembers answers for a short while, so that hot paths read rarely changed rows without asking
 * the database each time. Callers that come together share one question; a failure is not
 * remembered. The number of remembered answers is bounded: the oldest go first.
 */
export function remembered<Key, Value>(
  forMs: number,
  ask: (key: Key) => Promise<Value>,
  answersMax = 10_000,
): Recall<Key, Value> {
  const answers = new RecentMap<Key, { value: Promise<Value>; untilMs: number }>(answersMax)
  const recall = (key: Key) => {
    const nowMs = monotonicMs()
    const known = answers.get(key)
    if (known !== undefined && nowMs < known.untilMs) return known.value
    const value = ask(key)
    // Counted from the question, not the answer: what is told is never older than `forMs`.
    answers.set(key, { value, untilMs: nowMs + forMs })
    value.catch(() => {
      if (answers.get(key)?.value === value) answers.delete(key)
    })
    return value
  }
  return Object.assign(recall, { forget: (key: Key) => answers.delete(key) })
}
