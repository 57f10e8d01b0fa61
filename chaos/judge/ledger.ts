import type { Invariant } from './invariant.ts'

/** What the ledger must be, whatever happened (I1 to I6, I14). */
export const ledgerInvariants: Invariant[] = [
  {
    name: 'postings',
    says: 'the entries of each posting sum to zero, per currency',
    checked: 'select count(*) from ledger_postings',
    broken: `
      select format('posting %s sums to %s %s', posting_id, sum(amount), currency) as what
      from ledger_entries group by client_id, posting_id, currency having sum(amount) <> 0
      union all
      select format('posting %s of client %s has no entries', p.id, p.client_id)
      from ledger_postings p where not exists (
        select from ledger_entries e where (e.client_id, e.posting_id) = (p.client_id, p.id))`,
  },
  {
    name: 'balances',
    says: 'each stored balance is the sum of its entries',
    checked: 'select count(*) from ledger_accounts',
    broken: `
      select format('%s of client %s is %s, its entries sum to %s', a.kind, a.client_id, a.balance,
        coalesce(e.amount, 0)) as what
      from ledger_accounts a
      left join (
        select client_id, account, sum(amount) as amount from ledger_entries group by 1, 2
      ) e on (e.client_id, e.account) = (a.client_id, a.kind)
      where a.balance <> coalesce(e.amount, 0)`,
  },
  {
    name: 'versions',
    says: 'the entries of an account have versions 1 to n, each balance follows from the last',
    checked: 'select count(*) from ledger_entries where version is not null',
    broken: `
      select format('%s of client %s, version %s after %s: %s + %s = %s', account, client_id,
        version, last_version, before, amount, after) as what
      from (
        select *, lag(version, 1, 0::bigint) over own as last_version,
          lag(after, 1, 0::bigint) over own as last_after
        from ledger_entries where version is not null
        window own as (partition by client_id, account order by version)
      ) e
      where version <> last_version + 1 or before <> last_after or after <> before + amount
      union all
      select format('%s of client %s is at version %s, its entries end at %s', a.kind,
        a.client_id, a.version, coalesce(max(e.version), 0))
      from ledger_accounts a
      left join ledger_entries e on (e.client_id, e.account) = (a.client_id, a.kind)
      group by a.client_id, a.kind having a.version <> coalesce(max(e.version), 0)`,
  },
  {
    name: 'debts',
    says: 'no account of a merchant was ever below zero',
    checked: 'select count(*) from ledger_entries where version is not null',
    broken: `
      select format('%s of client %s was %s at version %s', account, client_id, after, version)
        as what
      from ledger_entries where version is not null and after < 0`,
  },
  {
    name: 'holds',
    says: 'each hold ends once and as a whole, and what is held is what open orders need',
    checked: "select count(*) from ledger_postings where kind = 'hold'",
    broken: `
      select format('hold %s ended %s times', resolves, count(*)) as what
      from ledger_postings where resolves is not null
      group by client_id, resolves having count(*) > 1
      union all
      select format('hold %s of %s ended by %s', h.id, b.amount, -e.amount)
      from ledger_postings p
      join ledger_postings h on (h.client_id, h.id) = (p.client_id, p.resolves)
      join ledger_entries b on (b.client_id, b.posting_id, b.account) = (h.client_id, h.id, 'held')
      join ledger_entries e on (e.client_id, e.posting_id, e.account) = (p.client_id, p.id, 'held')
      where e.amount <> -b.amount
      union all
      select format('client %s holds %s, its open orders need %s', a.client_id, a.balance,
        coalesce(sum(t.amount + t.fee), 0))
      from ledger_accounts a
      left join transactions t on t.client_id = a.client_id and t.completed_at is null
        and t.operation <> 'CASHOUT'
      where a.kind = 'held'
      group by a.client_id, a.balance having a.balance <> coalesce(sum(t.amount + t.fee), 0)`,
  },
  {
    name: 'settled-once',
    says: 'a success is settled once, a failed debit gets amount and fee back once, else nothing',
    checked: 'select count(*) from transactions',
    broken: `
      select format('transaction %s is %s: settled %s times, released %s times (%s of %s)', t.id,
        t.status, coalesce(settled, 0), coalesce(released, 0), coalesce(back, 0), t.amount + t.fee)
        as what
      from transactions t
      left join (
        select p.client_id, p.ref, count(*) filter (where p.kind <> 'release') as settled,
          count(*) filter (where p.kind = 'release') as released,
          sum(e.amount) filter (where p.kind = 'release') as back
        from ledger_postings p
        left join ledger_entries e on (e.client_id, e.posting_id, e.account)
          = (p.client_id, p.id, 'available')
        where p.kind in ('collect', 'capture', 'release') group by 1, 2
      ) m on (m.client_id, m.ref) = (t.client_id, t.id::text)
      where coalesce(settled, 0) <> (t.status = 'SUCCESS')::integer
        or coalesce(released, 0)
          <> (t.status in ('FAILED', 'CANCELLED') and t.operation <> 'CASHOUT')::integer
        or coalesce(back, t.amount + t.fee) <> t.amount + t.fee`,
  },
  {
    name: 'refunds',
    says: 'the refunds of a payment never exceed it, those under way included',
    checked: 'select count(*) from transactions where original_id is not null',
    broken: `
      select format('%s of %s is refunded of payment %s', sum(r.amount), o.amount, o.id) as what
      from transactions r
      join transactions o on (o.client_id, o.id) = (r.client_id, r.original_id)
      where r.status not in ('FAILED', 'CANCELLED') and r.late_reference is null
      group by o.client_id, o.id, o.amount
      having sum(r.amount) > o.amount or sum(r.amount) <> max(o.refunded)`,
  },
  {
    name: 'fees',
    says: 'each fee is what the terms of the client say, worked out here in whole numbers',
    checked: 'select count(*) from transactions where original_id is null',
    broken: `
      select format('the fee of %s (%s of %s) is %s, not %s', id, service_code, amount, fee, due)
        as what
      from (
        select t.*, case when t.operation = 'AIRTIME' then (t.amount + 50) / 100
          else least(coalesce(s.fee_max, 9000000000),
            case t.operation when 'CASHOUT' then t.amount else 9000000000 end,
            greatest(coalesce(s.fee_min, 0), coalesce(s.fee_fixed, 0)
              + (t.amount * coalesce(s.fee_basis_points, 0) + 5000) / 10000))
          end as due
        from transactions t
        left join client_services s on (s.client_id, s.service_code) = (t.client_id, t.service_code)
        where t.original_id is null
      ) t
      where fee <> due`,
  },
]
