import { reason } from '#base/kit/refusal.ts'
import { json, type Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'

const sentRows = rowsOf({ id: 'uuid', phone: 'text' })

/**
 * Writes other texts in place of the numbers of the lines that transactions were made of, and
 * removes the names of people.
 */
export async function replaceSentNumbers(
  tx: Tx,
  clientId: number,
  transactions: { id: string; phone: string }[],
): Promise<void> {
  await tx`
    update batch_lines l set phone = n.phone, name = ''
    from ${sentRows(transactions)} as n
    where l.client_id = ${clientId} and l.transaction_id = n.id`
}

/** Locks batches of a client, and tells whether each has ended before a time. */
export function readEnded(
  tx: Tx,
  clientId: number,
  { ids, before }: { ids: string[]; before: Date },
): Promise<{ id: string; isEnded: boolean }[]> {
  return tx<{ id: string; isEnded: boolean }>`
    select id, coalesce(completed_at < ${before}, false) as "isEnded" from batches
    where client_id = ${clientId} and id = any(${ids}::uuid[])
    order by id
    for update`
}

/** The ids of a client's batches after one and before another, in the order of time. */
export async function readBatchIds(
  tx: Tx,
  clientId: number,
  range: { after: string; below: string; limit: number },
): Promise<string[]> {
  const rows = await tx<{ id: string }>`
    select id from batches
    where client_id = ${clientId} and id > ${range.after} and id < ${range.below}
    order by id
    limit ${range.limit}`
  return rows.map(({ id }) => id)
}

interface UnsentLine {
  line: number
  phone: string | null
}

/** The lines of a batch that were never sent: faulty, refused, or not reached. */
export function readUnsent(tx: Tx, clientId: number, batchId: string): Promise<UnsentLine[]> {
  return tx<UnsentLine>`
    select line, phone from batch_lines
    where client_id = ${clientId} and batch_id = ${batchId} and transaction_id is null`
}

const unsentRows = rowsOf({ line: 'integer', phone: 'text' })

// What was wrong with a line repeats what the file had there.
const forgotten = [reason('The content of this line has been erased')]

/** The same as `replaceSentNumbers`; what the file had in such a line goes too. */
export async function replaceUnsentNumbers(
  tx: Tx,
  { clientId, batchId }: { clientId: number; batchId: string },
  lines: UnsentLine[],
): Promise<void> {
  await tx`
    update batch_lines l
    set phone = n.phone, name = '', given = null,
      errors = case when l.errors = '[]' then l.errors else ${json(forgotten)}::jsonb end
    from ${unsentRows(lines)} as n
    where l.client_id = ${clientId} and l.batch_id = ${batchId} and l.line = n.line`
}
