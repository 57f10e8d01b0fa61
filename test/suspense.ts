import type { Db } from '#data/db/db.ts'
import { eventually } from './wait.ts'

/** What a client has in suspense: money that came, or went, and belongs to no payment. */
export async function suspenseOf(db: Db, { clientId }: { clientId: number }): Promise<number> {
  const [row] = await db<{ sum: number }>`
    select coalesce(sum(amount), 0)::bigint as sum from ledger_entries
    where client_id = ${clientId} and account = 'suspense'`
  return row?.sum ?? 0
}

/** Waits until a client has so much in suspense. */
export function inSuspense(db: Db, client: { clientId: number }, amount: number) {
  return eventually(
    `${amount} are in suspense`,
    async () => (await suspenseOf(db, client)) === amount,
  )
}

/** The kinds of conflicts that were recorded of a transaction. */
export async function conflictsOf(db: Db, transactionId: string): Promise<string[]> {
  const rows = await db<{ kind: string }>`
    select kind from conflicts where transaction_id = ${transactionId}`
  return rows.map(({ kind }) => kind)
}
