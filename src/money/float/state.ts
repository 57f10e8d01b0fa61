import type { Float } from './store.ts'

/** How much is left: `unknown` without a value, `old` when it says little about now. */
export type FloatState = 'fine' | 'warning' | 'alarm' | 'old' | 'unknown'

const validMs = 600_000

/** The state of a float by its thresholds; a payout that was declined since is an alarm. */
export function stateOf(float: Float, now: Date): FloatState {
  const { balance, knownAt, warnBelow, alarmBelow, declinedAt } = float
  if (declinedAt !== null && (knownAt === null || declinedAt > knownAt)) return 'alarm'
  if (balance === null || knownAt === null) return 'unknown'
  if (isOld(knownAt, now)) return 'old'
  if (alarmBelow !== null && balance < alarmBelow) return 'alarm'
  return warnBelow !== null && balance < warnBelow ? 'warning' : 'fine'
}

/**
 * Whether a payout may be refused by this value: it is recent, and the provider or an operator
 * vouches for it. The ledger alone does not know what was paid into an account before it began.
 */
export function isUsable({ balance, source, knownAt }: Float, now: Date): boolean {
  const isVouchedFor = source === 'told' || source === 'counted'
  return balance !== null && knownAt !== null && isVouchedFor && !isOld(knownAt, now)
}

function isOld(knownAt: Date, now: Date): boolean {
  return now.getTime() - knownAt.getTime() > validMs
}
