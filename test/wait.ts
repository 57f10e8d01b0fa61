import { setTimeout as sleep } from 'node:timers/promises'

// Only ends a wait that would never end: far beyond what anything takes on a busy machine.
const LIMIT_MS = 300_000
// Often at first, then seldom: a hundred that wait at once must not be what keeps the machine busy.
const POLLS_MS = [2, 5, 10, 20]
const LATER_POLL_MS = 50

/** Asks until the answer is true, or anything else that is not empty, and gives that answer. */
export async function eventually<T>(
  what: string | (() => string),
  ask: () => T | Promise<T>,
): Promise<Exclude<T, false | '' | 0 | null | undefined>> {
  const giveUpMs = performance.now() + LIMIT_MS
  for (let polls = 0; ; polls += 1) {
    const answer = await ask()
    if (answer) return answer as Exclude<T, false | '' | 0 | null | undefined>
    if (performance.now() > giveUpMs)
      throw new Error(`${typeof what === 'string' ? what : what()}: not within ${LIMIT_MS} ms`)
    await sleep(POLLS_MS[polls] ?? LATER_POLL_MS)
  }
}
