const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** When a delivery is tried, counted from the try before; after the last one it is exhausted. */
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
 * How long to wait after a failed try; undefined: that was the last. Jitter keeps receivers that
 * came back from being met by everybody at once. A receiver that names a time is given it, within a
 * day.
 */
export function waitAfter(
  tries: number,
  retryAfterMs: number | undefined,
  random: () => number = Math.random,
): number | undefined {
  const next = scheduleMs[tries]
  if (next === undefined) return undefined
  const spread = next * (1 + jitter * (2 * random() - 1))
  return Math.round(Math.max(spread, Math.min(retryAfterMs ?? 0, retryAfterMaxMs)))
}

/** The wait that a Retry-After header asks for: seconds, or a date. */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  if (/^\d+$/.test(header)) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime())
}
