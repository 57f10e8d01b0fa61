-- Two people decide that a number of a payer is forgotten before its time.
alter table approvals drop constraint approvals_kind_check;
alter table approvals add constraint approvals_kind_check check (kind in ('fund', 'withdraw',
  'adjust', 'resolve', 'send_back', 'statement', 'statement_withdrawal', 'suspend',
  'grant', 'forget')) not valid;
alter table approvals drop constraint approvals_client_check;
alter table approvals add constraint approvals_client_check check (
  (client_id is null) = (kind in ('statement', 'statement_withdrawal', 'suspend', 'grant',
    'forget'))) not valid;
alter table approvals drop constraint approvals_amount_check;
alter table approvals add constraint approvals_amount_check check (
  amount > 0 or amount = 0 and kind in ('grant', 'statement_withdrawal', 'forget')) not valid;
