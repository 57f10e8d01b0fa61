import type { Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'

interface CustomerRow {
  id: string
  customerPhone: string | null
}

/** The numbers of the customers that links were made for, locked. */
export function lockCustomers(tx: Tx, clientId: number, ids: string[]): Promise<CustomerRow[]> {
  return tx<CustomerRow>`
    select id, customer_phone as "customerPhone" from links
    where client_id = ${clientId} and id = any(${ids}::uuid[])
    order by id
    for update`
}

const customerRows = rowsOf({ id: 'uuid', customerPhone: 'text' })

/** Writes other texts in place of customers' numbers, and removes their names and addresses. */
export async function replaceCustomers(
  tx: Tx,
  clientId: number,
  rows: CustomerRow[],
): Promise<void> {
  await tx`
    update links l
    set customer_phone = n."customerPhone", customer_name = null, customer_email = null
    from ${customerRows(rows)} as n
    where l.client_id = ${clientId} and l.id = n.id`
}
