import type { Tx } from '#data/db/db.ts'
import type { PostingKind } from '#money/ledger/postings.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { feePart, ofEntry } from './hours-store.ts'
import type { VersionRange } from './movements-store.ts'

/** The movements of one kind, added up. */
export interface MovementSum {
  kind: PostingKind
  /** Of the transactions that they belong to; empty: of none. */
  operation: Transaction['operation'] | ''
  count: number
  /** With the fees. */
  amount: number
  /** Below zero: paid. */
  fee: number
}

/**
 * Adds up the movements of whole hours: those that are summed up, and the entries of the range that
 * are not. Both must be of the same snapshot.
 */
export function readSums(
  tx: Tx,
  { clientId, above, upTo }: VersionRange,
  { from, to }: { from: Date; to: Date },
): Promise<MovementSum[]> {
  return tx<MovementSum>`
    select kind, operation, sum(count)::bigint as count, sum(amount)::bigint as amount,
      sum(fee)::bigint as fee
    from (
      select kind, operation, count, amount, fee from account_hours
      where client_id = ${clientId} and hour >= ${from} and hour < ${to}
      union all
      select p.kind, coalesce(t.operation, ''), 1, e.amount, ${feePart}
      from ledger_entries e
      ${ofEntry}
      where e.client_id = ${clientId} and e.account = 'available' and e.version <= ${upTo}
        and e.version > greatest(${above}::bigint, (
          select version from summary_cursors where client_id = ${clientId}))
    ) sums
    group by kind, operation
    order by kind, operation`
}
