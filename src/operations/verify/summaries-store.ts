import { feePart, transactionOfPosting } from '#backoffice/reports/hours-store.ts'
import type { Db, Tx } from '#data/db/db.ts'
import { longRead } from '#data/db/long-read.ts'
import type { Break } from './break.ts'

interface WrongSummary {
  clientId: number
  where: string
  what: string
}

/** Hours that are not the sum of the transactions and entries up to their client's cursor. */
export async function findSummaryBreaks(db: Db): Promise<Break[]> {
  const rows = await longRead(db, async (tx) => [
    ...(await findWrongTransactionHours(tx)),
    ...(await findWrongAccountSums(tx)),
    ...(await findWrongBalances(tx)),
  ])
  return rows.map((row) => ({ promise: 'summary', ...row }))
}

function findWrongTransactionHours(tx: Tx): Promise<WrongSummary[]> {
  return tx<WrongSummary>`
    with told as (
      select e.client_id, e.record_kind, e.record_id
      from events e join summary_cursors s using (client_id)
      where e.position <= s.position
    ), ended as (
      select t.* from told
      join transactions t on (t.client_id, t.id) = (told.client_id, told.record_id)
      where told.record_kind <> 'link'
      union all
      select t.* from told
      join transactions t on (t.client_id, t.link_id) = (told.client_id, told.record_id)
      where told.record_kind = 'link'
    ), expected as (
      select client_id, date_trunc('hour', created_at) as hour, operation, service_code, status,
        count(*) as count, sum(amount) as amount,
        sum(case when status = 'SUCCESS' then fee else 0 end) as fee
      from ended
      group by 1, 2, 3, 4, 5
    )
    select client_id as "clientId", format('hour %s %s %s %s', hour, operation, service_code,
      status) as where, format('sums up %s of %s F, fees %s; there are %s of %s F, fees %s',
      h.count, h.amount, h.fee, x.count, x.amount, x.fee) as what
    from transaction_hours h
    full join expected x using (client_id, hour, operation, service_code, status)
    where (h.count, h.amount, h.fee) is distinct from (x.count, x.amount, x.fee)
    limit 100`
}

function findWrongAccountSums(tx: Tx): Promise<WrongSummary[]> {
  return tx<WrongSummary>`
    with expected as (
      select e.client_id, p.kind, coalesce(t.operation, '') as operation, count(*) as count,
        sum(e.amount) as amount, sum(${feePart}) as fee
      from summary_cursors s
      join ledger_entries e on e.client_id = s.client_id and e.account = 'available'
        and e.version <= s.version
      join ledger_postings p on (p.client_id, p.id) = (e.client_id, e.posting_id)
      left join transactions t on ${transactionOfPosting}
      group by 1, 2, 3
    ), summed as (
      select client_id, kind, operation, sum(count) as count, sum(amount) as amount,
        sum(fee) as fee
      from account_hours group by 1, 2, 3
    )
    select client_id as "clientId", format('account %s %s', kind, operation) as where,
      format('sums up %s of %s F, fees %s; there are %s of %s F, fees %s', h.count, h.amount,
        h.fee, x.count, x.amount, x.fee) as what
    from summed h full join expected x using (client_id, kind, operation)
    where (h.count, h.amount, h.fee) is distinct from (x.count, x.amount, x.fee)
    limit 100`
}

/** Hours at whose end the sums of all hours so far are not the balance of the account. */
function findWrongBalances(tx: Tx): Promise<WrongSummary[]> {
  return tx<WrongSummary>`
    with hours as (
      select client_id, hour, max(last_version) as version,
        sum(sum(amount)) over (partition by client_id order by hour) as balance
      from account_hours group by client_id, hour
    )
    select h.client_id as "clientId", format('account hour %s', h.hour) as where,
      format('sums up to %s F, the balance is %s F', h.balance, e.after) as what
    from hours h
    left join ledger_entries e on (e.client_id, e.account, e.version)
      = (h.client_id, 'available', h.version)
    where h.balance is distinct from e.after
    limit 100`
}
