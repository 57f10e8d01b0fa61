import type { Invariant } from './invariant.ts'

// Money that a provider moved for a transaction that had ended otherwise is kept in suspense.
const suspended = `
  select a.client_id, a.transaction_id, count(*) as times, sum(abs(e.amount)) as amount
  from ledger_postings p
  join attempts a on a.client_id = p.client_id
    and a.id::text = substring(p.ref from '^[0-9a-f-]{36}')
  join ledger_entries e on (e.client_id, e.posting_id, e.account)
    = (p.client_id, p.id, 'suspense')
  where p.kind = 'suspend' group by 1, 2`

/** Our transactions against the books of those who moved the money (I9, I10). */
export const orderInvariants: Invariant[] = [
  {
    name: 'executed-once',
    says: 'no provider executed more than one order of a transaction',
    checked: 'select count(*) from j_orders',
    broken: `
      select format('transaction %s was executed %s times, %s in suspense', e.transaction_id,
        sum(e.executed), coalesce(max(s.times), 0)) as what
      from j_executed e
      left join (${suspended}) s on s.transaction_id = e.transaction_id
      where e.transaction_id is not null
      group by e.transaction_id having sum(e.executed) > 1`,
  },
  {
    name: 'known-orders',
    says: 'every order that a provider has is one of a transaction that is recorded here',
    checked: 'select count(*) from j_orders',
    broken: `
      select format('order %s of %s (%s) belongs to nothing', id, provider, key) as what
      from j_executed where transaction_id is null`,
  },
  {
    name: 'truth',
    says: 'SUCCESS is what a provider executed, to the franc; FAILED and CANCELLED what none did',
    checked: 'select count(*) from transactions where completed_at is not null',
    broken: `
      select format('transaction %s (%s of %s) is %s: executed %s times, %s paid, %s in suspense',
        t.id, t.service_code, t.amount, t.status, coalesce(x.times, 0), coalesce(x.paid, 0),
        coalesce(s.amount, 0)) as what
      from transactions t
      left join (
        select transaction_id, sum(executed) as times, sum(paid * least(executed, 1)) as paid
        from j_executed group by 1
      ) x on x.transaction_id = t.id
      left join (${suspended}) s on (s.client_id, s.transaction_id) = (t.client_id, t.id)
      where t.completed_at is not null and (
        coalesce(x.times, 0) <> (t.status = 'SUCCESS')::integer + coalesce(s.times, 0)
        or coalesce(x.paid, 0) <> case t.status when 'SUCCESS' then t.amount else 0 end
          + coalesce(s.amount, 0))`,
  },
  {
    name: 'ended',
    says:
      'what has ended at the provider has ended here, or its money is in suspense; what is ' +
      'open here is asked about again, or an operator is shown why it is not',
    checked: 'select count(*) from transactions',
    broken: `
      select format('transaction %s is %s, its order %s', t.id, t.status, e.status) as what
      from transactions t
      join j_executed e on e.transaction_id = t.id and e.status <> 'pending'
      left join (${suspended}) s on (s.client_id, s.transaction_id) = (t.client_id, t.id)
      where t.completed_at is null and s.times is null
        and not exists (select from j_executed o where o.transaction_id = t.id
          and o.status = 'pending')
      union all
      select format('transaction %s is %s and nothing will ask about it', id, status)
      from transactions t where completed_at is null and due_at is null and not exists (
        select from conflicts c
        where (c.client_id, c.transaction_id) = (t.client_id, t.id) and c.closed_at is null)`,
  },
  {
    name: 'client-money',
    says:
      'the balance of each client is what was put in, plus what providers collected, less ' +
      'what they paid out, fees and what is held, all by the books of the providers',
    checked: 'select count(*) from clients',
    broken: `
      select format('client %s has %s, and %s by the books of the providers', a.client_id,
        a.balance, coalesce(f.funds, 0) + coalesce(m.moved, 0) - h.balance) as what
      from ledger_accounts a
      join ledger_accounts h on h.client_id = a.client_id and h.kind = 'held'
      left join (
        select p.client_id, sum(e.amount) as funds from ledger_postings p
        join ledger_entries e on (e.client_id, e.posting_id) = (p.client_id, p.id)
        where e.account = 'available' and p.kind in ('fund', 'withdraw', 'adjust', 'explain')
        group by 1
      ) f on f.client_id = a.client_id
      left join (
        select t.client_id, sum(case x.operation when 'collect' then t.amount - t.fee
          else -(t.amount + t.fee) end) as moved
        from transactions t
        join (
          select transaction_id, min(operation) as operation, sum(paid) as paid
          from j_executed where executed > 0 group by 1
        ) x on x.transaction_id = t.id
        left join (${suspended}) s on (s.client_id, s.transaction_id) = (t.client_id, t.id)
        where x.paid > coalesce(s.amount, 0) group by 1
      ) m on m.client_id = a.client_id
      where a.kind = 'available'
        and a.balance <> coalesce(f.funds, 0) + coalesce(m.moved, 0) - h.balance`,
  },
  {
    name: 'provider-money',
    says: 'what the ledger says that each provider owes us is what its own books say',
    checked: `
      select count(distinct account) from ledger_entries where account like 'provider:%'`,
    broken: `
      select format('%s: the ledger has %s, the books %s', coalesce(l.account, b.account),
        coalesce(l.amount, 0), coalesce(b.amount, 0)) as what
      from (
        select account, -sum(amount) as amount from ledger_entries
        where account like 'provider:%' group by 1
      ) l
      full join (
        select format('provider:%s:%s', provider, country) as account,
          sum(case operation when 'collect' then paid else -paid end) as amount
        from j_orders where executed > 0 group by 1
      ) b using (account)
      where coalesce(l.amount, 0) <> coalesce(b.amount, 0)`,
  },
  {
    name: 'evidence',
    says: 'each end is backed by recorded evidence of the same outcome, or the order never left',
    checked: 'select count(*) from transactions where completed_at is not null',
    broken: `
      select format('transaction %s is %s (%s) with evidence %s', t.id, t.status, t.failure,
        coalesce(e.outcomes::text, 'none')) as what
      from transactions t
      left join (
        select client_id, transaction_id, array_agg(distinct outcome) as outcomes
        from evidence group by 1, 2
      ) e on (e.client_id, e.transaction_id) = (t.client_id, t.id)
      where t.completed_at is not null and not coalesce(case t.status
        when 'SUCCESS' then 'succeeded' = any (e.outcomes)
        else e.outcomes && array['declined', 'not_sent'] end, false)`,
  },
]
