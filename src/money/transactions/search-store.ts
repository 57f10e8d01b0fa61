import { type Db, fragment } from '#data/db/db.ts'
import { transactionColumns } from './store.ts'
import type { Transaction } from './transaction.ts'

/** A period in which a client has transactions: the first digits of their ids. */
export interface Place {
  clientId: number
  period: string
}

/** A text that someone looks for, and what it may be; empty: it cannot be that. */
export interface Wanted {
  text: string
  /** The numbers it may mean. */
  phones: string[]
  /** Whose transactions are looked for. */
  clientIds: number[]
  /** Where numbers and references are looked for, the newest period first. */
  places: Place[]
}

const rowsFound = fragment`
    from found
    cross join lateral (
      -- The limit keeps the planner from reading all transactions to look for those found.
      select * from transactions
      where client_id = found_client and id = found_id
      limit 1
    ) transactions
    order by id desc`

/** The transactions of clients that an id of ours names: their own, an attempt's, or a link's. */
export function findByOurId(
  db: Db,
  { id, clientIds }: { id: string; clientIds: number[] },
  limit: number,
): Promise<Transaction[]> {
  return db<Transaction>`
    with found (found_client, found_id) as materialized (
      select c, ${id}::uuid from unnest(${clientIds}::integer[]) as c
      union
      select c, a.transaction_id from unnest(${clientIds}::integer[]) as c
      cross join lateral (
        select transaction_id from attempts where client_id = c and id = ${id} limit 1
      ) a
      union
      select c, t.id from unnest(${clientIds}::integer[]) as c
      cross join lateral (
        select id from transactions where client_id = c and link_id = ${id} limit ${limit}
      ) t
    )
    select ${transactionColumns} ${rowsFound}
    limit ${limit}`
}

/**
 * The same by the external id or its beginning, by the number or the provider's reference. Each
 * part has its index, which begins with the client: it is asked once for each client or place.
 */
export function findByText(
  db: Db,
  { text, phones, clientIds, places }: Wanted,
  limit: number,
): Promise<Transaction[]> {
  const placeClients = places.map(({ clientId }) => clientId)
  const periods = places.map(({ period }) => period)
  return db<Transaction>`
    with found (found_client, found_id) as materialized (
      select c, coalesce(t.id, e.record_id) from unnest(${clientIds}::integer[]) as c
      cross join lateral (
        select record_id, record_kind from external_ids
        where client_id = c and external_id >= ${text}
          and external_id < ${text}::text || chr(1114111) and starts_with(external_id, ${text})
        order by external_id
        limit ${limit}
      ) e
      left join transactions t on e.record_kind = 'link'
        and t.client_id = c and t.link_id = e.record_id
      union
      (select p.client_id, t.id
      from unnest(${placeClients}::integer[], ${periods}::text[]) as p (client_id, period)
      cross join unnest(${phones}::text[]) as wanted
      cross join lateral (
        select id from transactions
        where client_id = p.client_id and left(id::text, 5) = p.period and phone = wanted
        order by id desc
        limit ${limit}
      ) t
      limit ${limit})
      union
      (select p.client_id, t.id
      from unnest(${placeClients}::integer[], ${periods}::text[]) as p (client_id, period)
      cross join lateral (
        select id from transactions
        where client_id = p.client_id and left(id::text, 5) = p.period and reference = ${text}
        limit ${limit}
      ) t
      limit ${limit})
    )
    select ${transactionColumns} ${rowsFound}
    limit ${limit}`
}

/** What else a text may mean of a payment: its amount, or words of its link. */
export interface Told {
  clientId: number
  text: string
  /** Null: it is no amount. */
  amount: number | null
}

/**
 * The transactions of a client with this amount, or through a link with this text in its item or
 * its customer's name. There is no index for either: it looks at so many of the newest.
 */
export function findByWords(
  db: Db,
  { clientId, text, amount }: Told,
  { limit, examined }: { limit: number; examined: number },
): Promise<Transaction[]> {
  return db<Transaction>`
    with found (found_client, found_id) as materialized (
      (select ${clientId}::integer, id from (
        select id, amount from transactions
        where client_id = ${clientId} and ${amount}::bigint is not null
        order by id desc
        limit ${examined}
      ) newest
      where amount = ${amount}::bigint
      limit ${limit})
      union
      (select ${clientId}::integer, t.id from (
        select id, item_name, customer_name, created_at from links
        where client_id = ${clientId} and created_at is not null
        order by created_at desc, id desc
        limit ${examined}
      ) l
      cross join lateral (
        select id from transactions where client_id = ${clientId} and link_id = l.id limit ${limit}
      ) t
      where position(lower(${text}::text) in lower(l.item_name)) > 0
        or position(lower(${text}::text) in lower(l.customer_name)) > 0
      limit ${limit})
    )
    select ${transactionColumns} ${rowsFound}
    limit ${limit}`
}
