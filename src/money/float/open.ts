import { cached } from '#base/kit/cached.ts'
import { after } from '#base/kit/clock.ts'
import type { Log } from '#base/log/log.ts'
import type { DbParts } from '#data/db/db.ts'
import type { Service } from '#merchants/catalog/services.ts'
import { nameOf } from '#money/providers/bindings.ts'
import type { Providers } from '#money/providers/open.ts'
import { askProvider, sampleAll } from './ask.ts'
import { type FloatOrder, setFloat } from './set.ts'
import { isUsable, stateOf } from './state.ts'
import { type Float, type FloatId, readFloats, readSamples, writeDeclined } from './store.ts'

/** Everything that can be done with the money that providers hold for us. */
export type Floats = ReturnType<typeof openFloats>

interface FloatParts extends DbParts {
  log: Log
  providers: Pick<Providers, 'all' | 'find'>
}

const cachedMs = 1000
const minuteMs = 60_000

/** Opens the room; what another process has learnt is known here within a second. */
export function openFloats(parts: FloatParts) {
  const { db, clock, log, providers } = parts
  // What this process has ordered since the time of the value that it knows.
  const ordered = new Map<string, { sinceMs: number; amount: number }>()
  let known: ReadonlyMap<string, Float> = new Map()
  const load = cached(cachedMs, async (_key: 'now') => {
    const floats = await readFloats(db)
    known = new Map(floats.map((float) => [nameOf(float), float]))
    return known
  })

  function orderedSince(float: Float): number {
    const own = ordered.get(nameOf(float))
    return own?.sinceMs === float.knownAt?.getTime() ? (own?.amount ?? 0) : 0
  }

  return {
    /**
     * Whether a provider would decline a payout for want of money, by what is known of it; nothing
     * is asked. A value that is old, or that nobody vouches for, never stops a payout.
     */
    async isShort(service: Pick<Service, 'provider' | 'country'>, amount: number) {
      const float = (await load('now')).get(nameOf(service))
      if (float === undefined || !isUsable(float, clock.now())) return false
      return amount > (float.balance ?? 0) - orderedSince(float)
    },

    /** Counts an order that was recorded against the value that is known. */
    count(service: Pick<Service, 'provider' | 'country'>, amount: number): void {
      const float = known.get(nameOf(service))
      if (!float?.knownAt) return
      const sinceMs = float.knownAt.getTime()
      ordered.set(nameOf(float), { sinceMs, amount: orderedSince(float) + amount })
    },

    /** Learns from a payout that its provider declined for want of money, and asks it at once. */
    async declined(service: Pick<Service, 'provider' | 'country'>, amount: number): Promise<void> {
      const provider = providers.find(service)
      if (provider === undefined) return
      const at = clock.now()
      log.error({ provider: provider.name, amount }, 'a provider holds too little for a payout')
      await db.transaction((tx) => writeDeclined(tx, provider.binding, { amount, at }))
      await askProvider(parts, provider, at)
      load.forget('now')
    },

    /** What is known of each. */
    async list() {
      const now = clock.now()
      return (await readFloats(db)).map((float) => ({ ...float, state: stateOf(float, now) }))
    },
    /** What was known of one at each step of a range that ends now. */
    history: (float: FloatId, { rangeMs, stepMinutes }: { rangeMs: number; stepMinutes: number }) =>
      readSamples(db, float, { from: after(clock.now(), -rangeMs), stepMinutes }),
    set: (order: Omit<FloatOrder, 'now'>) =>
      db.transaction((tx) => setFloat(tx, { ...order, now: clock.now() })),

    /** Asks every provider that was not asked for most of a minute, and keeps the history. */
    sample: (now: Date) => sampleAll(parts, now, after(now, -minuteMs + 10_000)),
  }
}
