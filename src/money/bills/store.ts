import type { Db, Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'

export interface BillClaim {
  serviceCode: string
  /** The customer number, without leading zeros. */
  account: string
  billReference: string
  clientId: number
  transactionId: string
}

const ownerRows = rowsOf({ clientId: 'integer', transactionId: 'uuid' })
const claimRows = rowsOf({
  serviceCode: 'text',
  account: 'text',
  billReference: 'text',
  clientId: 'integer',
  transactionId: 'uuid',
})

/**
 * Claims bills for the transactions that will pay them; returns the transactions that have theirs,
 * claimed now or by an earlier run whose commit seemed lost. In the order of the bills, so that two
 * groups that claim the same ones do not deadlock.
 */
export async function claimBills(tx: Tx, claims: BillClaim[]): Promise<Set<string>> {
  const rows = await tx<{ transactionId: string }>`
    insert into bill_claims (
      service_code, account, bill_reference, client_id, transaction_id)
    select "serviceCode", account, "billReference", "clientId", "transactionId"
    from ${claimRows(claims)} as c
    order by "serviceCode", account, "billReference", "transactionId"
    on conflict (service_code, account, bill_reference) do nothing
    returning transaction_id as "transactionId"`
  const claimed = new Set(rows.map(({ transactionId }) => transactionId))
  if (claimed.size < claims.length)
    for (const { transactionId } of await findOwn(tx, claims)) claimed.add(transactionId)
  return claimed
}

function findOwn(tx: Tx, claims: Owner[]): Promise<{ transactionId: string }[]> {
  return tx<{ transactionId: string }>`
    select b.transaction_id as "transactionId"
    from ${ownerRows(claims)} as c
    join bill_claims b on (b.client_id, b.transaction_id) = (c."clientId", c."transactionId")`
}

/** Whether a bill is claimed: it is being paid, or was. */
export async function hasClaim(
  db: Db,
  { serviceCode, account, billReference }: Omit<BillClaim, 'clientId' | 'transactionId'>,
): Promise<boolean> {
  const rows = await db`
    select from bill_claims
    where (service_code, account, bill_reference)
      = (${serviceCode}::text, ${account}::text, ${billReference}::text)`
  return rows.length > 0
}

type Owner = Pick<BillClaim, 'clientId' | 'transactionId'>

/** Deletes the claims of transactions that will not pay their bills. */
export async function releaseBills(tx: Tx, owners: Owner[]): Promise<void> {
  await tx`
    delete from bill_claims b
    using ${ownerRows(owners)} as o
    where (b.client_id, b.transaction_id) = (o."clientId", o."transactionId")`
}
