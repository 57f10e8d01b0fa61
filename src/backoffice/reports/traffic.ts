import type { Traffic } from './traffic-store.ts'

/** Sums of traffic; the rate is per mille of what ended, null when nothing did. */
export function totalsOfTraffic(traffic: Pick<Traffic, 'ended' | 'succeeded' | 'amount'>[]) {
  const totals = { ended: 0, succeeded: 0, amount: 0 }
  for (const { ended, succeeded, amount } of traffic) {
    totals.ended += ended
    totals.succeeded += succeeded
    totals.amount += amount
  }
  const { ended, succeeded } = totals
  const successRate = ended === 0 ? null : Math.floor((1000 * succeeded) / ended)
  return { ...totals, successRate }
}
