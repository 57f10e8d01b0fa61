import { setImmediate, setTimeout as sleep } from 'node:timers/promises'

const sentAtOnce = 16

/**
 * Waits until it is time for the next request of a steady rate. Who is late does not wait, but lets
 * answers be read now and then: else a client that is too slow would read none until its end.
 */
export async function untilTurn(
  startedMs: number,
  index: number,
  rate: number,
  signal?: AbortSignal,
): Promise<void> {
  const waitMs = startedMs + (index * 1000) / rate - performance.now()
  if (waitMs > 1) await sleep(waitMs, undefined, { signal }).catch(() => {})
  else if (index % sentAtOnce === 0) await setImmediate()
}
