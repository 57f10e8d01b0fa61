import { recordAudit } from '#data/db/audit-log.ts'
import { nameOf } from '#money/providers/bindings.ts'
import { checkProvider } from '#money/providers/pauses.ts'
import type { TransactionContext } from './context.ts'
import { wakeProvider } from './wake.ts'

/** A provider in a country, and who asks. */
export interface ProviderOrder {
  provider: string
  country: string
  actor: string
}

/**
 * Has the open orders of a provider asked about now, oldest first, as when it is back after an
 * outage. Returns how many were brought forward; the others are due within a lease anyway, or wait
 * for a person.
 */
export async function requeryProvider(
  context: Pick<TransactionContext, 'db' | 'clock' | 'log'>,
  order: ProviderOrder,
): Promise<number> {
  checkProvider(order)
  const { provider, country, actor } = order
  const { db, clock } = context
  const at = clock.now()
  const details = { provider, country }
  await db.transaction((tx) => recordAudit(tx, { at, actor, action: 'provider.requery', details }))
  return wakeProvider(context, nameOf(order))
}
