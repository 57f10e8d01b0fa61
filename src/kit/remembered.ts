import { monotonicMs } from './clock.ts'

/**
 * Remembers answers for a short while, so that hot paths read rarely changed rows without asking
 * the database each time. Callers that come together share one question; a failure is not
 * remembered. The number of remembered answers is bounded: the oldest goes first.
 */
export function remembered<Key, Value>(
  forMs: number,
  ask: (key: Key) => Promise<Value>,
  answersMax = 10_000,
): (key: Key) => Promise<Value> {
  const answers = new Map<Key, { value: Promise<Value>; untilMs: number }>()
  return (key) => {
    const nowMs = monotonicMs()
    const known = answers.get(key)
    if (known !== undefined && nowMs < known.untilMs) return known.value
    const value = ask(key)
    answers.delete(key)
    if (answers.size >= answersMax) answers.delete(answers.keys().next().value as Key)
    // Counted from the question, not the answer: what is told is never older than `forMs`.
    answers.set(key, { value, untilMs: nowMs + forMs })
    value.catch(() => {
      if (answers.get(key)?.value === value) answers.delete(key)
    })
    return value
  }
}
