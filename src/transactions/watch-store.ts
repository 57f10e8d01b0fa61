import type { Db } from '../db/db.ts'
import { columnNameOf, columns } from '../db/db.ts'
import { rowsOf } from '../db/rows.ts'
import type { Transaction, TransactionId } from './transaction.ts'

/** How many of a client's newest transactions are compared: more than ten in a round are many. */
export const newestMax = 11
const openMax = 50
const idRows = rowsOf({ clientId: 'integer', id: 'uuid' })

/** What differs whenever a transaction was created, has moved or ended, or the balance changed. */
export interface ClientMark {
  clientId: number
  /** The last position of its events. */
  position: number
  mark: string
}

/**
 * The marks of clients: the newest id, the last event, the open transactions, and the version of
 * the account, each by an index.
 * One statement, however many clients there are.
 */
export function readClientMarks(db: Db, clientIds: number[]): Promise<ClientMark[]> {
  return db<ClientMark>`
    select w.id as "clientId", coalesce(p.last, 0) as position,
      concat_ws(' ', newest.id, p.last, open.count, open.sum, a.version) as mark
    from unnest(${clientIds}::integer[]) as w (id)
    left join event_positions p on p.client_id = w.id
    left join ledger_accounts a on a.client_id = w.id and a.kind = 'available'
    left join lateral (
      select id from transactions where client_id = w.id order by id desc limit 1
    ) newest on true
    cross join lateral (
      select count(*), sum(version) from (
        select version from transactions
        where client_id = w.id and completed_at is null
        order by id desc limit ${openMax}
      ) o
    ) open`
}

/** A client, and the last of its events that is known; 0: none, the last ones are read. */
export interface Seen {
  clientId: number
  position: number
}

/** How far a transaction has come. */
export type Standing = Pick<Transaction, 'clientId' | 'id' | 'status' | 'createdAt' | 'completedAt'>

/** What may have changed of clients: the newest, the open, and what ended after a position. */
export function readPossiblyChanged(db: Db, seen: Seen[]): Promise<Standing[]> {
  const clientIds = seen.map(({ clientId }) => clientId)
  const positions = seen.map(({ position }) => position)
  return db<Standing>`
    with seen as materialized (
      select * from unnest(${clientIds}::integer[], ${positions}::bigint[])
        as s (client_id, position)
    ), ended as materialized (
      -- Links among the others: a search for links alone would look through all events.
      select s.client_id, e.record_kind, e.record_id
      from seen s
      cross join lateral (
        select record_kind, record_id from events
        where client_id = s.client_id and position > s.position
        order by position desc limit ${openMax}
      ) e
    ), wanted (client_id, id) as (
      select s.client_id, r.id
      from seen s
      cross join lateral (
        (select id from transactions where client_id = s.client_id
          order by id desc limit ${newestMax})
        union all
        (select id from transactions where client_id = s.client_id and completed_at is null
          order by id desc limit ${openMax})
      ) r
      union
      select client_id, record_id from ended where record_kind <> 'link'
      union
      select e.client_id, t.id
      from ended e
      cross join lateral (
        select id from transactions
        where client_id = e.client_id and link_id = e.record_id
        limit ${openMax}
      ) t
      where e.record_kind = 'link'
    )
    select t.* from wanted w
    cross join lateral (
      select client_id as "clientId", id, status, created_at as "createdAt",
        completed_at as "completedAt"
      from transactions
      where client_id = w.client_id and id = w.id
      -- Keeps the planner from reading all transactions.
      limit 1
    ) t
    order by id`
}

const listedFields = [
  'clientId',
  'id',
  'externalId',
  'operation',
  'serviceCode',
  'amount',
  'fee',
  'phone',
  'subMerchantId',
  'status',
  'createdAt',
] as const satisfies (keyof Transaction)[]

/** What a list shows of a transaction. */
export type ListedTransaction = Pick<Transaction, (typeof listedFields)[number]>

const listedColumns = columns(listedFields.map(columnNameOf))

/** What lists show of transactions, oldest first. */
export function readListed(db: Db, ids: TransactionId[]): Promise<ListedTransaction[]> {
  return db<ListedTransaction>`
    select t.* from ${idRows(ids)} as w (client_id, wanted)
    cross join lateral (
      select ${listedColumns} from transactions
      where client_id = w.client_id and id = w.wanted
      limit 1
    ) t
    order by id`
}

/** The newest transactions of clients, newest first. */
export function readNewest(
  db: Db,
  clientIds: number[],
  limit: number,
): Promise<ListedTransaction[]> {
  return db<ListedTransaction>`
    select t.* from unnest(${clientIds}::integer[]) as w (client_id)
    cross join lateral (
      select ${listedColumns} from transactions
      where client_id = w.client_id
      order by id desc limit ${limit}
    ) t`
}

/** What differs whenever a transaction, its refunds or the deliveries of its event have changed. */
export async function readTransactionMarks(
  db: Db,
  ids: TransactionId[],
): Promise<Map<string, string>> {
  const clientIds = ids.map(({ clientId }) => clientId)
  const transactionIds = ids.map(({ id }) => id)
  const rows = await db<{ id: string; mark: string }>`
    select t.id, concat_ws('.', t.version, (
      select sum(version) from transactions r
      where r.client_id = t.client_id and r.original_id = t.id
    ), (
      select concat(count(*), '.', sum(d.tries)) from events e
      join deliveries d on d.client_id = e.client_id and d.event_id = e.id
      where e.client_id = t.client_id and e.record_id = coalesce(t.link_id, t.id)
    )) as mark
    from unnest(${clientIds}::integer[], ${transactionIds}::uuid[]) as w (client_id, id)
    join transactions t on t.client_id = w.client_id and t.id = w.id`
  return new Map(rows.map(({ id, mark }) => [id, mark]))
}
