import type { Db } from '#data/db/db.ts'
import type { TransactionId } from './transaction.ts'

export interface Wake {
  /** The services of the provider. */
  codes: string[]
  /** Only orders that are due later than this are woken. */
  laterThan: Date
  /** The oldest order falls due then, each further one `stepMs` later. */
  from: Date
  stepMs: number
  limit: number
}

// Any constants would do. Held by one process at a time for each provider.
const wakeLock = 7_270_002

/**
 * Makes open orders of a provider due, oldest first, and has them asked about as often as new ones.
 * Returns how many; undefined: another process does it already.
 */
export function wakeOrders(db: Db, provider: string, wake: Wake): Promise<number | undefined> {
  return db.transaction(async (tx) => {
    const [lock] = await tx<{ isMine: boolean }>`
      select pg_try_advisory_xact_lock(${wakeLock}, hashtext(${provider})) as "isMine"`
    if (!lock?.isMine) return undefined
    const rows = await tx`
      with later as materialized (
        select client_id, id, created_at from transactions
        where due_at > ${wake.laterThan} and service_code = any(${wake.codes}::text[])
        order by created_at
        limit ${wake.limit}
        for update skip locked
      ), placed as (
        select client_id, id, row_number() over (order by created_at) - 1 as place from later
      )
      update transactions t set polls = 0, version = version + 1,
        due_at = ${wake.from}::timestamptz + place * ${wake.stepMs} * interval '1 millisecond'
      from placed p where (t.client_id, t.id) = (p.client_id, p.id)
      returning t.id`
    return rows.length
  })
}

/**
 * Makes orders due again whose date is later than any wait can be, after a lease that may have been
 * given while the clock was wrong. Returns how many. Does not count the version, as claims do not.
 */
export async function pullBack(
  db: Db,
  { laterThan, to, limit }: { laterThan: Date; to: Date; limit: number },
): Promise<number> {
  const rows = await db`
    with ahead as materialized (
      select client_id, id from transactions
      where due_at > ${laterThan} and completed_at is null
      order by due_at
      limit ${limit}
      for update skip locked
    )
    update transactions t set due_at = ${to}
    from ahead a where (t.client_id, t.id) = (a.client_id, a.id)
    returning t.id`
  return rows.length
}

/** Sets when a top-up that has ended is asked for its code; null: never. */
export async function setTokenDue(
  db: Db,
  { clientId, id }: TransactionId,
  dueAt: Date | null,
): Promise<void> {
  await db`
    update transactions set due_at = ${dueAt}
    where client_id = ${clientId} and id = ${id} and completed_at is not null
      and sealed_token is null`
}
