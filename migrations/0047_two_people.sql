-- Since when a person may approve, and who gave them that right. Null: they may approve at once, as
-- those may who were there before, or whom the command line of the server made first.
alter table people add column approver_since timestamptz;
alter table people add column approver_by text;

-- A right to approve, and what a statement proves, are proposed like money that is moved by hand:
-- neither belongs to one client. What one person did alone is kept too (`alone`), for its sums.
alter table approvals alter column client_id drop not null;
alter table approvals drop constraint approvals_kind_check;
alter table approvals add constraint approvals_kind_check check (
  kind in ('fund', 'withdraw', 'adjust', 'resolve', 'send_back', 'statement', 'grant'));
alter table approvals add constraint approvals_client_check
  check ((client_id is null) = (kind in ('statement', 'grant')));
alter table approvals drop constraint approvals_amount_check;
alter table approvals add constraint approvals_amount_check
  check (amount > 0 or amount = 0 and kind = 'grant');
alter table approvals drop constraint approvals_state_check;
alter table approvals add constraint approvals_state_check
  check (state in ('open', 'approved', 'refused', 'expired', 'alone'));
alter table approvals drop constraint approvals_check1;
alter table approvals add constraint approvals_outcome_check
  check ((state in ('approved', 'alone')) = (outcome is not null));
create index on approvals (proposed_at) where state = 'alone';

-- Lines that wait for a proposal, until what they prove is recorded.
create table held_lines (
  statement_id uuid not null references statements (id),
  line integer not null,
  approval_id uuid not null references approvals (id),
  primary key (statement_id, line)
);
create index on held_lines (approval_id);

grant select, insert, delete on held_lines to passerelle_app;
