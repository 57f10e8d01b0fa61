import type { Db, Tx } from '../../db/db.ts'
import { columns } from '../../db/db.ts'
import { rowsOf } from '../../db/rows.ts'
import type { StatementLine } from '../../statements/statement.ts'
import type { Bucket, Statement, StoredLine } from './statement.ts'

const lineColumns = columns([
  'statement_id',
  'line',
  'identity',
  'at',
  'reference',
  'our_reference',
  'kind',
  'phone',
  'amount',
  'sign',
  'fee',
  'result',
  'balance',
  'bucket',
  'client_id',
  'transaction_id',
  'attempt_id',
  'booked',
  'booked_at',
])

const newLines = rowsOf({
  line: 'integer',
  identity: 'text',
  at: 'timestamptz',
  reference: 'text',
  ourReference: 'text',
  kind: 'text',
  phone: 'text',
  amount: 'bigint',
  sign: 'smallint',
  fee: 'bigint',
  status: 'text',
  balance: 'bigint',
})

export async function insertLines(
  run: Db | Tx,
  statementId: string,
  lines: (StatementLine & { identity: string })[],
): Promise<void> {
  await run`
    insert into statement_lines (statement_id, line, identity, at, reference, our_reference, kind,
      phone, amount, sign, fee, result, balance)
    select ${statementId}, line, identity, at, reference, "ourReference", kind, phone, amount,
      sign, fee, status, balance
    from ${newLines(lines)} as l`
}

/** Which lines of a statement are wanted; absent: any. */
export interface LineRange {
  /** Only lines after this one. */
  after?: number
  limit: number
  bucket?: Bucket | undefined
  kind?: StoredLine['kind'] | undefined
  /** Either reference, or a number. */
  text?: string | undefined
  /** What stands for that number once it is forgotten. */
  pseudonym?: string | undefined
}

/** Lines of a statement in the order of the file. */
export function readLines(db: Db, statementId: string, range: LineRange): Promise<StoredLine[]> {
  const { after = 0, limit, bucket = null, kind = null, text = null, pseudonym = null } = range
  return db<StoredLine>`
    select ${lineColumns} from statement_lines
    where statement_id = ${statementId} and line > ${after}
      and (${bucket}::text is null or bucket = ${bucket})
      and (${kind}::text is null or kind = ${kind})
      and (${text}::text is null or ${text} in (reference, our_reference, phone)
        or phone = ${pseudonym})
    order by line
    limit ${limit}`
}

export async function findLine(
  run: Db | Tx,
  statementId: string,
  line: number,
): Promise<StoredLine | undefined> {
  const [found] = await run<StoredLine>`
    select ${lineColumns} from statement_lines
    where statement_id = ${statementId} and line = ${line}`
  return found
}

/** The next lines of a statement that are not compared yet. */
export function readUncompared(
  db: Db,
  statementId: string,
  { after, limit }: { after: number; limit: number },
): Promise<StoredLine[]> {
  return db<StoredLine>`
    select ${lineColumns} from statement_lines
    where statement_id = ${statementId} and line > ${after} and bucket is null and not proves
    order by line
    limit ${limit}`
}

/** The next lines of a statement whose evidence is not recorded yet. */
export function readProving(
  db: Db,
  statementId: string,
  { after, limit }: { after: number; limit: number },
): Promise<StoredLine[]> {
  return db<StoredLine>`
    select ${lineColumns} from statement_lines
    where statement_id = ${statementId} and proves and line > ${after}
    order by line
    limit ${limit}`
}

/**
 * What the lines would record that prove something, by client. Of a payment that a line ends all is
 * at stake, whatever amount the line has.
 */
export async function sumProving(
  db: Db,
  statementId: string,
): Promise<{ clientId: number; lines: number; amount: number }[]> {
  return db`
    select l.client_id as "clientId", count(*)::integer as lines,
      sum(greatest(l.amount, t.amount))::bigint as amount
    from statement_lines l
    join transactions t on (t.client_id, t.id) = (l.client_id, l.transaction_id)
    where l.statement_id = ${statementId} and l.proves
    group by l.client_id
    order by l.client_id`
}

/** Lets the lines that prove something wait for a proposal. */
export async function holdProving(tx: Tx, statementId: string, approvalId: string): Promise<void> {
  await tx`
    insert into held_lines (statement_id, line, approval_id)
    select statement_id, line, ${approvalId} from statement_lines
    where statement_id = ${statementId} and proves`
}

/** The next lines that wait for a proposal, of one statement. */
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
export async function releaseLines(tx: Tx, lines: StoredLine[]): Promise<void> {
  await tx`
    delete from held_lines h using ${heldRows(lines)} as w
    where (h.statement_id, h.line) = (w."statementId", w.line)`
}

/** Proposals that lines wait for and that are decided; lines of the others are let go. */
export async function takeDecided(db: Db): Promise<{ approvalId: string; statementId: string }[]> {
  await db`
    delete from held_lines h using approvals a
    where a.id = h.approval_id and a.state in ('refused', 'expired')`
  return db`
    select distinct h.approval_id as "approvalId", h.statement_id as "statementId"
    from held_lines h
    join approvals a on a.id = h.approval_id and a.state = 'approved'
    join statements s on s.id = h.statement_id and s.state = 'read'`
}

const heldRows = rowsOf({ statementId: 'uuid', line: 'integer' })

/** What comparing has made of a line. */
export interface ComparedLine {
  line: number
  bucket: Bucket | null
  clientId: number | null
  transactionId: string | null
  attemptId: string | null
  proves: boolean
  booked: number | null
  bookedAt: Date | null
}

const comparedLines = rowsOf({
  line: 'integer',
  bucket: 'text',
  clientId: 'integer',
  transactionId: 'uuid',
  attemptId: 'uuid',
  proves: 'boolean',
  booked: 'bigint',
  bookedAt: 'timestamptz',
})

export async function updateLines(
  tx: Tx,
  statementId: string,
  lines: ComparedLine[],
): Promise<void> {
  await tx`
    update statement_lines l
    set bucket = c.bucket, client_id = c."clientId", transaction_id = c."transactionId",
      attempt_id = c."attemptId", proves = c.proves, booked = c.booked, booked_at = c."bookedAt"
    from ${comparedLines(lines)} as c
    where l.statement_id = ${statementId} and l.line = c.line`
}

const identities = rowsOf({
  line: 'integer',
  identity: 'text',
  forgotten: 'text',
  kind: 'text',
})

/** A line that was there before: in the same file, or in another one of the provider. */
export interface EarlierLine extends StoredLine {
  /** The line that repeats it. */
  repeatedBy: number
}

/**
 * For each of these lines, the latest one before it that is known by the same, its number
 * forgotten or not.
 */
export function findEarlier(
  db: Db,
  { id, provider, country }: { id: string; provider: string; country: string },
  lines: (Pick<StoredLine, 'line' | 'identity' | 'kind'> & { forgotten: string })[],
): Promise<EarlierLine[]> {
  return db<EarlierLine>`
    select w.line as "repeatedBy", e.*
    from ${identities(lines)} as w
    cross join lateral (
      select ${lineColumns}
      from statement_lines
      where identity in (w.identity, w.forgotten) and kind = w.kind
        and (statement_id = ${id} and line < w.line or statement_id <> ${id} and exists (
          select from statements s
          where s.id = statement_id and (s.provider, s.country) = (${provider}, ${country})
            and s.state = 'read'))
      order by statement_id = ${id} desc, statement_id desc, line desc
      limit 1
    ) e`
}

const transactionIds = rowsOf({ clientId: 'integer', id: 'uuid' })

/** Lines that were found to be about these transactions. */
export function findLinesOf(
  run: Db | Tx,
  ids: { clientId: number; id: string }[],
): Promise<StoredLine[]> {
  return run<StoredLine>`
    select l.*
    from ${transactionIds(ids)} as w
    cross join lateral (
      select ${lineColumns} from statement_lines
      where client_id = w."clientId" and transaction_id = w.id and bucket is distinct from 'known'
      order by statement_id, line
    ) l`
}

/**
 * How far the lines of a statement are from our own times of the same successes, at most: how far
 * outside of the time between order and booking (other clocks, rounded times, late lines), and how
 * long before the booking. Lines further outside than the limit do not count.
 */
export async function readDistances(
  db: Db,
  { id }: Pick<Statement, 'id'>,
  limitMs: number,
): Promise<{ outsideMs: number; beforeMs: number } | undefined> {
  const [found] = await db<{ outsideMs: number | null; beforeMs: number | null }>`
    select max("outsideMs")::integer as "outsideMs", max("beforeMs")::integer as "beforeMs"
    from (
      select
        ceil(1000 * extract(epoch from
          greatest(l.at - l.booked_at, t.created_at - l.at, interval '0'))) as "outsideMs",
        ceil(1000 * extract(epoch from
          least(greatest(l.booked_at - l.at, interval '0'), interval '20 days'))) as "beforeMs"
      from statement_lines l
      join transactions t on t.client_id = l.client_id and t.id = l.transaction_id
      where l.statement_id = ${id} and l.result = 'succeeded' and l.booked_at is not null
    ) d
    where "outsideMs" <= ${limitMs}`
  const { outsideMs = null, beforeMs = null } = found ?? {}
  return outsideMs === null || beforeMs === null ? undefined : { outsideMs, beforeMs }
}
