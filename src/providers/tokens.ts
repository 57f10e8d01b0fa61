import { monotonicMs } from '../kit/clock.ts'

/** What a provider gave for our credentials, or why it gave nothing. */
export type Grant =
  | { kind: 'granted'; token: string; lastsMs: number }
  | { kind: 'refused'; reason: string }

export interface TokenSource {
  /** A token that is good for a while longer; callers that come together share one request. */
  get(): Promise<Grant>
  /** To be called when the provider no longer takes this token. */
  forget(token: string): void
}

// Renewed this long before its end, or after nine tenths of a short life.
const earlyMs = 60_000

/** Keeps one token, renewing it early; the old one serves while the new one is refused. */
export function tokenSource(
  request: () => Promise<Grant>,
  nowMs: () => number = monotonicMs,
): TokenSource {
  let known: { grant: Grant & { kind: 'granted' }; renewMs: number; endMs: number } | undefined
  let asking: Promise<Grant> | undefined

  async function renew(): Promise<Grant> {
    const startMs = nowMs()
    const grant = await request()
    if (grant.kind === 'granted') {
      const { lastsMs } = grant
      const renewMs = startMs + Math.max(lastsMs - earlyMs, lastsMs * 0.9)
      known = { grant, renewMs, endMs: startMs + lastsMs }
      return grant
    }
    return known !== undefined && nowMs() < known.endMs ? known.grant : grant
  }

  return {
    get: async () => {
      if (known !== undefined && nowMs() < known.renewMs) return known.grant
      asking ??= renew().finally(() => {
        asking = undefined
      })
      return asking
    },
    forget: (token) => {
      if (known?.grant.token === token) known = undefined
    },
  }
}
