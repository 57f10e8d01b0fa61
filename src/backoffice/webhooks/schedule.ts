const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** The wait before each try, counted from the one before; after the last, delivery is given up. */
export const scheduleMs = [
  0,
  5000,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
]

const jitter = 0.2
const retryAfterMaxMs = 24 * hourMs

/**
 * How long to wait after a failed try; undefined after the last one. Jitter spreads the retries, so
 * that a receiver that recovers does not get all of them at once. A longer Retry-After is obeyed,
 * up to a day.
 */
export function waitAfter(
  tries: number,
  retryAfterMs: number | undefined,
  random: () => number = Math.random,
): number | undefined {
  const next = scheduleMs[tries]
  if (next === undefined) return undefined
  const jittered = next * (1 + jitter * (2 * random() - 1))
  return Math.round(Math.max(jittered, Math.min(retryAfterMs ?? 0, retryAfterMaxMs)))
}

/** Reads a Retry-After header, seconds or a date, in milliseconds from now. */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime())
}
