-- Every payment that came late is a conflict of its own; of the other kinds one is enough.
alter table conflicts drop constraint conflicts_client_id_transaction_id_kind_key;
create unique index on conflicts (client_id, transaction_id, kind) where kind <> 'late_success';
create unique index on conflicts (client_id, transaction_id, (details ->> 'reference'))
  where kind = 'late_success';

-- The payment that a refund of late money sends back: not always the one of its original.
alter table transactions add column late_reference text;

-- A collection that came to nothing may have been paid more than once, and all of it is sent back.
alter table transactions drop constraint transactions_check;
alter table transactions add constraint transactions_refunded_check
  check (refunded >= 0 and (refunded <= amount or status <> 'SUCCESS'));
