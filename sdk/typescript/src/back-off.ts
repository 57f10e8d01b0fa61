import { ApiError, type PasserelleError } from './errors.ts'

const firstDelayMs = 250
const longestDelayMs = 8000
const longestRetryAfterS = 60

/** How long to wait after a try (0 is the first); undefined: longer than it is worth waiting. */
export function delayAfter(tries: number, error: PasserelleError): number | undefined {
  const askedS = error instanceof ApiError ? (error.retryAfterS ?? 0) : 0
  if (askedS > longestRetryAfterS) return undefined
  const delayMs = Math.min(longestDelayMs, firstDelayMs * 2 ** tries)
  // Random, so that many clients do not come back at the same moment.
  return Math.max(askedS * 1000, delayMs * (0.5 + Math.random() / 2))
}

/** Waits; rejects with the signal's reason when it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
