import { monotonicMs } from '#base/kit/clock.ts'

/** The provider's answer to a token request: a token with its lifetime, or why there is none. */
export type Grant =
  | { kind: 'granted'; token: string; lastsMs: number }
  | { kind: 'refused'; reason: string; isHeldBack?: true }

export interface TokenCache {
  /** A valid token. Concurrent callers share one token request. */
  get(): Promise<Grant>
  /** Drops this token, after the provider has rejected it. */
  forget(token: string): void
}

// A token is renewed this long before it expires, or after nine tenths of a short lifetime.
const earlyMs = 60_000

/** Caches one token and renews it early. While renewal fails the old one is used until it ends. */
export function openTokenCache(
  request: () => Promise<Grant>,
  nowMs: () => number = monotonicMs,
): TokenCache {
  let cached: { grant: Grant & { kind: 'granted' }; renewMs: number; endMs: number } | undefined
  let renewal: Promise<Grant> | undefined

  async function renew(): Promise<Grant> {
    const startMs = nowMs()
    const grant = await request()
    if (grant.kind === 'granted') {
      const { lastsMs } = grant
      const renewMs = startMs + Math.max(lastsMs - earlyMs, lastsMs * 0.9)
      cached = { grant, renewMs, endMs: startMs + lastsMs }
      return grant
    }
    return cached !== undefined && nowMs() < cached.endMs ? cached.grant : grant
  }

  return {
    get: async () => {
      if (cached !== undefined && nowMs() < cached.renewMs) return cached.grant
      renewal ??= renew().finally(() => {
        renewal = undefined
      })
      return renewal
    },
    forget: (token) => {
      if (cached?.grant.token === token) cached = undefined
    },
  }
}
