-- Why a transaction failed, in more detail. Not checked for rows that exist: their causes are among
-- the first four.
alter table transactions drop constraint transactions_failure_check;
alter table transactions add constraint transactions_failure_check check (failure in (
  'declined', 'payer_refused', 'payer_timeout', 'already_paid', 'balance_low', 'limit_reached',
  'payer_not_found', 'payer_blocked', 'wrong_code', 'code_expired', 'unavailable', 'operator'
)) not valid;
