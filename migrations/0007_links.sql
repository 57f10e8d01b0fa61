-- A link can be paid once, by many tries, one at a time.
create table links (
  client_id integer not null references clients (id),
  id uuid not null, -- nothing but chance, 128 bits of it: whoever has it may pay
  key_id uuid not null,
  external_id text not null,
  sub_merchant_id text,
  payee_name text not null,
  item_name text not null,
  amount bigint not null check (amount > 0),
  custom_data text,
  callback_url text not null,
  success_url text not null,
  failure_url text not null,
  customer_name text,
  customer_phone text,
  customer_email text,
  language text check (language in ('fr', 'en')),
  status text not null,
  attempts smallint not null default 0,
  open_id uuid, -- the payment under way
  paid_id uuid, -- the payment that succeeded
  created_at timestamptz not null,
  expires_at timestamptz not null,
  completed_at timestamptz,
  due_at timestamptz, -- when it expires, unless a payment is under way
  primary key (client_id, id),
  check (completed_at is null or open_id is null)
);
-- Payers know nothing but the id.
create index on links (id);
create index on links (due_at) where due_at is not null;

alter table clients
  add column link_lifetime_seconds integer not null default 86400
    check (link_lifetime_seconds between 300 and 2592000);

alter table transactions
  add column otp_wrong smallint not null default 0; -- codes that the provider said are wrong

alter table evidence
  drop constraint evidence_source_check,
  add constraint evidence_source_check check (
    source in ('prepare', 'answer', 'query', 'callback', 'confirm', 'operator', 'payer'));

grant select, insert, update on links to passerelle_app;
