import type { Db } from '#data/db/db.ts'
import type { IdRange, TransactionFilter } from './list-store.ts'
import { transactionColumns } from './store.ts'
import type { Transaction } from './transaction.ts'

/** Every client that there is. */
export async function readClientIds(db: Db): Promise<number[]> {
  const rows = await db<{ id: number }>`select id from clients order by id`
  return rows.map(({ id }) => id)
}

/** The rows of all clients in a range that pass a filter, and how far down they were looked for. */
export interface Window {
  found: Transaction[]
  examined: number
  /** Of a client with more rows than were looked at: the last of those. Null: there is none. */
  floor: string | null
}

interface Summed {
  examined: number
  floor: string | null
  found: string[] | null
}

/**
 * Looks at the transactions of each client in a range, newest first along the primary key, at
 * `perClient` of each at most. Returns those that pass the filter, newest first.
 */
export async function readWindow(
  db: Db,
  clientIds: number[],
  { first, below }: IdRange,
  filter: TransactionFilter,
  { limit, perClient }: { limit: number; perClient: number },
): Promise<Window> {
  const { statuses, operation, serviceCode, provider = null, externalIdPrefix } = filter
  const { amountMin = null, amountMax = null } = filter
  const [summed] = await db<Summed>`
    with looked as materialized (
      select t.* from unnest(${clientIds}::integer[]) as c
      cross join lateral (
        select client_id, id, row_number() over (order by id desc) as place,
          status = any(coalesce(${statuses}::text[], array[status]))
          and amount between coalesce(${amountMin}::bigint, amount)
            and coalesce(${amountMax}::bigint, amount)
          and operation = coalesce(${operation}, operation)
          and service_code = coalesce(${serviceCode}, service_code)
          and (${provider}::text is null or split_part(service_code, '_', 1) = ${provider})
          and (${externalIdPrefix}::text is null or starts_with(external_id, ${externalIdPrefix}))
          as is_wanted
        from transactions
        where client_id = c and id >= ${first} and id < ${below}
        order by id desc
        limit ${perClient}
      ) t
    )
    select count(*) as examined,
      max(id::text) filter (where place = ${perClient}) as floor,
      (array_agg(concat(client_id, ' ', id) order by id desc) filter (where is_wanted))
        [:${limit}] as found
    from looked`
  const { examined = 0, floor = null, found } = summed ?? {}
  return { examined, floor, found: await readKeys(db, found ?? []) }
}

/** Transactions by client and id, newest first. */
function readKeys(db: Db, keys: string[]): Promise<Transaction[]> {
  const clientIds = keys.map((key) => Number(key.split(' ')[0]))
  const ids = keys.map((key) => key.split(' ')[1])
  return db<Transaction>`
    select t.* from unnest(${clientIds}::integer[], ${ids}::uuid[]) as w (client_id, id)
    cross join lateral (
      select ${transactionColumns} from transactions
      where client_id = w.client_id and id = w.id
      limit 1
    ) t
    order by t.id desc`
}

/** The open transactions of all clients in a range that pass a filter, by their index. */
export function listOpen(
  db: Db,
  clientIds: number[],
  { first, below }: IdRange,
  filter: TransactionFilter,
  limit: number,
): Promise<Transaction[]> {
  const { statuses, operation, serviceCode, provider = null, externalIdPrefix } = filter
  const { amountMin = null, amountMax = null } = filter
  return db<Transaction>`
    select t.* from unnest(${clientIds}::integer[]) as c
    cross join lateral (
      select ${transactionColumns} from transactions
      where client_id = c and completed_at is null and id >= ${first} and id < ${below}
        and status = any(coalesce(${statuses}::text[], array[status]))
        and amount between coalesce(${amountMin}::bigint, amount)
          and coalesce(${amountMax}::bigint, amount)
        and operation = coalesce(${operation}, operation)
        and service_code = coalesce(${serviceCode}, service_code)
        and (${provider}::text is null or split_part(service_code, '_', 1) = ${provider})
        and (${externalIdPrefix}::text is null or starts_with(external_id, ${externalIdPrefix}))
      order by id desc
      limit ${limit}
    ) t
    order by t.id desc
    limit ${limit}`
}
