import { setTimeout as sleep } from 'node:timers/promises'

// Only ends a wait that would never end: far beyond what anything takes on a busy machine.
const LIMIT_MS = 120_000
const POLL_MS = 10

/** Asks until the answer is true, or anything else that is not empty, and gives that answer. */
export async function eventually<T>(
  what: string | (() => string),
  ask: () => T | Promise<T>,
): Promise<Exclude<T, false | '' | 0 | null | undefined>> {
  const giveUpMs = performance.now() + LIMIT_MS
  for (;;) {
    const answer = await ask()
    if (answer) return answer as Exclude<T, false | '' | 0 | null | undefined>
    if (performance.now() > giveUpMs)
      throw new Error(`${typeof what === 'string' ? what : what()}: not within ${LIMIT_MS} ms`)
    await sleep(POLL_MS)
  }
}
