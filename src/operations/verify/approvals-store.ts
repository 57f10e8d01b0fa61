import type { Db } from '#data/db/db.ts'
import { longRead } from '#data/db/long-read.ts'
import type { Break } from './break.ts'

interface Row {
  clientId: number | null
  where: string
  what: string
}

/**
 * What two people decided and did not happen, or not so; and decisions that the audit log does not
 * have.
 */
export async function findApprovalBreaks(db: Db): Promise<Break[]> {
  const rows = await longRead(
    db,
    (tx) => tx<Row>`
    select a.client_id as "clientId", format('approval %s', a.id) as where, what
    from approvals a
    left join lateral (
      select e.amount from ledger_postings p
      join ledger_entries e on (e.client_id, e.posting_id) = (p.client_id, p.id)
        and e.account = 'available'
      where p.client_id = a.client_id and p.kind = a.kind and p.ref = a.content ->> 'ref'
        and a.kind in ('fund', 'withdraw', 'adjust')
    ) posted on true
    left join transactions t on a.kind in ('resolve', 'send_back') and t.client_id = a.client_id
      and t.id = (case when a.kind = 'resolve' then a.content ->> 'id'
        else a.outcome ->> 'refundId' end)::uuid
    cross join lateral (
      select count(*) from audit_log l
      where l.client_id is not distinct from a.client_id and l.details ->> 'id' = a.id::text
        and (l.action, l.actor) in (
          ('approval.propose', a.proposed_by),
          (case a.state when 'approved' then 'approval.approve'
            when 'refused' then 'approval.refuse' when 'expired' then 'approval.expire' end,
            a.decided_by))
    ) told
    cross join lateral (values
      (lower(a.decided_by) = lower(a.proposed_by) and a.state = 'approved',
        'was approved by who proposed it'),
      (a.state = 'approved' and a.kind in ('fund', 'withdraw', 'adjust')
        and posted.amount is distinct from a.amount * case
          when a.kind = 'fund' or (a.content ->> 'isGiven')::boolean then 1 else -1 end,
        format('of %s F was approved, and %s F were posted', a.amount,
          coalesce(posted.amount, 0))),
      (a.state = 'approved' and a.kind = 'resolve' and (t.id is null or t.completed_at is null
        or not exists (select from evidence v where v.client_id = a.client_id
          and v.transaction_id = t.id and v.source = 'operator')),
        'was approved, and its transaction was not ended by hand'),
      (a.state = 'approved' and a.kind = 'send_back' and t.amount is distinct from a.amount,
        'was approved, and its refund is missing'),
      (told.count <> case a.state when 'alone' then 0 when 'open' then 1 else 2 end,
        format('is %s, and the audit log says otherwise', a.state))
    ) as checks (is_broken, what)
    where is_broken
    limit 100`,
  )
  return rows.map((row) => ({ promise: 'approval', ...row }))
}
