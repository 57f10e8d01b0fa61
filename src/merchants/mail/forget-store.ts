import type { Tx } from '#data/db/db.ts'

/** The ids of a client's mails after one and before another, in the order of time. */
export async function readMailIds(
  tx: Tx,
  clientId: number,
  range: { after: string; below: string; limit: number },
): Promise<string[]> {
  const rows = await tx<{ id: string }>`
    select id from mails
    where client_id = ${clientId} and id > ${range.after} and id < ${range.below}
    order by id
    limit ${range.limit}`
  return rows.map(({ id }) => id)
}

/** Deletes mails, whatever became of them; returns how many. */
export async function deleteMails(tx: Tx, clientId: number, ids: string[]): Promise<number> {
  const rows = await tx`
    delete from mails where client_id = ${clientId} and id = any(${ids}::uuid[]) returning 1`
  return rows.length
}
