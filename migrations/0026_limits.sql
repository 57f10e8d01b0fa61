-- What a client may move in a day: through a service, or sent back by refunds (scope REFUND).
create table daily_limits (
  client_id integer not null references clients (id),
  scope text not null,
  amount_max bigint check (amount_max > 0),
  count_max bigint check (count_max > 0),
  -- Since when its days are counted.
  since timestamptz not null,
  primary key (client_id, scope),
  check (amount_max is not null or count_max is not null)
);

-- What has been recorded in a day (UTC) under a limit, without what has ended unpaid.
create table limit_days (
  client_id integer not null,
  scope text not null,
  day date not null,
  amount bigint not null,
  count bigint not null,
  -- When it was last summed up from the transactions; each change since then was counted.
  counted_at timestamptz not null,
  primary key (client_id, scope, day)
) with (fillfactor = 50);

-- How often a client may try one payer's number in ten minutes.
create table attempt_limits (
  client_id integer primary key references clients (id),
  attempts_max integer not null check (attempts_max between 1 and 1000)
);

-- The times of the tries of the last ten minutes, where a client has such a limit.
create table number_attempts (
  client_id integer not null,
  -- Country and nine digits: SN771234567.
  phone text not null,
  times timestamptz[] not null,
  last_at timestamptz not null,
  primary key (client_id, phone)
) with (fillfactor = 50);
create index on number_attempts (last_at);

-- Numbers with which nothing new begins, whoever the client is.
create table blocked_numbers (
  phone text primary key,
  reason text not null check (reason <> ''),
  actor text not null,
  blocked_at timestamptz not null,
  expires_at timestamptz
);

-- Incremented by each change of a limit or a block; processes read the rules again by it.
create table limit_version (
  only_row boolean primary key default true check (only_row),
  version bigint not null default 0
);
insert into limit_version default values;

-- Locks the sums of a day until the end of the transaction. A process may learn late of a new limit,
-- and not count for a moment: until ten seconds after it was set, the day is summed up each time.
create function lock_limit_day(
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
  insert into limit_days as d (client_id, scope, day, amount, count, counted_at)
  values (of_client, of_scope, of_day, 0, 0, '-infinity')
  on conflict (client_id, scope, day) do update set amount = d.amount
  returning d.counted_at into last_counted_at;
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

-- Counts records that are being made, in the order given, or refuses them: then their external ids
-- are released, and the statement behind this one, which inserts those that own their ids, leaves
-- them out. A repeat and a used external id count nothing, and are not in the answer.
create function take_limits(checks jsonb, at timestamptz)
returns table (id uuid, refusal text, most bigint, used bigint) language plpgsql as $$
#variable_conflict use_column
declare
  one record;
  recent timestamptz[];
  why text;
  limit_max bigint;
  limit_used bigint;
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

-- Takes records out of the sums of their days: they have ended unpaid.
create function free_limits(counted jsonb, at timestamptz) returns void language plpgsql as $$
begin
  perform lock_limit_day(d.client_id, d.scope, d.day, at)
  from (
    select distinct client_id, scope, day
    from jsonb_to_recordset(counted) as c (client_id integer, scope text, day date)
    order by 1, 2, 3
  ) d;
  update limit_days d
  set amount = d.amount - c.amount, count = d.count - c.count
  from (
    select client_id, scope, day, sum(amount) as amount, count(*) as count
    from jsonb_to_recordset(counted) as c (client_id integer, scope text, day date, amount bigint)
    group by 1, 2, 3
  ) c
  where (d.client_id, d.scope, d.day) = (c.client_id, c.scope, c.day);
end $$;

grant select, insert, update, delete
  on daily_limits, limit_days, attempt_limits, number_attempts, blocked_numbers to passerelle_app;
grant select, update on limit_version to passerelle_app;
