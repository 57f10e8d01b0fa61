import { performance } from 'node:perf_hooks'
import { monotonicMs } from '#base/kit/clock.ts'

// A page of one record changes a few times in its life, a list with each payment.
const recordsPerSecond = 20
const othersPerSecond = { atLeisure: 20, atWork: 3 }
// So many lists a second may ask again as soon as ever under load: they cost next to nothing.
const soonPerSecond = 40
const busy = 0.4
const measuredMs = 1000

/**
 * Says whether one more page may read itself again now, and ask again soon. There are so many a
 * second, and fewer while this process has much else to do: pages are late then, and not payments.
 */
export function openRefreshes(nowMs = monotonicMs, isBusy = measureWork(nowMs)) {
  const records = openBucket(nowMs)
  const others = openBucket(nowMs)
  const soon = openBucket(nowMs)
  return {
    mayAskSoon: (isRecord: boolean): boolean => isRecord || !isBusy() || soon(soonPerSecond),
    mayRefresh: (isRecord: boolean): boolean =>
      isRecord
        ? records(recordsPerSecond)
        : others(isBusy() ? othersPerSecond.atWork : othersPerSecond.atLeisure),
  }
}

/** Gives so many a second, and of those that nobody took as many as there are in one. */
function openBucket(nowMs: () => number): (perSecond: number) => boolean {
  let left = Number.POSITIVE_INFINITY
  let atMs = nowMs()
  return (perSecond) => {
    const now = nowMs()
    left = Math.min(perSecond, left + ((now - atMs) * perSecond) / 1000)
    atMs = now
    if (left < 1) return false
    left -= 1
    return true
  }
}

/** Whether the event loop had much to do in the last second or more. */
function measureWork(nowMs: () => number): () => boolean {
  let since = performance.eventLoopUtilization()
  let sinceMs = nowMs()
  let isBusy = false
  return () => {
    if (nowMs() - sinceMs > measuredMs) {
      isBusy = performance.eventLoopUtilization(since).utilization > busy
      since = performance.eventLoopUtilization()
      sinceMs = nowMs()
    }
    return isBusy
  }
}
