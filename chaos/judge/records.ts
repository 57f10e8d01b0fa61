import type { Invariant } from './invariant.ts'

const transitions = `
  values ('transaction', 'PENDING', 'PROCESSING'), ('transaction', 'PENDING', 'SUCCESS'),
    ('transaction', 'PENDING', 'FAILED'), ('transaction', 'PENDING', 'CANCELLED'),
    ('transaction', 'PROCESSING', 'SUCCESS'), ('transaction', 'PROCESSING', 'FAILED'),
    ('transaction', 'PROCESSING', 'CANCELLED'), ('bill', 'PROCESSING', 'SUCCESS'),
    ('bill', 'PROCESSING', 'FAILED'), ('link', 'PENDING', 'SUCCESS'),
    ('link', 'PENDING', 'FAILED'), ('link', 'PENDING', 'EXPIRED')`

/** What callers were told against what is recorded (I7, I8, I11, I16). */
export const recordInvariants: Invariant[] = [
  {
    name: 'acknowledged',
    says: 'everything acknowledged is recorded, with the same id, amount, number and service',
    checked: `
      select count(*) from j_calls where creates is not null and status between 200 and 299`,
    broken: `
      select format('%s was acknowledged as %s and is %s', c.external_id, c.record_id,
        coalesce(t.amount || ' of ' || t.service_code, 'not recorded')) as what
      from j_calls c
      left join transactions t on t.client_id = c.client_id and t.id::text = c.record_id
      where creates <> 'link' and c.status between 200 and 299 and (t.id is null
        or t.external_id is distinct from c.external_id
        or t.service_code <> coalesce(c.body ->> 'serviceCode', t.service_code)
        or t.amount::text <> coalesce(c.body ->> 'amount', t.amount::text)
        or t.phone <> coalesce(c.body ->> 'number', t.phone))
      union all
      select format('link %s was acknowledged as %s', c.external_id, c.record_id)
      from j_calls c
      left join links l on l.client_id = c.client_id and l.id::text = c.record_id
      where creates = 'link' and c.status between 200 and 299 and (l.id is null
        or l.external_id is distinct from c.external_id
        or l.amount::text <> c.body ->> 'ItemPrice')`,
  },
  {
    name: 'one-record',
    says: 'an external id of a client names one record, in the database and in every answer',
    checked: 'select count(*) from (select distinct client_id, external_id from j_calls) c',
    broken: `
      select format('%s of client %s has %s records', external_id, client_id, count(*)) as what
      from (
        select client_id, external_id from transactions where external_id is not null
        union all select client_id, external_id from links
      ) r
      group by client_id, external_id having count(*) > 1
      union all
      select format('%s of client %s was answered with %s records', external_id, client_id,
        count(distinct record_id))
      from j_calls where creates is not null and external_id is not null
        and (status between 200 and 299 or status = 409)
      group by client_id, external_id having count(distinct record_id) > 1
      union all
      select format('%s of client %s is claimed by %s', coalesce(t.external_id, e.external_id),
        coalesce(t.client_id, e.client_id), coalesce(e.record_id::text, 'nothing'))
      from (
        select client_id, id, external_id from transactions where external_id is not null
        union all select client_id, id, external_id from links
      ) t
      full join external_ids e on (e.client_id, e.record_id) = (t.client_id, t.id)
      where t.external_id is distinct from e.external_id`,
  },
  {
    name: 'repeated',
    says: 'a 409 shows a record that exists, and that the same external id has',
    checked: `select count(*) from j_calls where creates is not null and status = 409`,
    broken: `
      select format('%s was answered 409 with %s', c.external_id, coalesce(c.record_id, 'nothing'))
        as what
      from j_calls c
      left join external_ids e on (e.client_id, e.external_id) = (c.client_id, c.external_id)
      where creates is not null and c.status = 409 and c.record_id is not null
        and e.record_id::text is distinct from c.record_id`,
  },
  {
    name: 'one-effect',
    says: 'a request that was acknowledged several times got the same answer, byte for byte',
    checked: `
      select count(distinct (client_id, external_id)) from j_calls where creates is not null`,
    broken: `
      select format('%s of client %s was acknowledged with %s different answers', external_id,
        client_id, count(distinct hash)) as what
      from j_calls where creates is not null and external_id is not null
        and status between 200 and 299
      group by client_id, external_id having count(distinct hash) > 1`,
  },
  {
    name: 'one-key',
    says: 'an Idempotency-Key has one record, which every answer to it is about',
    checked: 'select count(distinct (client_id, key)) from j_calls where key is not null',
    broken: `
      select format('key %s of client %s was answered with %s records', key, client_id,
        count(distinct record_id)) as what
      from j_calls where key is not null and status between 200 and 299
      group by client_id, key having count(distinct record_id) > 1
      union all
      select format('client %s has %s orders for %s keys', client_id, made, keys)
      from (
        select client_id, count(*) as made from transactions
        where external_id is null and link_id is null group by 1
      ) t
      join (
        select client_id, count(distinct key) as keys from j_calls
        where key is not null and external_id is null and creates is not null group by 1
      ) k using (client_id)
      where made > keys
      union all
      select format('the shop of key %s was made %s times', s.name, count(*))
      from sub_merchants s where s.name in (select key from j_calls)
      group by s.client_id, s.name having count(*) > 1`,
  },
  {
    name: 'paths',
    says: 'every status was reached along the table of transitions, and no final one was left',
    checked: 'select count(*) from status_history',
    broken: `
      with allowed (resource, from_status, to_status) as (${transitions})
      select format('%s %s moved from %s to %s', h.resource, h.record_id, h.from_status,
        h.to_status) as what
      from status_history h
      where (h.resource, h.from_status, h.to_status) not in (select * from allowed)
      union all
      select format('%s %s left %s %s times', resource, record_id, from_status, count(*))
      from status_history group by client_id, resource, record_id, from_status having count(*) > 1
      union all
      select format('transaction %s is %s, its history ends with %s', t.id, t.status,
        coalesce(h.last, 'nothing'))
      from transactions t
      left join (
        select h.client_id, h.record_id, min(h.to_status) as last from status_history h
        where not exists (select from status_history n
          where (n.client_id, n.record_id, n.from_status)
            = (h.client_id, h.record_id, h.to_status))
        group by 1, 2
      ) h on (h.client_id, h.record_id) = (t.client_id, t.id)
      where t.status
        <> coalesce(h.last, case t.operation when 'BILL' then 'PROCESSING' else 'PENDING' end)`,
  },
  {
    name: 'final-stays',
    says: 'a final status that anybody was ever shown is the status now',
    checked: `
      select (select count(*) from j_calls where answer ? 'transaction')
        + (select count(*) from j_got) as count`,
    broken: `
      select format('transaction %s was shown as %s and is %s', s.id, s.status, t.status) as what
      from (
        select coalesce(record_id, substring(call from '[0-9a-f-]{36}$')) as id,
          answer -> 'transaction' ->> 'Status' as status
        from j_calls where status < 400 or status = 409
        union all select body ->> 'id', body ->> 'STATUS' from j_got
      ) s
      join transactions t on t.id::text = s.id
      where s.status in ('SUCCESS', 'FAILED', 'CANCELLED') and s.status <> t.status`,
  },
  {
    name: 'tenants',
    says: "another client's transaction is answered 404",
    checked: `
      select count(*) from j_calls c
      join transactions t on t.id::text = substring(c.call from '^GET .*/([0-9a-f-]{36})$')
      where t.client_id <> c.client_id`,
    broken: `
      select format('client %s asked %s of client %s and got %s', c.client_id, c.call, t.client_id,
        c.status) as what
      from j_calls c
      join transactions t on t.id::text = substring(c.call from '^GET .*/([0-9a-f-]{36})$')
      where t.client_id <> c.client_id and c.status not in (0, 404, 502, 503)`,
  },
  {
    name: 'refusals',
    says:
      'no answer is a 5xx but 503, or 502 of a proxy whose process died, and a 503 that says ' +
      'that nothing was done tells the truth',
    checked: 'select count(*) from j_calls where status >= 500',
    broken: `
      select format('%s of client %s: %s %s', call, client_id, status, left(answer::text, 200))
        as what
      from j_calls where status >= 500 and status <> 503
        and not (status = 502 and answer ->> 'requestId' = 'none')
      union all
      select format('%s was refused with 503 and recorded: %s', c.external_id,
        left(c.answer::text, 200))
      from j_calls c
      join transactions t on (t.client_id, t.external_id) = (c.client_id, c.external_id)
      where creates is not null and c.status = 503 and c.answer::text not like '%not known%'
        and not exists (select from j_calls o
          where (o.client_id, o.external_id) = (c.client_id, c.external_id)
            and (o.status <> 503 or o.answer::text like '%not known%'))`,
  },
]
