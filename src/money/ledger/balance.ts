import type { Db } from '#data/db/db.ts'
import { findBalance } from './store.ts'

/** The merchant's available balance; held money is not part of it. */
export async function balanceOf(
  db: Db,
  clientId: number,
): Promise<{ balance: number; updatedAt: Date }> {
  const account = await findBalance(db, clientId, 'available')
  if (account === undefined) throw new Error(`client ${clientId} has no accounts`)
  return account
}

/** What the merchant can spend, and what is held for payments under way. */
export async function balancesOf(
  db: Db,
  clientId: number,
): Promise<{ available: number; held: number }> {
  const [available, held] = await Promise.all([
    findBalance(db, clientId, 'available'),
    findBalance(db, clientId, 'held'),
  ])
  return { available: available?.balance ?? 0, held: held?.balance ?? 0 }
}
