import type { Db } from '#data/db/db.ts'
import { longRead } from '#data/db/long-read.ts'
import type { Break } from './break.ts'

// What a posting of late money refers to begins with the attempt.
const attemptAtStart = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** Transactions that do not match their postings, history, refunds or reported payments. */
export async function findTransactionBreaks(db: Db): Promise<Break[]> {
  const found = await Promise.all([
    findWrongStates(db),
    findWrongRefunds(db),
    findWrongExplanations(db),
    findUnansweredPayments(db),
  ])
  return found.flat()
}

interface WrongTransaction {
  clientId: number
  id: string
  what: string
}

/** Transactions that do not match their postings or their status history. */
async function findWrongStates(db: Db): Promise<Break[]> {
  const rows = await longRead(
    db,
    (tx) => tx<WrongTransaction>`
    with money as (
      select client_id, ref, count(*) filter (where kind <> 'release') as settled,
        count(*) filter (where kind = 'release') as released
      from ledger_postings where kind in ('collect', 'capture', 'release')
      group by client_id, ref
    ), last_statuses as (
      -- The status that no step leaves. Not the latest by time: that is read before the row is
      -- locked, so steps can have it in another order.
      select h.client_id, h.record_id, min(h.to_status) as last_status
      from status_history h
      where not exists (
        select from status_history n where (n.client_id, n.record_id, n.from_status)
          = (h.client_id, h.record_id, h.to_status))
      group by h.client_id, h.record_id
    ), joined as materialized (
      select t.client_id, t.id, t.status, t.completed_at, t.operation, last_status,
        coalesce(settled, 0) as settled, coalesce(released, 0) as released
      from transactions t
      left join money on (money.client_id, money.ref) = (t.client_id, t.id::text)
      left join last_statuses l on (l.client_id, l.record_id) = (t.client_id, t.id)
    )
    select client_id as "clientId", id, unnest(failures) as what
    from (
      select client_id, id, array_remove(array[
        case when settled <> (status = 'SUCCESS')::integer
          then format('is %s and was settled %s times', status, settled) end,
        case when released <>
            (status in ('FAILED', 'CANCELLED') and operation <> 'CASHOUT')::integer
          then format('is %s and was released %s times', status, released) end,
        case when status <>
            coalesce(last_status, case when operation = 'BILL' then 'PROCESSING' else 'PENDING' end)
          then format('is %s, its history says %s', status, last_status) end,
        case when (completed_at is null) <> (status in ('PENDING', 'PROCESSING'))
          then format('is %s and %s', status, coalesce('ended ' || completed_at, 'has no end')) end
      ], null) as failures
      from joined
    ) checked
    where failures <> '{}'
    limit 100`,
  )
  return rows.map(breakOf)
}

/** Transactions that count other refunds than there are, or more than can be refunded. */
async function findWrongRefunds(db: Db): Promise<Break[]> {
  const rows = await longRead(
    db,
    (tx) => tx<WrongTransaction>`
    with refunds as (
      -- The refund of a second payment is not one of the payment that succeeded.
      select r.client_id, r.original_id, sum(r.amount) as sent_back
      from transactions r
      join transactions o on (o.client_id, o.id) = (r.client_id, r.original_id)
      where r.original_id is not null and r.status not in ('FAILED', 'CANCELLED')
        and (r.late_reference is null or o.status <> 'SUCCESS')
      group by r.client_id, r.original_id
    ), explained as (
      select a.client_id, a.transaction_id, sum(e.amount) as amount
      from ledger_postings x
      join ledger_entries e on (e.client_id, e.posting_id) = (x.client_id, x.id)
        and e.account = 'available'
      join attempts a on a.client_id = x.client_id
        and a.id = substring(x.ref from ${attemptAtStart})::uuid
      where x.kind = 'explain'
      group by a.client_id, a.transaction_id
    ), counted as (
      select t.client_id, t.id, t.refunded, coalesce(sent_back, 0) as sent_back,
        -- The most that can be refunded: the payment, or money that arrived after it had failed.
        case when t.status = 'SUCCESS' then t.amount else coalesce(explained.amount, 0) end
          as refundable
      from transactions t
      left join refunds on (refunds.client_id, refunds.original_id) = (t.client_id, t.id)
      left join explained on (explained.client_id, explained.transaction_id) = (t.client_id, t.id)
      where t.refunded > 0 or sent_back is not null
    )
    select client_id as "clientId", id, unnest(array_remove(array[
      case when refunded <> sent_back
        then format('counts %s refunded of %s', refunded, sent_back) end,
      case when refunded > refundable
        then format('has %s refunded of at most %s', refunded, refundable) end
    ], null)) as what
    from counted
    limit 100`,
  )
  return rows.map(breakOf)
}

function breakOf({ clientId, id, what }: WrongTransaction): Break {
  return { promise: 'transaction', clientId, where: `transaction ${id}`, what }
}

/**
 * Transactions for which a provider reported more payments than the ledger has: each is the one by
 * which the transaction succeeded, or in suspense. A reference that is our own id names none of
 * the provider's payments.
 */
async function findUnansweredPayments(db: Db): Promise<Break[]> {
  const rows = await longRead(
    db,
    (tx) => tx<{ clientId: number; id: string; reported: number; booked: number }>`
    with payments as (
      select client_id, transaction_id, attempt_id, greatest(1, count(distinct
        nullif(details ->> 'reference', attempt_id::text))) as reported
      from evidence
      where outcome = 'succeeded' and source <> 'operator'
        -- A payment of nothing moves nothing: it is a conflict alone.
        and details -> 'amount' is distinct from '0'
      group by client_id, transaction_id, attempt_id
    ), reports as (
      select client_id, transaction_id, sum(reported) as reported
      from payments group by client_id, transaction_id
    ), suspended as (
      select a.client_id, a.transaction_id, count(*) as times
      from ledger_postings p
      join attempts a on a.client_id = p.client_id
        and a.id = substring(p.ref from ${attemptAtStart})::uuid
      where p.kind = 'suspend'
      group by a.client_id, a.transaction_id
    )
    select "clientId", id, reported, booked from (
      select t.client_id as "clientId", t.id, reported::integer,
        (coalesce(times, 0) + (
          select count(*) from ledger_postings p
          where p.client_id = t.client_id and p.kind in ('collect', 'capture')
            and p.ref = t.id::text))::integer as booked
      from reports r
      join transactions t on (t.client_id, t.id) = (r.client_id, r.transaction_id)
      left join suspended s on (s.client_id, s.transaction_id) = (t.client_id, t.id)
      -- That a success is settled is checked above; postings are only looked up for the others.
      where reported > (t.status = 'SUCCESS')::integer + coalesce(times, 0)
    ) suspects
    where reported > booked
    limit 100`,
  )
  return rows.map(({ reported, booked, ...row }) =>
    breakOf({
      ...row,
      what: `was reported as paid ${reported} times, and the ledger has ${booked} of them`,
    }),
  )
}

/** Attempts whose explained money is not exactly the money that was put in suspense. */
async function findWrongExplanations(db: Db): Promise<Break[]> {
  const rows = await db<{ clientId: number; ref: string; left: number }>`
    select x.client_id as "clientId", x.ref, sum(e.amount)::bigint as left
    from ledger_postings x
    join ledger_postings p on p.client_id = x.client_id and p.ref = x.ref
      and p.kind in ('explain', 'suspend')
    join ledger_entries e on (e.client_id, e.posting_id) = (p.client_id, p.id)
      and e.account = 'suspense'
    where x.kind = 'explain'
    group by x.client_id, x.ref
    having sum(e.amount) <> 0
    limit 100`
  return rows.map(({ clientId, ref, left }) => ({
    promise: 'transaction',
    clientId,
    where: `attempt ${ref}`,
    what: `was explained, and leaves ${left} in suspense`,
  }))
}
