import type { Invariant } from './invariant.ts'

/** What merchants' servers received against what happened (I12, I13). */
export const eventInvariants: Invariant[] = [
  {
    name: 'events',
    says: 'each ended transaction has exactly one event, with its status, amount and external id',
    checked: 'select count(*) from events',
    broken: `
      select format('transaction %s is %s and has %s events', t.id, t.status, count(e.id)) as what
      from transactions t
      left join events e on (e.client_id, e.record_id) = (t.client_id, t.id)
      where t.link_id is null
      group by t.client_id, t.id having count(e.id) <> (t.completed_at is not null)::integer
      union all
      select format('event %s of transaction %s says %s', e.id, t.id, e.body)
      from events e
      join transactions t on (t.client_id, t.id) = (e.client_id, e.record_id)
      where e.body not like 'sealed:%' and (
        e.body::jsonb ->> 'STATUS' is distinct from t.status
        or e.body::jsonb ->> 'AMOUNT' is distinct from t.amount::text
        or coalesce(e.body::jsonb ->> 'externalTransactionId', '') <> coalesce(t.external_id, ''))`,
  },
  {
    name: 'delivered',
    says:
      'each event arrived at least once with its own body, or is still tried, or is shown ' +
      'as given up',
    checked: 'select count(*) from deliveries',
    broken: `
      select format('event %s (delivery %s, %s) never arrived', d.event_id, d.id, d.state) as what
      from deliveries d
      where d.state = 'delivered'
        and not exists (select from j_got g where g.event_id = d.event_id::text)
      union all
      select format('event %s of transaction %s has no delivery', e.id, t.id)
      from events e
      join transactions t on (t.client_id, t.id) = (e.client_id, e.record_id)
      where t.callback_url is not null and not exists (
        select from deliveries d where (d.client_id, d.event_id) = (e.client_id, e.id))
      union all
      select format('event %s arrived as %s', e.id, g.body_text)
      from events e join j_got g on g.event_id = e.id::text
      where e.body not like 'sealed:%' and e.body <> g.body_text`,
  },
  {
    name: 'signed',
    says: 'every delivery is of an event that exists, signed with the secret of its client',
    checked: 'select count(*) from j_got',
    broken: `
      select format('delivery of %s: %s', g.event_id, case when e.id is null then 'no such event'
        else 'not signed by client ' || e.client_id end) as what
      from j_got g
      left join events e on e.id::text = g.event_id
      left join j_merchants m on m.client_id = e.client_id
      where e.id is null or m.name is null or not (m.name = any (g.signers))`,
  },
  {
    name: 'event-money',
    says: 'the balances in an event are those of its posting, and equal where none was left of it',
    checked: 'select count(*) from j_got',
    broken: `
      select format('transaction %s: the event says %s to %s, the ledger %s to %s', t.id,
        g.body ->> 'PREVIOUS_BALANCE', g.body ->> 'CURRENT_BALANCE', b.before, b.after) as what
      from j_got g
      join transactions t on t.id::text = g.body ->> 'id'
      left join ledger_postings p on (p.client_id, p.kind, p.ref)
        = (t.client_id, 'collect', t.id::text)
      left join ledger_entries b on (b.client_id, b.posting_id, b.account) = (t.client_id,
        case t.operation when 'CASHOUT' then p.id else t.hold_id end, 'available')
      where t.status = 'SUCCESS' and (
        (g.body ->> 'PREVIOUS_BALANCE')::bigint is distinct from b.before
        or (g.body ->> 'CURRENT_BALANCE')::bigint is distinct from b.after)
      union all
      select format('transaction %s is %s, but the event says %s to %s', t.id, t.status,
        g.body ->> 'PREVIOUS_BALANCE', g.body ->> 'CURRENT_BALANCE')
      from j_got g
      join transactions t on t.id::text = g.body ->> 'id'
      where t.status <> 'SUCCESS' and t.late_reference is null
        and g.body ->> 'PREVIOUS_BALANCE' <> g.body ->> 'CURRENT_BALANCE'`,
  },
]
