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
