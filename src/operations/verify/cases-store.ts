import { fragment, type Tx } from '#data/db/db.ts'

/** A difference that is not what the lines and the ledger say. */
interface Row {
  clientId: number | null
  where: string
  what: string
}

/** Cases that are not closed, with what all lines of the same tell and what is booked of it. */
const unclosedFacts = fragment`
  with moved as (
    select substring(p.ref from 12 for 36) as id, sum(e.amount)::bigint as amount
    from clients k
    join ledger_postings p on p.client_id = k.id and p.kind = 'adjust'
      and p.ref >= 'difference ' and p.ref < 'difference!'
    join ledger_entries e on e.client_id = p.client_id and e.posting_id = p.id
      and e.account = 'available'
    group by 1
  ), unclosed as materialized (
    select c.*, c.amount + coalesce(m.amount, 0) as whole
    from recon_cases c
    left join moved m on m.id = c.id::text
    where c.state <> 'closed'
      -- What is imported or withdrawn just now is judged by and by.
      and not exists (
        select from statements s
        where (s.provider, s.country) = (c.provider, c.country)
          and s.state in ('matching', 'withdrawing'))
  ), own as (
    select c.id, c.provider, c.country, l.statement_id, l.line, l.kind, l.identity, l.client_id,
      l.transaction_id, l.attempt_id, l.reference,
      l.transaction_id is not null and l.reference is not null as is_ours
    from unclosed c
    join statement_lines l on (l.statement_id, l.line) = (c.statement_id, c.line)
  ), told as (
    -- All lines that tell of the same, as facts are told apart.
    select w.id, w.provider, w.country, o.* from own w
    join statement_lines o on w.is_ours
      and (o.client_id, o.transaction_id) = (w.client_id, w.transaction_id)
      and (o.kind, o.attempt_id, o.reference) = (w.kind, w.attempt_id, w.reference)
    union all
    select w.id, w.provider, w.country, o.* from own w
    join statement_lines o on not w.is_ours and (o.kind, o.identity) = (w.kind, w.identity)
  ), ranked as (
    select t.id, t.booked, t.fee,
      case when t.result = 'succeeded' then t.sign * t.amount else 0 end as paid,
      row_number() over (
        partition by t.id
        order by case t.result when 'pending' then 0 when 'reversed' then 2 else 1 end desc,
          t.statement_id desc, t.result = 'succeeded' desc, t.at desc, t.amount desc, t.fee desc,
          t.line desc) as place,
      count(*) filter (where t.result = 'succeeded') over (partition by t.id, t.statement_id)
        as times
    from told t
    join statements s on s.id = t.statement_id and s.state = 'read'
      and (s.provider, s.country) = (t.provider, t.country)
  ), facts as (
    select id, sum(paid) filter (where place = 1) - coalesce(sum(booked), 0) as stake,
      sum(fee) filter (where place = 1) as fee, max(times) as times
    from ranked group by id
  )`

/**
 * Differences that are not closed: each is of a line that there is, or of a success that no line
 * tells of, and what that and our books differ by, less what people have moved for it. One that
 * waits has a proposal that nobody has decided; one that is closed says by whom and why.
 */
export function findWrongCases(tx: Tx): Promise<Row[]> {
  return tx<Row>`
    ${unclosedFacts}, wrong as (
      select c.id, c.client_id, what
      from unclosed c
      left join facts f on f.id = c.id
      left join transactions t on (t.client_id, t.id) = (c.client_id, c.transaction_id)
      left join approvals a on a.id = c.approval_id
      cross join lateral (values
        (case
          when c.kind = 'ours_only'
            then case t.operation when 'CASHOUT' then -t.amount else t.amount end
          when c.kind = 'day' then 0
          when c.kind = 'fee' then (c.details #>> '{ours,fee}')::bigint - f.fee
          -- What a file tells twice has one line that counts for each time.
          when f.times > 1 then null
          else f.stake
        end)
      ) expected (difference)
      cross join lateral (values
        (case when c.line is not null and f.id is null then 'is of a line that is not there' end),
        (case when c.kind = 'ours_only' and (t.status is distinct from 'SUCCESS' or exists (
            select from statement_lines l
            join statements s on s.id = l.statement_id and s.state = 'read'
            where (l.client_id, l.transaction_id) = (t.client_id, t.id)
              and l.booked_at = t.completed_at))
          then 'is of a success that a line tells of, or that is none' end),
        (case when c.whole <> expected.difference
          then format('differs by %s F, and by what is told and booked it is %s F', c.whole,
            expected.difference) end),
        (case when c.state = 'waiting' and a.state <> 'open'
          then 'waits for what is decided' end)
      ) checks (what)
      where what is not null
      union all
      select id, client_id, 'is closed, and says not by whom or why' from recon_cases
      where state = 'closed' and (trim(closed_by) = '' or trim(reason) = '')
    )
    select client_id as "clientId", format('difference %s', id) as where, what from wrong
    limit 100`
}
