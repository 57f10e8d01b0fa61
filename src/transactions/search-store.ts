import type { Db } from '../db/db.ts'
import { transactionColumns } from './store.ts'
import type { Transaction } from './transaction.ts'

/** A text that someone looks for, and what it may be; null or empty: it cannot be that. */
export interface Wanted {
  text: string
  /** The text as an id. */
  id: string | null
  /** The numbers it may mean. */
  phones: string[]
  /** The periods to look in, newest first. */
  periods: string[]
}

/**
 * The transactions of a client that a text names: by our id or an attempt's, by the external id or
 * its beginning, by the link, by the number or the provider's reference. Each part has its index.
 */
export function findByText(
  db: Db,
  clientId: number,
  { text, id, phones, periods }: Wanted,
  limit: number,
): Promise<Transaction[]> {
  return db<Transaction>`
    with found (found_id) as materialized (
      select ${id}::uuid
      union
      select transaction_id from attempts where client_id = ${clientId} and id = ${id}::uuid
      union
      select id from transactions where client_id = ${clientId} and link_id = ${id}::uuid
      union
      select coalesce(t.id, e.record_id)
      from (
        select record_id, record_kind from external_ids
        where client_id = ${clientId} and external_id >= ${text}
          and external_id < ${text}::text || chr(1114111) and starts_with(external_id, ${text})
        order by external_id
        limit ${limit}
      ) e
      left join transactions t on e.record_kind = 'link'
        and t.client_id = ${clientId} and t.link_id = e.record_id
      union
      (select t.id from unnest(${periods}::text[]) as period
      cross join unnest(${phones}::text[]) as wanted
      cross join lateral (
        select id from transactions
        where client_id = ${clientId} and left(id::text, 5) = period and phone = wanted
        order by id desc
        limit ${limit}
      ) t
      limit ${limit})
      union
      (select t.id from unnest(${periods}::text[]) as period
      cross join lateral (
        select id from transactions
        where client_id = ${clientId} and left(id::text, 5) = period and reference = ${text}
        limit ${limit}
      ) t
      limit ${limit})
    )
    select t.*
    from found
    cross join lateral (
      -- The limit keeps the planner from reading all transactions to look for those found.
      select ${transactionColumns} from transactions
      where client_id = ${clientId} and id = found_id
      limit 1
    ) t
    order by t.id desc
    limit ${limit}`
}
