import type { Db, Tx } from '#data/db/db.ts'
import { rowsOf } from '#data/db/rows.ts'
import { ownClientId } from '#money/ledger/own.ts'
import type { TransactionStatus } from '#money/transactions/transaction.ts'

/** The attempt that a line was found to be about. */
export interface Found {
  clientId: number
  transactionId: string
  attemptId: string
}

const namedRows = rowsOf({ line: 'integer', clientId: 'integer', id: 'uuid' })

/** By a client and the id of one of its attempts or transactions. */
export function findNamed(
  db: Db,
  named: { line: number; clientId: number; id: string }[],
): Promise<(Found & { line: number })[]> {
  return db<Found & { line: number }>`
    select w.line, w."clientId", f.transaction_id as "transactionId", f.attempt_id as "attemptId"
    from ${namedRows(named)} as w
    cross join lateral (
      (select transaction_id, id as attempt_id from attempts
      where client_id = w."clientId" and id = w.id limit 1)
      union all
      (select id, attempt_id from transactions
      where client_id = w."clientId" and id = w.id limit 1)
    ) f`
}

const rangeRows = rowsOf({ first: 'uuid', last: 'uuid' })

/**
 * By ids whose clients are not known. Ids begin with the time, and so do the keys: what each client
 * has in a few short ranges is read, however many clients and ids there are.
 */
export function findUnowned(
  db: Db,
  ids: string[],
  ranges: { first: string; last: string }[],
): Promise<(Found & { named: string })[]> {
  return db<Found & { named: string }>`
    select f.client_id as "clientId", f.transaction_id as "transactionId",
      f.attempt_id as "attemptId", f.named
    from clients c
    cross join ${rangeRows(ranges)} as r
    cross join lateral (
      select client_id, transaction_id, id as attempt_id, id as named from attempts
      where client_id = c.id and id between r.first and r.last
      union all
      select client_id, id, attempt_id, id from transactions
      where client_id = c.id and id between r.first and r.last
      -- Keeps the planner from looking for every id in every range.
      offset 0
    ) f
    where f.named = any(${ids}::uuid[])`
}

const referenceRows = rowsOf({ line: 'integer', reference: 'text', period: 'text' })

/** By the provider's reference, in the periods given. */
export function findByReference(
  db: Db,
  wanted: { line: number; reference: string; period: string }[],
  services: string[],
): Promise<(Found & { line: number })[]> {
  return db<Found & { line: number }>`
    select w.line, t.client_id as "clientId", t.id as "transactionId",
      t.attempt_id as "attemptId"
    from ${referenceRows(wanted)} as w
    cross join clients c
    cross join lateral (
      select client_id, id, attempt_id from transactions
      where client_id = c.id and left(id::text, 5) = w.period and reference = w.reference
        and service_code = any(${services}::text[])
      limit 2
    ) t`
}

/** What we know of the transaction of a line. */
export interface Ours {
  clientId: number
  id: string
  operation: 'CASHOUT' | 'CASHIN' | 'AIRTIME' | 'BILL' | 'REFUND'
  serviceCode: string
  status: TransactionStatus
  amount: number
  reference: string | null
  phone: string
  attemptId: string
  createdAt: Date
  completedAt: Date | null
}

const idRows = rowsOf({ clientId: 'integer', id: 'uuid' })

/** Transactions of a provider's services. */
export function readOurs(
  run: Db | Tx,
  ids: { clientId: number; id: string }[],
  services: string[],
): Promise<Ours[]> {
  return run<Ours>`
    select t.*
    from ${idRows(ids)} as w
    cross join lateral (
      select client_id as "clientId", id, operation, service_code as "serviceCode", status,
        amount, reference, phone,
        attempt_id as "attemptId", created_at as "createdAt", completed_at as "completedAt"
      from transactions
      where client_id = w."clientId" and id = w.id and service_code = any(${services}::text[])
      limit 1
    ) t`
}

/** Money of attempts that is or was in suspense: what the ledger has of it at the provider. */
export interface Suspended {
  clientId: number
  attemptId: string
  /** Of the posting: the attempt, or the attempt and the provider's reference. */
  ref: string
  /** Above zero: the provider holds more. */
  booked: number
  bookedAt: Date
}

export function readSuspended(
  run: Db | Tx,
  attempts: { clientId: number; id: string }[],
  account: string,
): Promise<Suspended[]> {
  return run<Suspended>`
    select w."clientId", w.id as "attemptId", p.ref, -e.amount as booked,
      p.created_at as "bookedAt"
    from ${idRows(attempts)} as w
    cross join lateral (
      select client_id, id, ref, created_at from ledger_postings
      where client_id = w."clientId" and kind = 'suspend'
        and ref >= w.id::text and ref < w.id::text || '0'
    ) p
    join lateral (
      select amount from ledger_entries
      where client_id = p.client_id and posting_id = p.id and account = ${account}
      limit 1
    ) e on true`
}

const suspendedRows = rowsOf({ statementId: 'text', line: 'integer' })

/** Money of lines that are none of ours, in the order of its postings. */
export function readSuspendedStrange(
  run: Db | Tx,
  lines: { statementId: string; line: number }[],
  account: string,
): Promise<(Suspended & { statementId: string; line: number })[]> {
  return run`
    select w."statementId", w.line, p.client_id as "clientId", '' as "attemptId",
      concat(w."statementId", '/', w.line, '/') as ref, -e.amount as booked,
      p.created_at as "bookedAt"
    from ${suspendedRows(lines)} as w
    cross join lateral (
      select client_id, id, created_at from ledger_postings
      where client_id = ${ownClientId} and kind = 'suspend'
        and ref >= concat(w."statementId", '/', w.line, '/')
        and ref < concat(w."statementId", '/', w.line, '0')
    ) p
    join ledger_entries e on e.client_id = p.client_id and e.posting_id = p.id
      and e.account = ${account}
    order by p.created_at`
}

/** The time of the next postings in a range, so many or some more; undefined: there are none. */
export async function findBooked(
  db: Db,
  { from, below }: { from: Date; below: Date },
  limit: number,
): Promise<{ from: Date; below: Date } | undefined> {
  const [found] = await db<{ from: Date | null; below: Date }>`
    select min(created_at) as "from", max(created_at) + interval '1 millisecond' as "below"
    from (
      select created_at from ledger_postings
      where created_at >= ${from} and created_at < ${below}
      order by created_at
      limit ${limit}
    ) p`
  return found === undefined || found.from === null ? undefined : { ...found, from: found.from }
}

/** A success that we have booked and no line tells of. */
export interface Unconfirmed {
  clientId: number
  transactionId: string
  amount: number
  booked: number
  bookedAt: Date
  reference: string | null
  phone: string
}

/**
 * Successes that were booked at a provider in a time and that no line stands for, of transactions
 * that began or were booked since the first line there is.
 */
export function findUnconfirmed(
  db: Db,
  account: string,
  { from, below }: { from: Date; below: Date },
  since: { createdFrom: Date; bookedFrom: Date },
): Promise<Unconfirmed[]> {
  return db<Unconfirmed>`
    select t.client_id as "clientId", t.id as "transactionId", t.amount, -e.amount as booked,
      p.created_at as "bookedAt", t.reference, t.phone
    from ledger_postings p
    cross join lateral (
      select amount from ledger_entries
      where client_id = p.client_id and posting_id = p.id and account = ${account}
      limit 1
    ) e
    cross join lateral (
      select client_id, id, amount, reference, phone from transactions
      where client_id = p.client_id and id = p.ref::uuid
        and (created_at >= ${since.createdFrom} or p.created_at >= ${since.bookedFrom})
      limit 1
    ) t
    where p.created_at >= ${from} and p.created_at < ${below}
      and p.kind in ('collect', 'capture')
      and not exists (
        select from statement_lines l
        where l.client_id = t.client_id and l.transaction_id = t.id
          and l.booked_at = p.created_at)`
}
