import { networkOf } from '#edge/http/address-limit.ts'
import { RateWindows } from '#edge/http/rate-windows.ts'

type RequestKind = 'page' | 'post' | 'state' | 'logo'

// Requests a minute for one link from one IP address. An IP address alone may make ten times as
// many: an operator's NAT can put a whole town behind one.
// A logo belongs to all links of a merchant.
const perLink: Record<RequestKind, number> = { page: 60, post: 20, state: 120, logo: 600 }
const addressFactor = 10
const windowMs = 60_000
const streams = { perLink: 6, perAddress: 60, all: 1000 }

/** Rate limits by IP address and link, counted in each process for itself. */
export function openLimits(nowMs?: () => number) {
  const counts = new RateWindows(windowMs, nowMs)
  const openStreams = new Map<string, number>()
  let openStreamCount = 0

  /** Counts a request; the seconds to wait if it is over a limit, else 0. */
  function count(kind: RequestKind, address: string, linkId: string): number {
    const from = networkOf(address)
    return Math.max(
      secondsOver(`${kind} ${from} ${linkId}`, perLink[kind]),
      secondsOver(`${kind} ${from}`, perLink[kind] * addressFactor),
    )
  }

  function secondsOver(key: string, most: number): number {
    const { current, leftMs } = counts.count(key)
    return current > most ? Math.ceil(leftMs / 1000) : 0
  }

  /** Reserves a stream; returns the function that releases it, or undefined over a limit. */
  function openStream(address: string, linkId: string): (() => void) | undefined {
    const from = networkOf(address)
    const keys: [string, number][] = [
      [`${from} ${linkId}`, streams.perLink],
      [from, streams.perAddress],
    ]
    const isFull = keys.some(([key, most]) => (openStreams.get(key) ?? 0) >= most)
    if (isFull || openStreamCount >= streams.all) return undefined
    openStreamCount += 1
    for (const [key] of keys) openStreams.set(key, (openStreams.get(key) ?? 0) + 1)
    return () => {
      openStreamCount -= 1
      for (const [key] of keys) {
        const left = (openStreams.get(key) ?? 1) - 1
        if (left > 0) openStreams.set(key, left)
        else openStreams.delete(key)
      }
    }
  }

  return { count, openStream }
}

export type Limits = ReturnType<typeof openLimits>
