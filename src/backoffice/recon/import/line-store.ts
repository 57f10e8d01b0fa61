import { columns, type Db, type Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'
import type { StatementLine } from '#formats/statements/statement.ts'
import { unnamedMark } from './identities.ts'
import type { Found } from './match-store.ts'
import type { Bucket, Party, Statement, StoredLine } from './statement.ts'

/** The columns of a line, by their names in the code. */
export const lineColumns = columns([
  'statement_id',
  'line',
  'identity',
  'at',
  'is_day',
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
  'proves',
  'fees_booked',
  'transfers_booked',
])

const newLines = rowsOf({
  line: 'integer',
  identity: 'text',
  at: 'timestamptz',
  isDay: 'boolean',
  reference: 'text',
  ourReference: 'text',
  kind: 'text',
  phone: 'text',
  amount: 'bigint',
  sign: 'smallint',
  fee: 'bigint',
  status: 'text',
  balance: 'bigint',
  clientId: 'integer',
  transactionId: 'uuid',
  attemptId: 'uuid',
})

/** A line as it was read, with the attempt of ours that it is about. */
export type NewLine = StatementLine & { identity: string } & Partial<Found>

export async function insertLines(
  run: Db | Tx,
  statementId: string,
  lines: NewLine[],
): Promise<void> {
  await run`
    insert into statement_lines (statement_id, line, identity, at, is_day, reference, our_reference,
      kind, phone, amount, sign, fee, result, balance, client_id, transaction_id, attempt_id)
    select ${statementId}, line, identity, at, coalesce("isDay", false), reference, "ourReference",
      kind, phone, amount, sign, fee, status, balance, "clientId", "transactionId", "attemptId"
    from ${newLines(lines)} as l`
}

/** Tells lines apart that nothing names and that say the same: by their number in the file. */
export async function numberUnnamed(tx: Tx, statementId: string): Promise<void> {
  await tx`
    update statement_lines l set identity = l.identity || ' ' || n.number
    from (
      select line, row_number() over (partition by identity, kind, result order by fee, line)
        as number
      from statement_lines
      where statement_id = ${statementId} and starts_with(identity, ${unnamedMark})
    ) n
    where l.statement_id = ${statementId} and l.line = n.line and n.number > 1`
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

/** The next lines of a statement that have no verdict yet. */
export function readUncompared(
  db: Db,
  statementId: string,
  { after, limit }: { after: number; limit: number },
): Promise<StoredLine[]> {
  return db<StoredLine>`
    select ${lineColumns} from statement_lines
    where statement_id = ${statementId} and line > ${after} and bucket is null
    order by line
    limit ${limit}`
}

/** What comparing has made of a line. */
export type ComparedLine = Pick<
  StoredLine,
  | 'statementId'
  | 'line'
  | 'bucket'
  | 'clientId'
  | 'transactionId'
  | 'attemptId'
  | 'proves'
  | 'booked'
  | 'bookedAt'
  | 'feesBooked'
  | 'transfersBooked'
>

const comparedLines = rowsOf({
  statementId: 'uuid',
  line: 'integer',
  bucket: 'text',
  clientId: 'integer',
  transactionId: 'uuid',
  attemptId: 'uuid',
  proves: 'boolean',
  booked: 'bigint',
  bookedAt: 'timestamptz',
  feesBooked: 'bigint',
  transfersBooked: 'bigint',
})

export async function updateLines(tx: Tx, lines: ComparedLine[]): Promise<void> {
  await tx`
    update statement_lines l
    set bucket = c.bucket, client_id = c."clientId", transaction_id = c."transactionId",
      attempt_id = c."attemptId", proves = c.proves, booked = c.booked, booked_at = c."bookedAt",
      fees_booked = c."feesBooked", transfers_booked = c."transfersBooked"
    from ${comparedLines(lines)} as c
    where l.statement_id = c."statementId" and l.line = c.line`
}

const namedRows = rowsOf({ identity: 'text', kind: 'text' })
const transactionIds = rowsOf({ clientId: 'integer', id: 'uuid' })

/**
 * Lines of a provider that are known by one of these names, or are about one of these transactions.
 * Each is read once, however many lines ask for it. Those of the statement that `read` has are left
 * out.
 */
export function findRelated(
  run: Db | Tx,
  { id, provider, country }: Party & { id: string },
  wanted: {
    names: Pick<StoredLine, 'identity' | 'kind'>[]
    transactions: { clientId: number; id: string }[]
  },
  { first, last } = { first: 1, last: 0 },
): Promise<StoredLine[]> {
  return run<StoredLine>`
    with related as (
      select e.* from ${namedRows(wanted.names)} as w
      cross join lateral (
        select ${lineColumns} from statement_lines
        where identity = w.identity and kind = w.kind
          and not (statement_id = ${id} and line between ${first} and ${last})
        -- Keeps the planner from reading the whole table for some thousand lines.
        offset 0
      ) e
      union all
      select e.* from ${transactionIds(wanted.transactions)} as w
      cross join lateral (
        select ${lineColumns} from statement_lines
        where client_id = w."clientId" and transaction_id = w.id
          and not (statement_id = ${id} and line between ${first} and ${last})
        offset 0
      ) e
    )
    select r.* from related r
    where exists (
      select from statements s
      where s.id = r."statementId" and (s.provider, s.country) = (${provider}, ${country})
        and s.state <> 'reading')`
}

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
      where client_id = w."clientId" and transaction_id = w.id
        and (proves or bucket <> 'known')
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
        -- A day does not tell in which file the line of a success near midnight is.
        ceil(1000 * extract(epoch from greatest(l.at - l.booked_at, t.created_at - l.until,
          case when l.is_day then ${limitMs} else 0 end * interval '1 ms'))) as "outsideMs",
        ceil(1000 * extract(epoch from
          least(greatest(l.booked_at - l.until, interval '0'), interval '20 days'))) as "beforeMs"
      from (
        select *, case when is_day then at + interval '1 day' else at end as until
        from statement_lines
      ) l
      join transactions t on t.client_id = l.client_id and t.id = l.transaction_id
      where l.statement_id = ${id} and l.result = 'succeeded' and l.booked_at is not null
    ) d
    where "outsideMs" <= ${limitMs}`
  const { outsideMs = null, beforeMs = null } = found ?? {}
  return outsideMs === null || beforeMs === null ? undefined : { outsideMs, beforeMs }
}
