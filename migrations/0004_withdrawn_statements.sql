-- What lines of statements that 0.1.0 imported have booked of the gateway's own money, by its rule.
-- Without it a later fact of the same would book the whole again. No payment waits for these rows.
update statement_lines l
set fees_booked = l.fee + case when l.kind = 'fee' and l.result = 'succeeded'
    then -l.sign * l.amount else 0 end,
  transfers_booked = case when l.kind = 'transfer' and l.result = 'succeeded'
    then l.sign * l.amount else 0 end
from statements s
where s.id = l.statement_id and s.state = 'read' and l.bucket <> 'known'
  and (s.fees, s.transfers) <> (0, 0)
  and (l.fee > 0 or l.kind in ('fee', 'transfer'))
  and not exists (
    select from statement_lines o
    where o.statement_id = s.id and (o.fees_booked, o.transfers_booked) <> (0, 0))
  and not exists (
    select from recon_cases c
    where c.statement_id = l.statement_id and c.line = l.line and c.details ? 'earlier'
      and not c.details ? 'ours');

-- A statement can be withdrawn, by two people, and what it told is then judged without it.
alter table approvals drop constraint approvals_kind_check;
alter table approvals add constraint approvals_kind_check check (kind in ('fund', 'withdraw',
  'adjust', 'resolve', 'send_back', 'statement', 'statement_withdrawal', 'suspend',
  'grant')) not valid;
alter table approvals drop constraint approvals_client_check;
alter table approvals add constraint approvals_client_check check (
  (client_id is null)
    = (kind in ('statement', 'statement_withdrawal', 'suspend', 'grant'))) not valid;
alter table approvals drop constraint approvals_amount_check;
alter table approvals add constraint approvals_amount_check check (
  amount > 0 or amount = 0 and kind in ('grant', 'statement_withdrawal')) not valid;

alter table statements drop constraint statements_state_check;
alter table statements add constraint statements_state_check check (
  state in ('reading', 'matching', 'read', 'withdrawing', 'withdrawn')) not valid;
-- One that is judged anew was read before.
alter table statements drop constraint statements_check;
alter table statements add constraint statements_check check (
  case state when 'read' then read_at is not null when 'reading' then read_at is null
    else true end) not valid;
-- The file of one that was withdrawn can be imported again.
alter table statements drop constraint statements_check1;
alter table statements add constraint statements_check1 check (
  state in ('reading', 'withdrawn') or (file_hash is not null and from_at < to_at)) not valid;

alter table recon_cases drop constraint recon_cases_closing_check;
alter table recon_cases add constraint recon_cases_closing_check check (closing in ('resolved',
  'sent_back', 'adjusted', 'ignored', 'explained', 'suspended', 'withdrawn')) not valid;

-- What a file would import, for whoever looks at it before.
alter table statement_files add column survey jsonb;

-- A day of a limit begins at midnight in the country of its service, of refunds in UTC. The other
-- countries are at UTC.
create function limit_zone(of_scope text) returns text language sql immutable as $$
  select case split_part(of_scope, '_', 2) when 'CM' then 'Africa/Douala' else 'UTC' end
$$;

-- By which zone a day is counted; days that began before are those of UTC to their end.
alter table limit_days add column zone text not null default 'UTC';

create or replace function lock_limit_day(
  of_client integer, of_scope text, of_day date, at timestamptz
) returns void language plpgsql as $$
declare
  settled_at timestamptz;
  everybody_from bigint;
  is_last boolean;
  last_counted_at timestamptz;
  of_zone text;
  first_id uuid;
  next_id uuid;
begin
  select since + interval '10 seconds', known_from into settled_at, everybody_from
  from daily_limits where (client_id, scope) = (of_client, of_scope);
  if not found then return; end if;
  select counted_at, zone into last_counted_at, of_zone from limit_days
  where (client_id, scope, day) = (of_client, of_scope, of_day) for no key update;
  if not found then
    insert into limit_days as d (client_id, scope, day, amount, count, counted_at, zone)
    values (of_client, of_scope, of_day, 0, 0, '-infinity', limit_zone(of_scope))
    on conflict (client_id, scope, day) do update set amount = d.amount
    returning d.counted_at, d.zone into last_counted_at, of_zone;
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
    (extract(epoch from of_day::timestamp at time zone of_zone) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
  next_id := rpad(lpad(to_hex(
    (extract(epoch from (of_day + 1)::timestamp at time zone of_zone) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
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
