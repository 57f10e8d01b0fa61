import type { Db, Tx } from '#data/db/db.ts'

/** Something that is closed for maintenance. */
export interface Closure {
  /** 'all', 'payments', a country, a wallet in a country, or a service code. */
  scope: string
  /** For the audit log. */
  reason: string
  since: Date
  /** When it is planned to end; null: not known. */
  until: Date | null
  /** What merchants and payers are told; null: nothing but that it is closed. */
  notice: string | null
}

export function readClosures(db: Db): Promise<Closure[]> {
  return db<Closure>`
    select scope, reason, since, until, notice from maintenance order by scope`
}

export async function insertClosure(tx: Tx, closure: Closure): Promise<void> {
  await tx`
    insert into maintenance (scope, reason, since, until, notice)
    values (${closure.scope}, ${closure.reason}, ${closure.since}, ${closure.until},
      ${closure.notice})
    on conflict (scope) do update
    set reason = excluded.reason, until = excluded.until, notice = excluded.notice`
}

/** False when the scope was not closed. */
export async function deleteClosure(tx: Tx, scope: string): Promise<boolean> {
  const rows = await tx`delete from maintenance where scope = ${scope} returning scope`
  return rows.length > 0
}
