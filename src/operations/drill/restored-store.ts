import { firstIdAt } from '#base/kit/ids.ts'
import type { Db } from '#data/db/db.ts'

/** The transaction that was made last. */
export interface LastTransaction {
  id: string
  clientId: number
  createdAt: Date
}

/** By the ids of each client, which begin with their time: no index has all by their time. */
export async function findLastTransaction(db: Db): Promise<LastTransaction | undefined> {
  const [found] = await db<LastTransaction>`
    select t.id, t.client_id as "clientId", t.created_at as "createdAt"
    from clients c cross join lateral (
      select id, client_id, created_at from transactions
      where client_id = c.id order by id desc limit 1
    ) t
    order by t.created_at desc limit 1`
  return found
}

/** All transactions that there are. */
export async function countAllTransactions(db: Db): Promise<number> {
  const [row] = await db<{ count: number }>`select count(*) as count from transactions`
  return row?.count ?? 0
}

/** How many transactions each client made in a time, by the client's number. */
export async function countTransactions(
  db: Db,
  { from, to }: { from: Date; to: Date },
): Promise<Map<number, number>> {
  const rows = await db<{ clientId: number; count: number }>`
    select c.id as "clientId", t.count
    from clients c cross join lateral (
      select count(*) as count from transactions
      where client_id = c.id and id >= ${firstIdAt(from)} and id < ${firstIdAt(to)}
    ) t
    where t.count > 0`
  return new Map(rows.map(({ clientId, count }) => [clientId, count]))
}

/** The last anchor that was made by a time. */
export async function findAnchorBy(
  db: Db,
  time: Date,
): Promise<{ number: number; hash: string } | undefined> {
  const [found] = await db<{ number: number; hash: string }>`
    select number, encode(hash, 'hex') as hash from ledger_anchors
    where created_at <= ${time} order by number desc limit 1`
  return found
}

/** The heads of all accounts that have entries. */
export function readHeads(
  db: Db,
): Promise<{ clientId: number; kind: string; version: number; head: string }[]> {
  return db<{ clientId: number; kind: string; version: number; head: string }>`
    select client_id as "clientId", kind, version, encode(head, 'hex') as head
    from ledger_accounts where version > 0 order by client_id, kind`
}
