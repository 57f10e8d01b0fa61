import type { Sender } from '../sender.ts'
import { raceDebits } from './debits.ts'
import { sendDuplicates } from './duplicates.ts'
import { forgeCallbacks } from './forged.ts'
import { raceEverything } from './one-time-codes.ts'
import { payInClosedLoop, payInOpenLoop } from './overload.ts'
import { payAtRate } from './payments.ts'
import { raceRefunds } from './refunds.ts'

/** What a load client does, from its beginning to its end. */
export type Plan = (sender: Sender, stopping: AbortSignal) => Promise<unknown>

const plans: Record<string, Plan> = {
  payments: payAtRate,
  duplicates: sendDuplicates,
  debits: raceDebits,
  refunds: raceRefunds,
  'closed-loop': payInClosedLoop,
  'open-loop': payInOpenLoop,
  forged: forgeCallbacks,
  'one-time-codes': raceEverything,
}

export function planOf(name: string): Plan {
  const plan = plans[name]
  if (plan === undefined) throw new Error(`There is no plan "${name}".`)
  return plan
}
