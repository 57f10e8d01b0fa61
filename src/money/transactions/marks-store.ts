import { columnNameOf, columns, type Db } from '#data/db/db.ts'
import type { Transaction } from './transaction.ts'

const openMax = 50
const linksMax = 3

/**
 * What differs whenever a transaction or link of a client was created, has moved or ended, or its
 * balance changed: the newest ids, the last event, the open transactions, and the version of the
 * account, each by an index. One statement, however many clients there are, by their ids as texts.
 */
export async function readClientMarks(db: Db, clientIds: string[]): Promise<Map<string, string>> {
  const rows = await db<{ id: string; mark: string }>`
    select w.id::text, concat_ws(' ', newest.id, p.last, open.count, open.sum, a.version, links.ids)
      as mark
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
    ) open
    -- More than the newest: one that was created before it may be committed later.
    cross join lateral (
      select string_agg(left(id::text, 8), '') as ids from (
        select id from links where client_id = w.id and created_at is not null
        order by created_at desc, id desc limit ${linksMax}
      ) l
    ) links`
  return new Map(rows.map(({ id, mark }) => [id, mark]))
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
  'linkId',
  'originalId',
  'status',
  'createdAt',
] as const satisfies (keyof Transaction)[]

/** What a list shows of a transaction. */
export type ListedTransaction = Pick<Transaction, (typeof listedFields)[number]>

const listedColumns = columns(listedFields.map(columnNameOf))

/** The newest transactions of a client, newest first. */
export function readNewest(db: Db, clientId: number, limit: number): Promise<ListedTransaction[]> {
  return db<ListedTransaction>`
    select ${listedColumns} from transactions
    where client_id = ${clientId} order by id desc limit ${limit}`
}

/**
 * What differs whenever a transaction, its refunds or the deliveries of its event have changed, by
 * the keys `17 ID`.
 */
export async function readTransactionMarks(db: Db, keys: string[]): Promise<Map<string, string>> {
  const rows = await db<{ key: string; mark: string }>`
    select w.key, concat_ws('.', t.version, (
      select sum(version) from transactions r
      where r.client_id = t.client_id and r.original_id = t.id
    ), (
      select concat(count(*), '.', sum(d.tries)) from events e
      join deliveries d on d.client_id = e.client_id and d.event_id = e.id
      where e.client_id = t.client_id and e.record_id = coalesce(t.link_id, t.id)
    )) as mark
    from unnest(${keys}::text[]) as w (key)
    join transactions t on (t.client_id, t.id)
      = (split_part(w.key, ' ', 1)::integer, split_part(w.key, ' ', 2)::uuid)`
  return new Map(rows.map(({ key, mark }) => [key, mark]))
}
