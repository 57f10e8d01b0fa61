-- A bill payment is a transaction that names its bill; a payment through a link names its link.
alter table transactions
  add column sub_merchant_id text,
  add column link_id uuid,
  add column bill_reference text,
  add column custom_data text,
  add column sealed_token text, -- recharge codes, which are as good as cash
  add column failure text check (
    failure in ('declined', 'payer_refused', 'payer_timeout', 'already_paid')),
  drop constraint transactions_operation_check,
  add constraint transactions_operation_check
    check (operation in ('CASHOUT', 'CASHIN', 'AIRTIME', 'REFUND', 'BILL'));
create index on transactions (client_id, link_id) where link_id is not null;

-- Who pays a bill: one transaction, whoever's it is. The row goes when that payment fails. Not led
-- by the client, because two clients may be asked to pay the same bill.
create table bill_claims (
  service_code text not null,
  account text not null, -- as the biller writes it
  bill_reference text not null,
  client_id integer not null,
  transaction_id uuid not null,
  primary key (service_code, account, bill_reference)
);
create index on bill_claims (client_id, transaction_id);

grant select, insert, delete on bill_claims to passerelle_app;
