import type { Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'

/** A transaction as far as its number and its link go. */
export interface NumberRow {
  id: string
  linkId: string | null
  phone: string
}

/** Locks transactions of a client, in id order: those named, and all payments of links. */
export function lockNumbers(
  tx: Tx,
  clientId: number,
  { ids, linkIds }: { ids: string[]; linkIds: string[] },
): Promise<NumberRow[]> {
  return tx<NumberRow>`
    select t.id, t.link_id as "linkId", t.phone
    from (
      select unnest(${ids}::uuid[]) as wanted
      union
      select p.id from unnest(${linkIds}::uuid[]) as l
      cross join lateral (
        select id from transactions where client_id = ${clientId} and link_id = l limit 1000
      ) p
    ) w
    join transactions t on t.client_id = ${clientId} and t.id = wanted
    order by t.id
    for update of t`
}

/**
 * Which of these transactions a person still has to deal with: a conflict is open, or money of it
 * is in suspense. Few conflicts are open and little money is in suspense: both have indexes.
 */
export async function findUnsettled(tx: Tx, clientId: number, ids: string[]): Promise<Set<string>> {
  const rows = await tx<{ id: string }>`
    select transaction_id as id from conflicts
    where client_id = ${clientId} and closed_at is null and transaction_id = any(${ids}::uuid[])
    union
    select a.transaction_id
    from ledger_entries e
    join ledger_postings p on (p.client_id, p.id) = (e.client_id, e.posting_id)
    join attempts a on a.client_id = e.client_id
      -- The whole pattern, which no reference that people write breaks: that is read, too.
      and a.id = substring(p.ref from '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}')::uuid
    where e.client_id = ${clientId} and e.account = 'suspense'
      and a.transaction_id = any(${ids}::uuid[])
    group by a.transaction_id, p.ref
    having sum(e.amount) <> 0`
  return new Set(rows.map(({ id }) => id))
}

/** Removes what providers sent from the evidence and the closed conflicts of transactions. */
export async function forgetExcerpts(tx: Tx, clientId: number, ids: string[]): Promise<number> {
  const forgotten = await tx`
    update evidence e set details = e.details - 'excerpt'
    from unnest(${ids}::uuid[]) as w
    where e.client_id = ${clientId} and e.transaction_id = w and e.details ? 'excerpt'
    returning e.id`
  await tx`
    update conflicts set details = details #- '{evidence,excerpt}'
    where client_id = ${clientId} and closed_at is not null
      and transaction_id = any(${ids}::uuid[]) and details -> 'evidence' ? 'excerpt'`
  return forgotten.length
}

const numberRows = rowsOf({ id: 'uuid', phone: 'text' })

/** Writes other texts in place of the numbers of locked transactions. */
export async function replaceNumbers(
  tx: Tx,
  clientId: number,
  rows: Pick<NumberRow, 'id' | 'phone'>[],
): Promise<void> {
  await tx`
    update transactions t set phone = n.phone, version = t.version + 1
    from ${numberRows(rows)} as n
    where t.client_id = ${clientId} and t.id = n.id`
}
