import type { Db } from '#data/db/db.ts'
import { longRead } from '#data/db/long-read.ts'
import type { Break } from './break.ts'

interface Row {
  clientId: number
  where: string
  what: string
}

/** Batches whose lines, counts or states do not match their transactions and their history. */
export async function findBatchBreaks(db: Db): Promise<Break[]> {
  const rows = await longRead(db, async (tx) => [
    ...(await tx<Row>`
      select l.client_id as "clientId", format('line %s of batch %s', l.line, l.batch_id) as where,
        what
      from batch_lines l
      left join transactions t on (t.client_id, t.id) = (l.client_id, l.transaction_id)
      cross join lateral (
        select count(*) filter (where p.status = 'SUCCESS') as paid, count(*) as all
        from generate_series(1, l.attempt) as a (attempt)
        join external_ids e on e.client_id = l.client_id
          and e.external_id = coalesce(l.external_id, format('batch-%s-%s', l.batch_id, l.line))
            || case when a.attempt > 1 then '-' || a.attempt else '' end
        join transactions p on (p.client_id, p.id) = (e.client_id, e.record_id)
          and p.operation = 'CASHIN'
          -- As a text: those of other records need not be JSON. Written by customDataOf.
          and starts_with(p.custom_data, format('{"batchId":"%s","line":%s,', l.batch_id, l.line))
      ) made
      cross join lateral (values
        (made.paid > 1, format('was paid %s times', made.paid)),
        (made.paid = 1 and l.state not in ('paid', 'sent', 'sending', 'waiting'),
          format('is %s and was paid', l.state)),
        (l.state = 'paid' and t.status is distinct from 'SUCCESS',
          format('is paid by a transaction that is %s', coalesce(t.status, 'not there'))),
        (l.state = 'failed' and coalesce(t.status, '') not in ('FAILED', 'CANCELLED'),
          format('failed by a transaction that is %s', coalesce(t.status, 'not there'))),
        (t.id is not null and (t.phone, t.amount, t.service_code, t.operation)
          is distinct from (l.phone, l.amount, l.service_code, 'CASHIN'),
          'has the transaction of another payout')
      ) as checks (is_broken, what)
      where is_broken
      limit 100`),
    ...(await tx<Row>`
      select b.client_id as "clientId", format('batch %s', b.id) as where, what
      from batches b
      cross join lateral (
        select count(*) filter (where state = 'faulty') as faulty,
          count(*) filter (where state = 'paid') as paid,
          coalesce(sum(amount) filter (where state = 'paid'), 0) as paid_amount,
          coalesce(sum(amount) filter (where state <> 'faulty'), 0) as amount,
          count(*) filter (where state in ('waiting', 'sending', 'sent')) as unfinished
        from batch_lines where (client_id, batch_id) = (b.client_id, b.id)
      ) l
      cross join lateral (
        select to_state from batch_steps where (client_id, batch_id) = (b.client_id, b.id)
        order by number desc limit 1
      ) step
      cross join lateral (values
        (step.to_state <> b.state, format('is %s, its history says %s', b.state, step.to_state)),
        (l.faulty <> b.faulty or l.amount <> b.amount, 'has other lines than were approved'),
        (b.state = 'finished' and l.unfinished > 0,
          format('is finished with %s lines open', l.unfinished)),
        (b.state = 'finished' and (l.paid, l.paid_amount) <> (b.paid, b.paid_amount),
          format('counts %s paid lines of %s', b.paid, l.paid)),
        (b.state in ('running', 'paused', 'finished') and b.approved_by is null,
          'runs without an approval')
      ) as checks (is_broken, what)
      where is_broken
      limit 100`),
  ])
  return rows.map((row) => ({ promise: 'batch', ...row }))
}
