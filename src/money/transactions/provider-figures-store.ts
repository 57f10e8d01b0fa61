import { firstIdAt } from '#base/kit/ids.ts'
import { type Db, fragment } from '#data/db/db.ts'
import { causesOutsideProvider } from '#money/providers/contract.ts'

interface OfProvider {
  provider: string
  country: string
}

export interface OpenOrders extends OfProvider {
  open: number
  /** How many of these are due never: they wait for a person. */
  parked: number
  oldestAt: Date
}

const provider = fragment`
  split_part(service_code, '_', 1) as provider, split_part(service_code, '_', 2) as country`

/** The orders of each provider that have not ended, by the two indexes that hold nothing else. */
export function readOpenOrders(db: Db): Promise<OpenOrders[]> {
  return db<OpenOrders>`
    select ${provider}, count(*)::integer as open,
      count(*) filter (where is_parked)::integer as parked, min(created_at) as "oldestAt"
    from (
      select service_code, created_at, false as is_parked from transactions
      where due_at is not null and completed_at is null
      union all
      select service_code, created_at, true from transactions
      where completed_at is null and due_at is null
    ) open
    group by 1, 2
    order by 1, 2`
}

export interface RecentOutcomes extends OfProvider {
  succeeded: number
  /** Failed at the provider. */
  failed: number
  /** Ended without success for a cause outside the provider, such as the payer's balance. */
  failedOutside: number
}

/** How the orders that were made since a time have ended, for each provider. */
export function readRecentOutcomes(db: Db, since: Date): Promise<RecentOutcomes[]> {
  const outside: string[] = [...causesOutsideProvider]
  // Ids begin with the time, and the primary key with the client: past orders are not read.
  return db<RecentOutcomes>`
    select ${provider},
      count(*) filter (where status = 'SUCCESS')::integer as succeeded,
      count(*) filter (where status <> 'SUCCESS'
        and (failure = any(${outside}::text[])) is not true)::integer as failed,
      count(*) filter (where status <> 'SUCCESS'
        and failure = any(${outside}::text[]))::integer as "failedOutside"
    from clients c
    join transactions t on t.client_id = c.id and t.id >= ${firstIdAt(since)}::uuid
    where t.completed_at is not null
    group by 1, 2
    order by 1, 2`
}
