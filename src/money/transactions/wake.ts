import { after, monotonicMs } from '#base/kit/clock.ts'
import { services } from '#merchants/catalog/services.ts'
import { nameOf } from '#money/providers/bindings.ts'
import type { TransactionContext } from './context.ts'
import { ownLeaseMs } from './transaction.ts'
import { longestWaitMs } from './waits.ts'
import { pullBack, wakeOrders } from './wake-store.ts'

const pullBackEachMs = 5000

/**
 * A function that looks, every few seconds of its calls, for orders that a clock which was an hour
 * ahead has left due in an hour, and makes them due.
 */
export function openPullBack({
  db,
  log,
  providers,
}: Pick<TransactionContext, 'db' | 'log' | 'providers'>): (now: Date) => Promise<void> {
  const connectors = providers.all().map(({ connector }) => connector)
  const longestMs = longestWaitMs(
    connectors.flatMap(({ capabilities }) => Object.values(capabilities)),
  )
  let nextMs = 0
  return async (now) => {
    if (monotonicMs() < nextMs) return
    nextMs = monotonicMs() + pullBackEachMs
    const limits = { laterThan: after(now, longestMs), to: after(now, ownLeaseMs), limit: batchMax }
    const count = await pullBack(db, limits)
    if (count === batchMax) nextMs = 0
    if (count > 0) log.warn({ count }, 'transactions were due later than they can be')
  }
}

// 200 orders a second.
const stepMs = 5
const batchMax = 500

/**
 * Makes the open orders of a provider that is back due soon, whatever wait has grown for them while
 * it was away: oldest first, at a bounded rate. Orders that are due within the longest lease are
 * left alone: they may be under way, and if not, they come by themselves. So a second process, or a
 * second call, finds nothing left to do. Returns how many were woken.
 */
export async function wakeProvider(
  { db, clock, log }: Pick<TransactionContext, 'db' | 'clock' | 'log'>,
  provider: string,
): Promise<number> {
  const codes = services.filter((one) => nameOf(one) === provider).map(({ code }) => code)
  const now = clock.now()
  const leaseEnd = after(now, ownLeaseMs)
  let woken = 0
  for (let isFull = true; isFull; ) {
    const from = after(now, woken * stepMs)
    const end = after(from, batchMax * stepMs)
    const laterThan = end > leaseEnd ? end : leaseEnd
    const count = await wakeOrders(db, provider, {
      codes,
      laterThan,
      from,
      stepMs,
      limit: batchMax,
    })
    woken += count ?? 0
    isFull = count === batchMax
  }
  if (woken > 0) log.info({ provider, woken }, 'the open orders of a provider are looked at again')
  return woken
}
