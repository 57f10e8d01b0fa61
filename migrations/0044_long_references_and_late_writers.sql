-- A payment whose reference is too long to keep is a conflict of its own. Not checked for rows that
-- exist: theirs are among the first three.
alter table conflicts drop constraint conflicts_kind_check;
alter table conflicts add constraint conflicts_kind_check check (
  kind in ('late_success', 'contradiction', 'wrong_amount', 'unusable_reference')
) not valid;

-- The first transaction of the database that had not begun to write ten seconds after the limit was
-- set: from there on everybody knows it. Null: not reached yet.
alter table daily_limits add column known_from bigint;

-- Locks the sum of a day. Until everybody has known the limit it is summed up from the payments each
-- time: who did not know it has counted nothing. Ten seconds after it was set nobody begins to write
-- so any more, but a process that was held may commit much later. So the last sum is the first that
-- is made when each transaction from before then has ended. None is as long as an hour.
create or replace function lock_limit_day(
  of_client integer, of_scope text, of_day date, at timestamptz
) returns void language plpgsql as $$
declare
  settled_at timestamptz;
  everybody_from bigint;
  is_last boolean;
  last_counted_at timestamptz;
  first_id uuid;
  next_id uuid;
begin
  select since + interval '10 seconds', known_from into settled_at, everybody_from
  from daily_limits where (client_id, scope) = (of_client, of_scope);
  if not found then return; end if;
  select counted_at into last_counted_at from limit_days
  where (client_id, scope, day) = (of_client, of_scope, of_day) for no key update;
  if not found then
    insert into limit_days as d (client_id, scope, day, amount, count, counted_at)
    values (of_client, of_scope, of_day, 0, 0, '-infinity')
    on conflict (client_id, scope, day) do update set amount = d.amount
    returning d.counted_at into last_counted_at;
  end if;
  if last_counted_at >= settled_at then return; end if;
  is_last := at >= settled_at + interval '1 hour';
  if at >= settled_at and not is_last then
    if everybody_from is null then
      update daily_limits l
      set known_from = coalesce(
        l.known_from, pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
      where (l.client_id, l.scope) = (of_client, of_scope);
    else
      -- Before the sum, whose snapshot is taken afterwards: it sees what they have committed.
      is_last := pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= everybody_from;
    end if;
  end if;
  -- Ids begin with the time in milliseconds: those of a day are neighbours in the index.
  first_id := rpad(lpad(to_hex(
    (extract(epoch from of_day) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
  next_id := rpad(lpad(to_hex(
    (extract(epoch from of_day + 1) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
  update limit_days d
  set amount = s.amount, count = s.count,
    counted_at = case when is_last then at else least(at, settled_at - interval '1 second') end
  from (
    select coalesce(sum(t.amount), 0) as amount, count(*) as count
    from transactions t
    where t.client_id = of_client and t.id >= first_id and t.id < next_id
      and t.status not in ('FAILED', 'CANCELLED')
      -- What an operator sends back is under no limit.
      and t.late_reference is null
      and case t.operation when 'REFUND' then 'REFUND' else t.service_code end = of_scope
  ) s
  where (d.client_id, d.scope, d.day) = (of_client, of_scope, of_day);
end $$;
