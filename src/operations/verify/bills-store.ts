import type { Db } from '#data/db/db.ts'
import { longRead } from '#data/db/long-read.ts'
import type { Break } from './break.ts'

/**
 * Claims and bill payments that do not match: each payment that has not failed holds the claim on
 * its bill, so that no bill is paid twice.
 */
export async function findBillBreaks(db: Db): Promise<Break[]> {
  const rows = await longRead(
    db,
    (tx) => tx<{ clientId: number; where: string; what: string }>`
    select coalesce(t.client_id, b.client_id) as "clientId",
      coalesce('transaction ' || t.id, 'bill ' || b.bill_reference) as where,
      case
        when t.id is null then 'is claimed by a payment that does not exist'
        when b.bill_reference is null then format('is %s and has no claim on its bill', t.status)
        when t.status = 'FAILED' then 'is FAILED and still claims its bill'
        else 'claims another bill than it pays'
      end as what
    from (select * from transactions where bill_reference is not null) t
    full join bill_claims b on (b.client_id, b.transaction_id) = (t.client_id, t.id)
    where t.id is null or (t.status = 'FAILED') <> (b.bill_reference is null)
      or (b.service_code, b.bill_reference) <> (t.service_code, t.bill_reference)
    limit 100`,
  )
  return rows.map((row) => ({ promise: 'bill', ...row }))
}
