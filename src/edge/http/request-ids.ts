import type { Clock } from '#base/kit/clock.ts'
import { randomText } from '#base/kit/ids.ts'

const prefix = 'req_'
// Enough for the next 33 years; the texts of later times are longer, and sort before.
const timeDigits = 8

/**
 * Request ids: the time, a random text of the process, and a count. They are cheap, unique over
 * processes, and sort by time, so that one index finds a request and lists them in order.
 */
export function requestIds(clock: Clock): () => string {
  const processId = randomText(6)
  let count = 0
  return () => {
    count += 1
    return firstRequestIdAt(clock.now()) + processId + count.toString(36)
  }
}

/** When a request came, which its id tells. */
export function timeOfRequest({ id }: { id: string }): Date {
  return new Date(Number.parseInt(id.slice(prefix.length, prefix.length + timeDigits), 36))
}

/** Sorts before the id of every request from this time on, and after those of earlier ones. */
export function firstRequestIdAt(time: Date): string {
  return prefix + Math.max(0, time.getTime()).toString(36).padStart(timeDigits, '0')
}

/** Sorts after every request id. */
export const lastRequestId = `${prefix}~`

/** Whether a text can be a request id. */
export function isRequestId(text: string): boolean {
  return /^req_[\w-]{10,40}$/.test(text)
}
