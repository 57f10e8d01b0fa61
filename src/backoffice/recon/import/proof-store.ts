import type { Db, Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'
import { lineColumns } from './line-store.ts'
import type { LineKey, Party, StoredLine } from './statement.ts'

/** The next lines of a provider's statements whose evidence is not recorded yet. */
export function readProving(
  db: Db,
  { provider, country }: Party,
  after: LineKey,
  limit: number,
): Promise<StoredLine[]> {
  return db<StoredLine>`
    select ${lineColumns} from statement_lines
    where proves and statement_id in (
        select id from statements where (provider, country) = (${provider}, ${country}))
      and (statement_id, line) > (${after.statementId}::uuid, ${after.line}::integer)
    order by statement_id, line
    limit ${limit}`
}

/**
 * What the lines would record that prove something, by client. Of a payment that a line ends all is
 * at stake, whatever amount the line has.
 */
export async function sumProving(
  db: Db,
  { provider, country }: Party,
): Promise<{ clientId: number; lines: number; amount: number }[]> {
  return db`
    select l.client_id as "clientId", count(*)::integer as lines,
      sum(greatest(l.amount, t.amount))::bigint as amount
    from statement_lines l
    join transactions t on (t.client_id, t.id) = (l.client_id, l.transaction_id)
    where l.proves and l.statement_id in (
      select id from statements where (provider, country) = (${provider}, ${country}))
    group by l.client_id
    order by l.client_id`
}

/** Lets the lines that prove something wait for a proposal. */
export async function holdProving(
  tx: Tx,
  { provider, country }: Party,
  approvalId: string,
): Promise<void> {
  await tx`
    insert into held_lines (statement_id, line, approval_id)
    select statement_id, line, ${approvalId} from statement_lines
    where proves and statement_id in (
      select id from statements where (provider, country) = (${provider}, ${country}))
    on conflict do nothing`
}

/** How many lines of a statement are fees or transfers, and what they move. */
export async function sumOwn(run: Db | Tx, id: string): Promise<{ lines: number; amount: number }> {
  const [sums] = await run<{ lines: number; amount: number }>`
    select count(*)::integer as lines, coalesce(sum(amount), 0)::bigint as amount
    from statement_lines
    where statement_id = ${id} and kind in ('fee', 'transfer')
      and (fees_booked, transfers_booked) <> (0, 0)`
  return sums ?? { lines: 0, amount: 0 }
}

/** Lets these lines wait for a proposal. */
export async function holdOwn(tx: Tx, id: string, approvalId: string): Promise<void> {
  await tx`
    insert into held_lines (statement_id, line, approval_id)
    select statement_id, line, ${approvalId} from statement_lines
    where statement_id = ${id} and kind in ('fee', 'transfer')
      and (fees_booked, transfers_booked) <> (0, 0)
    on conflict do nothing`
}

/** The next lines that wait for a proposal. */
export function readHeld(
  db: Db,
  approvalId: string,
  { after, limit }: { after: number; limit: number },
): Promise<StoredLine[]> {
  return db<StoredLine>`
    select ${lineColumns} from statement_lines
    where (statement_id, line) in (
      select statement_id, line from held_lines
      where approval_id = ${approvalId} and line > ${after}
      order by line limit ${limit})
    order by line`
}

/** Ends that lines wait. */
export async function releaseLines(tx: Tx, lines: LineKey[]): Promise<void> {
  await tx`
    delete from held_lines h using ${lineKeys(lines)} as w
    where (h.statement_id, h.line) = (w."statementId", w.line)`
}

/** Ends that lines wait for a proposal that was refused, or was never decided. */
export async function letGo(tx: Tx, approvalId: string): Promise<void> {
  await tx`delete from held_lines where approval_id = ${approvalId}`
}

/** An approved proposal whose lines still wait. */
export interface Approved {
  approvalId: string
  statementId: string
  /** Of lines that are fees or transfers. */
  isOwn: boolean
  amount: number
}

export function readApproved(db: Db): Promise<Approved[]> {
  return db<Approved>`
    select a.id as "approvalId", s.id as "statementId", a.content ? 'isOwn' as "isOwn", a.amount
    from approvals a
    join statements s on s.id = (a.content ->> 'id')::uuid and s.state = 'read'
    where a.state = 'approved' and a.id in (select approval_id from held_lines)`
}

const lineKeys = rowsOf({ statementId: 'uuid', line: 'integer' })

/** Lets lines wait until what they prove is recorded. */
export async function markProving(tx: Tx, lines: LineKey[]): Promise<void> {
  await tx`
    update statement_lines l set proves = true from ${lineKeys(lines)} as w
    where (l.statement_id, l.line) = (w."statementId", w.line)`
}
