import type { Db } from '#data/db/db.ts'
import type { Transaction } from '#money/transactions/transaction.ts'

/** What ended of a client's transactions in one service, refunds apart. */
export interface Traffic {
  clientId: number
  operation: Transaction['operation']
  serviceCode: string
  ended: number
  succeeded: number
  /** The sum of those that succeeded. */
  amount: number
}

/** The traffic of clients in the hours since a time, by service, largest first. */
export function readTraffic(db: Db, clientIds: number[], since: Date): Promise<Traffic[]> {
  return db<Traffic>`
    select client_id as "clientId", operation, service_code as "serviceCode",
      sum(count)::bigint as ended,
      coalesce(sum(count) filter (where status = 'SUCCESS'), 0)::bigint as succeeded,
      coalesce(sum(amount) filter (where status = 'SUCCESS'), 0)::bigint as amount
    from transaction_hours
    where client_id = any(${clientIds}::integer[]) and hour >= ${since}
    group by 1, 2, 3
    order by 1, 4 desc, 3, 2`
}
