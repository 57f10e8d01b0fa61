import type { Traffic } from './traffic-store.ts'

/** Sums of traffic; the rate is per mille of what ended, null when nothing did. */
export function totalsOfTraffic(traffic: Pick<Traffic, 'ended' | 'succeeded'>[]) {
  const ended = traffic.reduce((sum, one) => sum + one.ended, 0)
  const succeeded = traffic.reduce((sum, one) => sum + one.succeeded, 0)
  const successRate = ended === 0 ? null : Math.floor((1000 * succeeded) / ended)
  return { ended, succeeded, successRate }
}

/** What was collected, with refunds taken off again, and what was paid out besides. */
export function flowsOf(traffic: Pick<Traffic, 'operation' | 'amount'>[]) {
  const sums = { CASHOUT: 0, REFUND: 0, CASHIN: 0, AIRTIME: 0, BILL: 0 }
  for (const { operation, amount } of traffic) sums[operation] += amount
  const { CASHOUT, REFUND, CASHIN, AIRTIME, BILL } = sums
  return { collected: CASHOUT - REFUND, paidOut: CASHIN + AIRTIME + BILL }
}
