import { type Reason, Refusal, reason } from '#base/kit/refusal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Tx } from '#data/db/db.ts'
import { services } from '#merchants/catalog/services.ts'
import { type FloatId, lockFloat, updateBase, updateThresholds } from './store.ts'

/** What an operator decides or knows of a float. What is left out stays; null removes it. */
export interface FloatOrder extends FloatId {
  warnBelow?: number | null | undefined
  alarmBelow?: number | null | undefined
  /** What the provider holds now, by its own records; only where it does not tell by itself. */
  balance?: number | undefined
  now: Date
  actor: string
}

/** Sets thresholds, and the balance of a provider that tells none. */
export async function setFloat(tx: Tx, order: FloatOrder): Promise<void> {
  const { provider, country, balance, now, actor } = order
  if (!services.some((one) => one.provider === provider && one.country === country))
    throw new Refusal(
      'not_found',
      reason('There is no provider {provider} in {country}', { provider, country }),
    )
  const known = await lockFloat(tx, order)
  const { warnBelow = known.warnBelow, alarmBelow = known.alarmBelow } = order
  const problems: Reason[] = []
  const values = { warnBelow, alarmBelow, balance: balance ?? null }
  for (const [field, value] of Object.entries(values))
    if (value !== null && !(Number.isSafeInteger(value) && value >= 0 && value <= 1e15))
      problems.push(reason('Amounts must be whole numbers, not below zero', {}, field))
  if (warnBelow !== null && alarmBelow !== null && alarmBelow > warnBelow)
    problems.push(reason('The alarm must not be above the warning', {}, 'alarmBelow'))
  if (balance !== undefined && known.source === 'told')
    problems.push(reason('This provider tells its balance by itself', {}, 'balance'))
  if (problems.length > 0) throw new Refusal('validation_failed', ...problems)
  await updateThresholds(tx, order, { warnBelow, alarmBelow })
  if (balance !== undefined) await updateBase(tx, order, { balance, at: now })
  const details = {
    provider,
    country,
    warnBelow,
    alarmBelow,
    ...(balance === undefined ? {} : { balance }),
  }
  await recordAudit(tx, { at: now, actor, action: 'float.set', details })
}
