import type { Db } from '#data/db/db.ts'

/** What ended of a client's transactions in one service. */
export interface Traffic {
  clientId: number
  serviceCode: string
  ended: number
  succeeded: number
  /** The sum of those that succeeded. */
  amount: number
}

/** The traffic of clients in the hours since a time, by service, largest first. */
export function readTraffic(db: Db, clientIds: number[], since: Date): Promise<Traffic[]> {
  return db<Traffic>`
    select client_id as "clientId", service_code as "serviceCode", sum(count)::bigint as ended,
      coalesce(sum(count) filter (where status = 'SUCCESS'), 0)::bigint as succeeded,
      coalesce(sum(amount) filter (where status = 'SUCCESS'), 0)::bigint as amount
    from transaction_hours
    where client_id = any(${clientIds}::integer[]) and hour >= ${since}
    group by 1, 2
    order by 1, 3 desc, 2`
}
