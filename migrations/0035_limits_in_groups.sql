-- Locks the sums of a day until the end of the transaction. A process may learn late of a new limit,
-- and not count for a moment: until ten seconds after it was set, the day is summed up each time.
create or replace function lock_limit_day(
  of_client integer, of_scope text, of_day date, at timestamptz
) returns void language plpgsql as $$
declare
  settled_at timestamptz;
  last_counted_at timestamptz;
  first_id uuid;
  next_id uuid;
begin
  select since + interval '10 seconds' into settled_at
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
  -- Ids begin with the time in milliseconds: those of a day are neighbours in the index.
  first_id := rpad(lpad(to_hex(
    (extract(epoch from of_day) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
  next_id := rpad(lpad(to_hex(
    (extract(epoch from of_day + 1) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
  update limit_days d
  set amount = s.amount, count = s.count, counted_at = at
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

-- What was one by one in take_limits: the records in the order given, where not all have a place.
create function take_limits_in_turn(checks jsonb, at timestamptz)
returns table (id uuid, refusal text, most bigint, used bigint) language plpgsql as $$
#variable_conflict use_column
declare
  one record;
  recent timestamptz[];
  why text;
  limit_max bigint;
  limit_used bigint;
begin
  for one in
    select c.*, l.amount_max, l.count_max
    from jsonb_to_recordset(checks) as c (
      "position" integer, client_id integer, id uuid, external_id text, scope text, amount bigint,
      day date, phone text, attempts_max integer, is_blocked boolean)
    left join daily_limits l on (l.client_id, l.scope) = (c.client_id, c.scope)
    order by c."position"
  loop
    continue when exists (
      select from transactions t where (t.client_id, t.id) = (one.client_id, one.id));
    continue when one.external_id is not null and not exists (
      select from external_ids e
      where (e.client_id, e.external_id, e.record_id) = (one.client_id, one.external_id, one.id));
    why := case when one.is_blocked then 'blocked' end;
    limit_max := null;
    limit_used := null;
    if why is null and one.attempts_max is not null then
      select array(select made from unnest(n.times) made where made > at - interval '10 minutes')
      into recent from number_attempts n where (n.client_id, n.phone) = (one.client_id, one.phone);
      if cardinality(recent) >= one.attempts_max then
        why := 'attempts';
        limit_max := one.attempts_max;
      end if;
    end if;
    if why is null and (one.amount_max is not null or one.count_max is not null) then
      select case when d.amount + one.amount > one.amount_max then 'amount'
          when d.count + 1 > one.count_max then 'count' end,
        case when d.amount + one.amount > one.amount_max then d.amount else d.count end
      into why, limit_used from limit_days d
      where (d.client_id, d.scope, d.day) = (one.client_id, one.scope, one.day);
      limit_max := case why when 'amount' then one.amount_max else one.count_max end;
      if why is null then
        update limit_days d set amount = d.amount + one.amount, count = d.count + 1
        where (d.client_id, d.scope, d.day) = (one.client_id, one.scope, one.day);
      end if;
    end if;
    if why is null and one.attempts_max is not null then
      update number_attempts n set times = recent || at, last_at = at
      where (n.client_id, n.phone) = (one.client_id, one.phone);
    end if;
    if why is not null then
      delete from external_ids e
      where (e.client_id, e.external_id) = (one.client_id, one.external_id);
    end if;
    return query select one.id, why, limit_max, limit_used;
  end loop;
end $$;

-- Counts records that are being made, in the order given, or refuses them: then their external ids
-- are released, and the statement behind this one, which inserts those that own their ids, leaves
-- them out. A repeat and a used external id count nothing, and are not in the answer.
--
-- A group in which everybody has a place, as nearly always, is counted as a whole: one write for
-- each sum, not one for each record.
create or replace function take_limits(checks jsonb, at timestamptz)
returns table (id uuid, refusal text, most bigint, used bigint) language plpgsql as $$
#variable_conflict use_column
begin
  -- Locks are taken in one order, so that two groups never wait for each other.
  perform lock_limit_day(d.client_id, d.scope, d.day, at)
  from (
    select distinct client_id, scope, day
    from jsonb_to_recordset(checks) as c (client_id integer, scope text, day date)
    where scope is not null order by 1, 2, 3
  ) d;
  insert into number_attempts as n (client_id, phone, times, last_at)
  select distinct c.client_id, c.phone, '{}'::timestamptz[], at
  from jsonb_to_recordset(checks) as c (client_id integer, phone text, attempts_max integer)
  where c.attempts_max is not null order by 1, 2
  on conflict (client_id, phone) do update set last_at = n.last_at;
  return query
    with fresh as materialized (
      select c.*
      from jsonb_to_recordset(checks) as c (
        client_id integer, id uuid, external_id text, scope text, amount bigint, day date,
        phone text, attempts_max integer, is_blocked boolean)
      where not exists (
          select from transactions t where t.client_id = c.client_id and t.id = c.id)
        and (c.external_id is null or exists (
          select from external_ids e
          where e.client_id = c.client_id and e.external_id = c.external_id
            and e.record_id = c.id))
    ), sums as materialized (
      select f.client_id, f.scope, f.day, l.amount_max, l.count_max,
        sum(f.amount)::bigint as amount, count(*) as count
      from fresh f join daily_limits l on l.client_id = f.client_id and l.scope = f.scope
      group by 1, 2, 3, 4, 5
    ), numbers as materialized (
      select f.client_id, f.phone, min(f.attempts_max) as attempts_max, count(*)::integer as tries
      from fresh f where f.attempts_max is not null group by 1, 2
    ), recent as materialized (
      select m.*, array(
        select made from unnest(n.times) made where made > at - interval '10 minutes') as times
      from numbers m
      join number_attempts n on n.client_id = m.client_id and n.phone = m.phone
    ), everybody as materialized (
      select from (values (1)) one
      where not exists (select from fresh where is_blocked)
        and not exists (
          select from sums s
          join limit_days d on d.client_id = s.client_id and d.scope = s.scope and d.day = s.day
          where d.amount + s.amount > s.amount_max or d.count + s.count > s.count_max)
        and not exists (select from recent where cardinality(times) + tries > attempts_max)
    ), counted as (
      update limit_days d set amount = d.amount + s.amount, count = d.count + s.count
      from sums s, everybody
      where d.client_id = s.client_id and d.scope = s.scope and d.day = s.day
    ), tried as (
      update number_attempts n
      set times = r.times || array_fill(at, array[r.tries]), last_at = at
      from recent r, everybody
      where n.client_id = r.client_id and n.phone = r.phone
    )
    select f.id, null::text, null::bigint, null::bigint from fresh f, everybody;
  if not found then
    return query select * from take_limits_in_turn(checks, at);
  end if;
end $$;
