import type { Db, Tx } from '../db/db.ts'

/** Something that is closed for maintenance. */
export interface Closure {
  /** 'all' or a service code. */
  scope: string
  reason: string
  since: Date
}

export function readClosures(db: Db): Promise<Closure[]> {
  return db<Closure>`select scope, reason, since from maintenance order by scope`
}

export async function insertClosure(tx: Tx, closure: Closure): Promise<void> {
  await tx`
    insert into maintenance (scope, reason, since)
    values (${closure.scope}, ${closure.reason}, ${closure.since})
    on conflict (scope) do update set reason = excluded.reason`
}

/** False when the scope was not closed. */
export async function deleteClosure(tx: Tx, scope: string): Promise<boolean> {
  const rows = await tx`delete from maintenance where scope = ${scope} returning scope`
  return rows.length > 0
}
