import { type Db, fragment, type Tx } from '#data/db/db.ts'
import { ownClientId } from '#money/ledger/own.ts'
import type { Party, Statement } from '../import/statement.ts'

/** Lets the planner read whole tables, for the rest of the database transaction. */
export async function planFreely(tx: Tx): Promise<void> {
  await tx`
    select set_config('enable_seqscan', 'on', true), set_config('enable_hashjoin', 'on', true)`
}

/** The last sum of the ledger before a time, by the dates of postings. */
export async function findSummed(
  tx: Tx,
  { provider, country }: Party,
  until: Date,
): Promise<{ at: Date; ledger: number } | undefined> {
  const [found] = await tx<{ at: Date; ledger: number }>`
    select to_at as at, ledger from statements
    where (provider, country) = (${provider}, ${country}) and ledger is not null
      and to_at <= ${until}
    order by to_at desc limit 1`
  return found
}

/** How postings of a time changed what a provider holds for us; the ledger has it below zero. */
export async function sumLedger(
  tx: Tx,
  account: string,
  { from, below }: { from: Date | null; below: Date },
): Promise<number> {
  const [row] =
    from === null
      ? await tx<{ amount: number }>`
          select coalesce(-sum(e.amount), 0)::bigint as amount
          from ledger_entries e
          join ledger_postings p on (p.client_id, p.id) = (e.client_id, e.posting_id)
          where e.account = ${account} and p.created_at < ${below}`
      : await tx<{ amount: number }>`
          select coalesce(-sum(e.amount), 0)::bigint as amount
          from ledger_postings p
          cross join lateral (
            select amount from ledger_entries
            where client_id = p.client_id and posting_id = p.id and account = ${account}
          ) e
          where p.created_at >= ${from} and p.created_at < ${below}`
  return row?.amount ?? 0
}

/** Statements up to whose ends the ledger is not summed yet, in the order of these. */
export function readUnsummed(
  db: Db,
  until: Date,
  limit: number,
): Promise<(Party & { id: string; toAt: Date })[]> {
  return db`
    select id, provider, country, to_at as "toAt" from statements
    where ledger is null and state = 'read' and to_at < ${until}
    order by to_at
    limit ${limit}`
}

export async function writeLedger(db: Db, id: string, ledger: number): Promise<void> {
  await db`update statements set ledger = ${ledger} where id = ${id}`
}

const isFar = fragment`(booked_at - at > interval '1 hour' or booked_at - at < interval '-1 hour')`

/**
 * Money that was booked on the other side of a time than the provider moved it: above zero if it
 * was moved before and booked after. Lines whose two times are far apart have an index; others are
 * in the statements of that hour.
 */
export async function sumShifted(tx: Tx, { provider, country }: Party, at: Date): Promise<number> {
  const [row] = await tx<{ amount: number }>`
    with near as (
      select id from statements
      where (provider, country) = (${provider}, ${country}) and state <> 'reading'
        and from_at <= ${at}::timestamptz + interval '1 hour'
        and to_at >= ${at}::timestamptz - interval '1 hour'
    ), shifted as (
      select l.at, l.booked from statement_lines l
      join statements s on s.id = l.statement_id
        and (s.provider, s.country) = (${provider}, ${country}) and s.state <> 'reading'
      where l.bucket <> 'known' and ${isFar}
        and (l.at < ${at} and l.booked_at >= ${at} or l.at >= ${at} and l.booked_at < ${at})
      union all
      select l.at, l.booked from statement_lines l
      where l.statement_id in (select id from near) and l.bucket <> 'known' and not ${isFar}
        and (l.at < ${at} and l.booked_at >= ${at} or l.at >= ${at} and l.booked_at < ${at})
    )
    select coalesce(sum(case when at < ${at} then booked else -booked end), 0)::bigint as amount
    from shifted`
  return row?.amount ?? 0
}

/**
 * Fees and transfers that statements show, on the other side of a time than they were booked: they
 * count at the end of their statement.
 */
export async function sumOwnShifted(
  tx: Tx,
  { provider, country }: Party,
  account: string,
  at: Date,
): Promise<number> {
  const [row] = await tx<{ amount: number }>`
    select coalesce(sum(case when s.to_at <= ${at} then -e.amount else e.amount end), 0)::bigint
      as amount
    from (
      -- What one that was withdrawn has booked and taken back counts at no time.
      select id, provider, country, case state when 'withdrawn' then 'infinity' else to_at end
        as to_at
      from statements
    ) s
    join ledger_postings p on p.client_id = ${ownClientId}
      and p.ref >= s.id::text and p.ref < s.id::text || '0'
      and p.kind in ('provider_fee', 'transfer')
    join ledger_entries e on e.client_id = p.client_id and e.posting_id = p.id
      and e.account = ${account}
    where (s.provider, s.country) = (${provider}, ${country})
      and (s.to_at <= ${at} and p.created_at >= ${at} or s.to_at > ${at} and p.created_at < ${at})`
  return row?.amount ?? 0
}

/** What the lines of a statement have more than the ledger, by what they were found to be. */
export interface LineSums {
  bucket: string
  /** Of orders: what the lines moved, less what is booked of them. */
  moved: number
  /** Fees and transfers. */
  own: number
  /** All of it: what the lines moved, less their fees. */
  effect: number
  count: number
}

export function sumLines(tx: Tx, id: string): Promise<LineSums[]> {
  return tx<LineSums>`
    select bucket, count(*) filter (where moved <> 0) as count,
      coalesce(sum(moved), 0)::bigint as moved, coalesce(sum(own), 0)::bigint as own,
      coalesce(sum(paid - kept), 0)::bigint as effect
    from (
      select bucket, kept, paid, case when is_own then paid else 0 end - kept as own,
        case when is_own then 0 else paid end - coalesce(booked, 0) as moved
      from (
        select *, kind in ('fee', 'transfer') as is_own,
          case when result = 'succeeded' then sign * amount else 0 end as paid,
          case when result in ('succeeded', 'reversed') then fee else 0 end as kept
        from statement_lines
        where statement_id = ${id} and bucket is not null
      ) read
    ) l
    group by bucket`
}

/** What other statements' lines of a time have booked, and their fees and transfers. */
export async function sumOthers(
  tx: Tx,
  { id, provider, country }: Party & { id: string },
  account: string,
  { from, to }: { from: Date; to: Date },
): Promise<number> {
  const [row] = await tx<{ amount: number }>`
    with others as (
      select id, to_at from statements
      where (provider, country) = (${provider}, ${country}) and id <> ${id}
        and state not in ('reading', 'withdrawn')
        and from_at < ${to} and to_at > ${from}
    )
    select (
      select coalesce(sum(booked), 0) from statement_lines
      where statement_id in (select id from others) and bucket <> 'known'
        and at >= ${from} and at < ${to}
    )::bigint - (
      select coalesce(sum(e.amount), 0)
      from others o
      join ledger_postings p on p.client_id = ${ownClientId}
        and p.ref >= o.id::text and p.ref < o.id::text || '0'
        and p.kind in ('provider_fee', 'transfer')
      join ledger_entries e on e.client_id = p.client_id and e.posting_id = p.id
        and e.account = ${account}
      where o.to_at > ${from} and o.to_at <= ${to}
    )::bigint as amount`
  return row?.amount ?? 0
}

/** What a statement has booked of the gateway's own money. */
export async function sumOwn(tx: Tx, id: string, account: string): Promise<number> {
  const [row] = await tx<{ amount: number }>`
    select coalesce(-sum(e.amount), 0)::bigint as amount
    from ledger_postings p
    join ledger_entries e on e.client_id = p.client_id and e.posting_id = p.id
      and e.account = ${account}
    where p.client_id = ${ownClientId} and p.ref >= ${id} and p.ref < ${`${id}0`}
      and p.kind in ('provider_fee', 'transfer')`
  return row?.amount ?? 0
}

/** Postings of a time that no line has booked: successes, and what was done by hand. */
export async function sumUnclaimed(
  tx: Tx,
  account: string,
  { from, to }: { from: Date; to: Date },
): Promise<{ successes: number; successCount: number; others: number; otherCount: number }> {
  const [row] = await tx<{
    successes: number
    successCount: number
    others: number
    otherCount: number
  }>`
    select coalesce(sum(moved) filter (where is_success), 0)::bigint as successes,
      count(*) filter (where is_success) as "successCount",
      coalesce(sum(moved) filter (where not is_success), 0)::bigint as others,
      count(*) filter (where not is_success) as "otherCount"
    from (
      select p.kind in ('collect', 'capture') as is_success, -e.amount as moved
      from ledger_postings p
      cross join lateral (
        select amount from ledger_entries
        where client_id = p.client_id and posting_id = p.id and account = ${account}
      ) e
      where p.created_at >= ${from} and p.created_at < ${to} and p.client_id <> ${ownClientId}
        and not exists (
          select from statement_lines l
          where l.client_id = p.client_id and l.booked_at = p.created_at
            and l.transaction_id = case
              when p.kind in ('collect', 'capture') then p.ref::uuid
              when p.kind = 'suspend' then (
                select a.transaction_id from attempts a
                where a.client_id = p.client_id and a.id = left(p.ref, 36)::uuid) end)
    ) u`
  return row ?? { successes: 0, successCount: 0, others: 0, otherCount: 0 }
}

/** The statements of a provider that end before one begins, latest first. */
export function readBefore(
  tx: Tx,
  { id, provider, country, fromAt }: Pick<Statement, 'id' | 'provider' | 'country' | 'fromAt'>,
): Promise<Pick<Statement, 'id' | 'fromAt' | 'toAt' | 'opening' | 'closing' | 'net'>[]> {
  return tx`
    select id, from_at as "fromAt", to_at as "toAt", opening, closing, net from statements
    where (provider, country) = (${provider}, ${country}) and state = 'read' and id <> ${id}
      and to_at <= ${fromAt}
    order by to_at desc
    limit 400`
}
