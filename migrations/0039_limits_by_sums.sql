-- Counts a group of records that are being made, or refuses some of them. The caller has added them
-- up by sum (client, scope, day) and by number, each in the order of its key: a group in which
-- everybody has a place, as nearly always, costs one write for each sum and number, and answers with
-- one row without an id. The caller takes repeats out again: it knows them after this statement.
--
-- Otherwise nothing is counted by sums: the records are gone through in turn, as in take_limits,
-- which processes of the version before still call. Their texts are read only then.
create function take_limits_of_group(
  sum_clients integer[], sum_scopes text[], sum_days date[], sum_amounts bigint[],
  sum_counts integer[], try_clients integer[], try_phones text[], try_counts integer[],
  try_maxes integer[], is_blocked boolean, checks text, at timestamptz
) returns table (id uuid, refusal text, most bigint, used bigint) language plpgsql as $$
#variable_conflict use_column
declare
  has_place boolean := not is_blocked;
  new_clients integer[] := '{}';
  new_phones text[] := '{}';
begin
  for i in 1 .. cardinality(sum_clients) loop
    perform lock_limit_day(sum_clients[i], sum_scopes[i], sum_days[i], at);
  end loop;
  if cardinality(try_phones) > 0 then
    with made as (
      insert into number_attempts (client_id, phone, times, last_at)
      select client_id, phone, array_fill(at, array[tries]), at
      from unnest(try_clients, try_phones, try_counts) as t (client_id, phone, tries)
      on conflict do nothing
      returning client_id, phone
    )
    select coalesce(array_agg(client_id), '{}'), coalesce(array_agg(phone), '{}')
    into new_clients, new_phones from made;
    has_place := has_place and not exists (
      select from unnest(try_counts, try_maxes) as t (tries, most) where tries > most);
    if cardinality(new_phones) < cardinality(try_phones) then
      select has_place and coalesce(bool_and(tries + (
        select count(*) from unnest(times) made where made > at - interval '10 minutes'
      ) <= most), true) into has_place
      from (
        select n.times, t.tries, t.most
        from unnest(try_clients, try_phones, try_counts, try_maxes)
          as t (client_id, phone, tries, most)
        join number_attempts n on n.client_id = t.client_id and n.phone = t.phone
        where (t.client_id, t.phone) not in (select * from unnest(new_clients, new_phones))
        order by t.client_id, t.phone for no key update of n
      ) l;
    end if;
  end if;
  has_place := has_place and not exists (
    select from unnest(sum_clients, sum_scopes, sum_days, sum_amounts, sum_counts)
      as s (client_id, scope, day, amount, count)
    join daily_limits l on l.client_id = s.client_id and l.scope = s.scope
    join limit_days d on d.client_id = s.client_id and d.scope = s.scope and d.day = s.day
    where d.amount + s.amount > l.amount_max or d.count + s.count > l.count_max);
  if not has_place then
    update number_attempts n set times = '{}'
    from unnest(new_clients, new_phones) as t (client_id, phone)
    where n.client_id = t.client_id and n.phone = t.phone;
    return query select * from take_limits_in_turn(checks::jsonb, at);
    return;
  end if;
  if cardinality(new_phones) < cardinality(try_phones) then
    update number_attempts n
    set last_at = at, times = array(
      select made from unnest(n.times) made where made > at - interval '10 minutes'
    ) || array_fill(at, array[t.tries])
    from unnest(try_clients, try_phones, try_counts) as t (client_id, phone, tries)
    where n.client_id = t.client_id and n.phone = t.phone
      and (t.client_id, t.phone) not in (select * from unnest(new_clients, new_phones));
  end if;
  update limit_days d set amount = d.amount + s.amount, count = d.count + s.count
  from unnest(sum_clients, sum_scopes, sum_days, sum_amounts, sum_counts)
    as s (client_id, scope, day, amount, count)
  join daily_limits l on l.client_id = s.client_id and l.scope = s.scope
  where d.client_id = s.client_id and d.scope = s.scope and d.day = s.day;
  return query select null::uuid, null::text, null::bigint, null::bigint;
end $$;

-- Each try of a number wrote into this index too. Numbers of the last minutes are few enough to be
-- read when the old ones are deleted.
drop index number_attempts_last_at_idx;
