import type { Db, Tx } from '#data/db/db.ts'
import { edgeMs } from '../cases/judge.ts'
import { lineColumns } from './line-store.ts'
import type { LineKey, Statement, StoredLine } from './statement.ts'

/** What was done on the word of a statement, and what waits. */
export interface Done {
  /** Payments that its lines have ended or put in suspense, and that no other file tells so. */
  payments: number
  /** Differences that people have ended, sent back or corrected by it. */
  mended: number
  /** Proposals about its differences or its lines. */
  waiting: number
}

export async function readDone(tx: Tx, id: string): Promise<Done> {
  const [done] = await tx<Done>`
    select
      (select count(distinct (l.client_id, l.transaction_id)) from statement_lines l
        join evidence e on (e.client_id, e.transaction_id) = (l.client_id, l.transaction_id)
          and e.source = 'statement'
          and e.dedupe_key = concat('statement ', l.kind, ' ', l.result, ' ', l.identity)
        where l.statement_id = ${id}
          and (exists (
              select from transactions t
              where (t.client_id, t.id) = (e.client_id, e.transaction_id)
                and t.completed_at = e.at)
            or exists (
              select from ledger_postings p
              where p.client_id = e.client_id and p.kind = 'suspend' and p.created_at = e.at
                and p.ref >= e.attempt_id::text and p.ref < e.attempt_id::text || '0'))
          and not exists (
            select from statement_lines o
            where o.client_id = l.client_id and o.transaction_id = l.transaction_id
              and o.statement_id <> l.statement_id and o.bucket is not null
              and (o.kind, o.result, o.identity) = (l.kind, l.result, l.identity))) as payments,
      (select count(*) from recon_cases c
        where c.statement_id = ${id}
          and (c.closing in ('resolved', 'sent_back', 'adjusted')
            or c.state = 'open' and c.decided is not null)
          and not exists (
            select from statement_lines l
            join statement_lines o on (o.kind, o.identity) = (l.kind, l.identity)
              and o.statement_id <> l.statement_id and o.bucket is not null
            join statements s on s.id = o.statement_id
              and (s.provider, s.country) = (c.provider, c.country)
            where (l.statement_id, l.line) = (c.statement_id, c.line))) as mended,
      (select count(*) from recon_cases where statement_id = ${id} and state = 'waiting')
        + (select count(distinct approval_id) from held_lines where statement_id = ${id})
        as waiting`
  if (done === undefined) throw new Error(`no statement ${id}`)
  return done
}

export async function writeWithdrawing(tx: Tx, id: string): Promise<void> {
  await tx`
    update statements set state = 'withdrawing', share = 0, version = version + 1 where id = ${id}`
}

/** The first lines that a statement still has. */
export function readFirstLines(db: Db, id: string, limit: number): Promise<StoredLine[]> {
  return db<StoredLine>`
    select ${lineColumns} from statement_lines where statement_id = ${id} order by line
    limit ${limit}`
}

/** Lets lines of other statements be judged anew, and these statements come to their end again. */
export async function judgeAnew(tx: Tx, lines: LineKey[]): Promise<void> {
  const ids = lines.map(({ statementId }) => statementId)
  await tx`
    update statement_lines l
    set bucket = null, booked = null, booked_at = null, proves = false
    from unnest(${ids}::uuid[], ${lines.map(({ line }) => line)}::integer[]) as w (id, line)
    where (l.statement_id, l.line) = (w.id, w.line)`
  await tx`
    update statements set state = 'matching', share = 400, version = version + 1
    where id = any(${ids}::uuid[]) and state = 'read'`
}

export async function deleteLines(tx: Tx, id: string, to: number): Promise<void> {
  await tx`delete from statement_lines where statement_id = ${id} and line <= ${to}`
}

/** Lets the statements of the same time look again for what no line tells of. */
export async function lookAnew(tx: Tx, one: Statement): Promise<void> {
  await tx`
    update statements set state = 'matching', share = 400, version = version + 1
    where (provider, country) = (${one.provider}, ${one.country}) and state = 'read'
      and from_at < ${one.toAt}::timestamptz + ${2 * edgeMs} * interval '1 ms'
      and to_at > ${one.fromAt}::timestamptz - ${2 * edgeMs} * interval '1 ms'`
}
