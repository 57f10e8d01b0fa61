import { type Db, fragment, type Tx } from '#data/db/db.ts'

/**
 * Clients that have events or entries which are not summed up yet, in their turn: those after one,
 * and then from the first.
 */
export async function findBehind(db: Db, after: number, limit: number): Promise<number[]> {
  const rows = await db<{ id: number }>`
    select c.id
    from clients c
    left join summary_cursors s on s.client_id = c.id
    left join event_positions p on p.client_id = c.id
    left join ledger_accounts a on (a.client_id, a.kind) = (c.id, 'available')
    where (p.last > coalesce(s.position, 0) or a.version > coalesce(s.version, 0))
    order by c.id <= ${after}, c.id
    limit ${limit}`
  return rows.map(({ id }) => id)
}

/** Locks a client's cursor; false: another process has it. */
export async function lockCursor(tx: Tx, clientId: number): Promise<boolean> {
  await tx`insert into summary_cursors (client_id) values (${clientId}) on conflict do nothing`
  const rows = await tx`
    select from summary_cursors where client_id = ${clientId} for update skip locked`
  return rows.length > 0
}

/**
 * Adds the next events of a client to its hours, and moves the cursor past them; returns how many
 * there were. An event stands for its transaction, that of a link for all payments of the link:
 * they have ended with it. Positions are in the order of commits, so that none is passed over.
 */
export async function addTransactions(tx: Tx, clientId: number, limit: number): Promise<number> {
  const [row] = await tx<{ count: number }>`
    with read as materialized (
      select position, record_kind, record_id from events
      where client_id = ${clientId}
        and position > (select position from summary_cursors where client_id = ${clientId})
      order by position
      limit ${limit}
    ), ended as (
      select t.* from read
      cross join lateral (
        select created_at, operation, service_code, status, amount, fee from transactions
        where client_id = ${clientId} and id = record_id
        -- Keeps the planner from reading all transactions.
        limit 1
      ) t
      where record_kind <> 'link'
      union all
      select t.created_at, t.operation, t.service_code, t.status, t.amount, t.fee
      from read
      join transactions t on t.client_id = ${clientId} and t.link_id = record_id
      where record_kind = 'link'
    ), added as (
      insert into transaction_hours as h (
        client_id, hour, operation, service_code, status, count, amount, fee)
      select ${clientId}, date_trunc('hour', created_at), operation, service_code, status,
        count(*), sum(amount), sum(case when status = 'SUCCESS' then fee else 0 end)
      from ended
      group by 2, 3, 4, 5
      on conflict (client_id, hour, operation, service_code, status) do update
      set count = h.count + excluded.count, amount = h.amount + excluded.amount,
        fee = h.fee + excluded.fee
    ), moved as (
      update summary_cursors set position = (select max(position) from read)
      where client_id = ${clientId} and exists (select from read)
    )
    select count(*) from read`
  return row?.count ?? 0
}

/**
 * The transaction `t` of a posting `p`, if it is one of a payment, for statements over entries: in
 * `left join transactions t on …`.
 */
export const transactionOfPosting = fragment`
  t.client_id = p.client_id and t.id = case
    when p.kind in ('hold', 'release', 'collect') and length(p.ref) = 36 then p.ref::uuid end`

/**
 * The posting `p` of an entry `e`, and its transaction `t`. The limits keep the planner from
 * reading all postings and looking for each among the entries.
 */
export const ofEntry = fragment`
  cross join lateral (
    select client_id, id, kind, ref, created_at from ledger_postings
    where client_id = e.client_id and id = e.posting_id
    limit 1
  ) p
  left join lateral (
    select id, operation, service_code, external_id, phone, fee, link_id, original_id
    from transactions t
    where t.client_id = p.client_id and t.id = case
      when p.kind in ('hold', 'release', 'collect') and length(p.ref) = 36 then p.ref::uuid end
    limit 1
  ) t on true`

/** How much of a posting's amount on the available account is our fee; below zero: paid. */
export const feePart = fragment`
  coalesce(case when p.kind = 'release' then t.fee else -t.fee end, 0)`

/**
 * Adds the next entries of a client's available account to its hours, and moves the cursor past
 * them; returns how many there were. Versions have no gaps and are in the order of commits.
 */
export async function addEntries(tx: Tx, clientId: number, limit: number): Promise<number> {
  const [row] = await tx<{ count: number }>`
    with read as materialized (
      select e.version, e.amount, e.after, p.kind, coalesce(t.operation, '') as operation,
        ${feePart} as fee, greatest(
          (select hour from summary_cursors where client_id = ${clientId}),
          max(date_trunc('hour', p.created_at)) over (order by e.version)) as hour
      from (
        select client_id, version, amount, after, posting_id from ledger_entries
        where client_id = ${clientId} and account = 'available'
          and version > (select version from summary_cursors where client_id = ${clientId})
        order by version
        limit ${limit}
      ) e
      ${ofEntry}
    ), added as (
      insert into account_hours as h (
        client_id, hour, kind, operation, count, amount, fee, last_version, balance)
      select ${clientId}, hour, kind, operation, count(*), sum(amount), sum(fee), max(version),
        (array_agg(after order by version desc))[1]
      from read
      group by hour, kind, operation
      on conflict (client_id, hour, kind, operation) do update
      set count = h.count + excluded.count, amount = h.amount + excluded.amount,
        fee = h.fee + excluded.fee, last_version = excluded.last_version,
        balance = excluded.balance
    ), moved as (
      update summary_cursors
      set version = (select max(version) from read), hour = (select max(hour) from read)
      where client_id = ${clientId} and exists (select from read)
    )
    select count(*) from read`
  return row?.count ?? 0
}
