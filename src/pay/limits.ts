import { MemoryRateStore } from '../http/rate-limit.ts'

type Use = 'page' | 'post' | 'state'

// What one payer can need in a minute, for each link and address. A whole town may share one
// address behind its operator's, so that an address as such may do far more.
const perLink: Record<Use, number> = { page: 60, post: 20, state: 120 }
const perAddress = 10
const windowMs = 60_000
const streams = { perLink: 6, perAddress: 60, all: 1000 }

/** Counts what each address asks for; every process for itself. */
export function openLimits(nowMs?: () => number) {
  const counts = new MemoryRateStore(undefined, nowMs)
  const open = new Map<string, number>()
  let openInAll = 0

  /** How many seconds to wait; 0: none. */
  function count(use: Use, address: string, linkId: string): number {
    const from = networkOf(address)
    return Math.max(
      over(`${use} ${from} ${linkId}`, perLink[use]),
      over(`${use} ${from}`, perLink[use] * perAddress),
    )
  }

  function over(key: string, most: number): number {
    const { current, ttl } = counts.count(key, windowMs)
    return current > most ? Math.ceil(ttl / 1000) : 0
  }

  /** Takes a place for a stream; the way to give it back, or undefined when there is none left. */
  function openStream(address: string, linkId: string): (() => void) | undefined {
    const from = networkOf(address)
    const keys: [string, number][] = [
      [`${from} ${linkId}`, streams.perLink],
      [from, streams.perAddress],
    ]
    const isFull = keys.some(([key, most]) => (open.get(key) ?? 0) >= most)
    if (isFull || openInAll >= streams.all) return undefined
    openInAll += 1
    for (const [key] of keys) open.set(key, (open.get(key) ?? 0) + 1)
    return () => {
      openInAll -= 1
      for (const [key] of keys) {
        const left = (open.get(key) ?? 1) - 1
        if (left > 0) open.set(key, left)
        else open.delete(key)
      }
    }
  }

  return { count, openStream }
}

export type Limits = ReturnType<typeof openLimits>

/** One household has a whole /64 of version 6. */
function networkOf(address: string): string {
  const isPlain6 = address.includes(':') && !address.includes('.')
  if (!isPlain6) return address
  const [head = '', tail = ''] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  const last = tail === '' ? [] : tail.split(':')
  const missing = address.includes('::') ? 8 - groups.length - last.length : 0
  return [...groups, ...Array.from({ length: missing }, () => '0'), ...last].slice(0, 4).join(':')
}
