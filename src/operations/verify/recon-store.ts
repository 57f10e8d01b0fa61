import type { Db, Tx } from '#data/db/db.ts'
import { longRead } from '#data/db/long-read.ts'
import { ownClientId } from '#money/ledger/own.ts'
import type { Break } from './break.ts'
import { findWrongCases } from './cases-store.ts'

interface Row {
  clientId: number | null
  where: string
  what: string
}

/**
 * Statements that do not count their lines, whose fees and transfers are not what is booked, or
 * whose lines claim money that the ledger does not have; facts whose fees and transfers are booked
 * otherwise than the last file tells; postings of the gateway's own money that no statement shows;
 * and differences that are none.
 */
export async function findReconBreaks(db: Db): Promise<Break[]> {
  const rows = await longRead(db, async (tx) => [
    ...(await findWrongStatements(tx)),
    ...(await findForeignPostings(tx)),
    ...(await findWrongLines(tx)),
    ...(await findWrongFacts(tx)),
    ...(await findWrongSuspense(tx)),
    ...(await findWrongCases(tx)),
  ])
  return rows.map((row) => ({ promise: 'statement', ...row }))
}

function findWrongStatements(tx: Tx): Promise<Row[]> {
  return tx<Row>`
    with counted as (
      select statement_id, count(*) as lines,
        count(*) filter (where bucket = 'known') as known,
        count(*) filter (where bucket = 'matched') as matched,
        count(*) filter (where bucket = 'theirs_only') as theirs_only,
        count(*) filter (where bucket = 'different') as different
      from statement_lines group by statement_id
    ), booked as (
      select left(p.ref, 36) as ref,
        coalesce(sum(e.amount) filter (where p.kind = 'provider_fee'), 0) as fees,
        coalesce(-sum(e.amount) filter (where p.kind = 'transfer'), 0) as transfers
      from ledger_postings p
      join ledger_entries e on e.client_id = p.client_id and e.posting_id = p.id
        and e.account like 'provider:%'
      where p.client_id = ${ownClientId} and p.kind in ('provider_fee', 'transfer')
      group by 1
    )
    select null::integer as "clientId", format('statement %s', s.id) as where, what
    from statements s
    left join counted c on c.statement_id = s.id
    left join booked b on b.ref = s.id::text
    cross join lateral (values
      (case when s.state = 'read'
        and (s.lines, s.known, s.matched, s.theirs_only, s.different) is distinct from
          (coalesce(c.lines, 0), coalesce(c.known, 0), coalesce(c.matched, 0),
            coalesce(c.theirs_only, 0), coalesce(c.different, 0))
        then format('counts %s lines, and there are %s, or others of a kind', s.lines, c.lines)
        end),
      (case when (s.fees, s.transfers) is distinct from
          (coalesce(b.fees, 0)::bigint, coalesce(b.transfers, 0)::bigint)
        then format('shows %s F of fees and %s F of transfers, booked are %s F and %s F',
          s.fees, s.transfers, coalesce(b.fees, 0), coalesce(b.transfers, 0)) end)
    ) checks (what)
    where s.state in ('read', 'withdrawn') and what is not null
    limit 100`
}

function findForeignPostings(tx: Tx): Promise<Row[]> {
  return tx<Row>`
    select null::integer as "clientId", format('posting %s', p.id) as where,
      format('of %s belongs to no statement', p.kind) as what
    from ledger_postings p
    left join statements s on s.id::text = left(p.ref, 36)
    where p.client_id = ${ownClientId} and s.id is null
    limit 100`
}

/** Each booked line has a posting of its own: of a success, or in suspense. */
function findWrongLines(tx: Tx): Promise<Row[]> {
  return tx<Row>`
    with booked as (
      select l.client_id, l.transaction_id, l.attempt_id, l.booked, l.booked_at, l.line,
        l.statement_id, count(*) over (
          partition by l.client_id, l.transaction_id, l.booked_at) as times
      from statement_lines l
      join statements s on s.id = l.statement_id and s.state = 'read'
      where l.booked is not null and l.client_id is not null
    ), joined as (
      select b.*, t.status, t.amount, t.operation, t.completed_at,
        (t.status = 'SUCCESS' and t.completed_at = b.booked_at) as is_success
      from booked b
      left join transactions t on (t.client_id, t.id) = (b.client_id, b.transaction_id)
    )
    select client_id as "clientId", format('line %s of statement %s', line, statement_id) as where,
      case when times > 1 then 'claims money that another line claims'
        else format('claims %s F that the ledger does not have so', booked) end as what
    from joined j
    where times > 1 or not case
      when is_success then booked = case operation when 'CASHOUT' then amount else -amount end
      else exists (
        select from ledger_postings p
        where p.client_id = j.client_id and p.kind = 'suspend'
          and p.ref >= j.attempt_id::text and p.ref < j.attempt_id::text || '0'
          and p.created_at = j.booked_at) end
    limit 100`
}

/** What is in suspense of no merchant is what lines of its provider say that are none of ours. */
function findWrongSuspense(tx: Tx): Promise<Row[]> {
  return tx<Row>`
    with told as (
      select concat('provider:', s.provider, ':', s.country) as account, sum(l.booked) as booked
      from statement_lines l
      join statements s on s.id = l.statement_id and s.state = 'read'
      where l.client_id is null and l.booked is not null
      group by 1
    ), posted as (
      select e.account, -sum(e.amount) as booked
      from ledger_postings p
      join ledger_entries e on e.client_id = p.client_id and e.posting_id = p.id
        and e.account like 'provider:%'
      where p.client_id = ${ownClientId} and p.kind = 'suspend'
      group by 1
    )
    select null::integer as "clientId", account as where,
      format('has %s F of strangers in suspense, and lines claim %s F',
        coalesce(p.booked, 0), coalesce(t.booked, 0)) as what
    from told t full join posted p using (account)
    where coalesce(t.booked, 0) <> coalesce(p.booked, 0)
      and not exists (
        select from statements
        where state in ('matching', 'withdrawing')
          and account = concat('provider:', provider, ':', country))`
}

/**
 * Of what is told of one movement of money, in however many files, the lines together have booked
 * the fee and the transfer of the line that counts. What a file tells twice is a difference.
 */
function findWrongFacts(tx: Tx): Promise<Row[]> {
  return tx<Row>`
    with told as (
      select s.provider, s.country, l.statement_id, l.line, l.at, l.amount, l.fee, l.result,
        l.fees_booked, l.transfers_booked, concat(l.kind, ' ', case
          when l.transaction_id is not null and l.reference is not null
            then concat(l.client_id, ' ', l.attempt_id, ' ', l.reference)
          else l.identity end) as fact,
        case when l.result in ('succeeded', 'reversed') then l.fee else 0 end
          - case when l.kind = 'fee' and l.result = 'succeeded' then l.sign * l.amount else 0 end
          as fees,
        case when l.kind = 'transfer' and l.result = 'succeeded' then l.sign * l.amount else 0 end
          as transfers
      from statement_lines l
      join statements s on s.id = l.statement_id and s.state = 'read'
      -- Its number may be forgotten in one file and not yet in another.
      where not (starts_with(l.identity, 'x:') and l.phone is not null)
    ), ranked as (
      select *, row_number() over (
          partition by provider, country, fact
          order by case result when 'pending' then 0 when 'reversed' then 2 else 1 end desc,
            statement_id desc, result = 'succeeded' desc, at desc, amount desc, fee desc, line desc
        ) as place,
        count(*) filter (where result = 'succeeded') over (
          partition by provider, country, fact, statement_id) as times
      from told
    ), facts as (
      select min(statement_id::text) as statement_id, min(line) as line,
        sum(fees_booked) as fees_booked, sum(transfers_booked) as transfers_booked,
        sum(fees) filter (where place = 1) as fees,
        sum(transfers) filter (where place = 1) as transfers
      from ranked group by provider, country, fact having max(times) <= 1
    )
    select null::integer as "clientId",
      format('line %s of statement %s', line, statement_id) as where,
      format('tells of %s F of fees and %s F of transfers, booked are %s F and %s F', fees,
        transfers, fees_booked, transfers_booked) as what
    from facts
    where (fees, transfers) is distinct from (fees_booked, transfers_booked)
    limit 100`
}
