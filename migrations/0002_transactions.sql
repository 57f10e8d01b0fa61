-- Who used which external id, whatever it was used for: the one place that makes it unique.
create table external_ids (
  client_id integer not null,
  external_id text not null,
  record_kind text not null check (record_kind in ('transaction', 'bill', 'link')),
  record_id uuid not null,
  primary key (client_id, external_id)
);

create table transactions (
  client_id integer not null,
  id uuid not null,
  key_id uuid not null,
  external_id text,
  operation text not null check (operation in ('CASHOUT', 'CASHIN', 'AIRTIME', 'REFUND')),
  service_code text not null,
  amount bigint not null check (amount > 0),
  fee bigint not null check (fee >= 0),
  phone text not null,
  payee_name text not null,
  callback_url text,
  success_url text not null,
  failure_url text not null,
  reason text,
  original_id uuid, -- what a refund sends back
  refunded bigint not null default 0 check (refunded between 0 and amount),
  status text not null,
  -- The attempt that counts now, and what is known of it.
  attempt_id uuid not null,
  attempt_number smallint not null default 1,
  attempt_state text not null
    check (attempt_state in ('recorded', 'prepared', 'taken', 'unknown', 'not_sent', 'parked')),
  attempted_at timestamptz not null,
  reference text,
  payment_url text,
  polls integer not null default 0,
  otp_tries smallint not null default 0,
  confirmed_at timestamptz, -- when the payer's one-time code was handed on
  hold_id uuid, -- the posting that holds the money of a debit
  balance_before bigint,
  balance_after bigint,
  created_at timestamptz not null,
  completed_at timestamptz,
  due_at timestamptz, -- when somebody must look at it again; the row is the job
  primary key (client_id, id),
  foreign key (client_id, original_id) references transactions (client_id, id)
);
create index on transactions (due_at) where due_at is not null;
create index on transactions (created_at) where completed_at is null and due_at is null;
create index on transactions (client_id, original_id) where original_id is not null;

-- Money in suspense is asked for often and there is little of it.
create index on ledger_entries (client_id) where account = 'suspense';

-- Every id that was ever given to a provider.
create table attempts (
  client_id integer not null,
  id uuid not null,
  transaction_id uuid not null,
  number smallint not null,
  operation text not null,
  created_at timestamptz not null,
  primary key (client_id, id)
);
create index on attempts (client_id, transaction_id);

-- What providers said, when and how we heard it; never changed.
create table evidence (
  client_id integer not null,
  id bigint generated always as identity,
  transaction_id uuid not null,
  attempt_id uuid not null,
  at timestamptz not null,
  source text not null
    check (source in ('prepare', 'answer', 'query', 'callback', 'confirm', 'operator')),
  outcome text not null,
  details jsonb not null,
  dedupe_key text,
  primary key (client_id, id)
);
create index on evidence (client_id, transaction_id);
create unique index on evidence (client_id, attempt_id, dedupe_key) where dedupe_key is not null;

-- Facts that contradict what was decided: for people to resolve.
create table conflicts (
  client_id integer not null,
  id uuid not null,
  transaction_id uuid not null,
  kind text not null check (kind in ('late_success', 'contradiction', 'wrong_amount')),
  details jsonb not null,
  at timestamptz not null,
  primary key (client_id, id),
  unique (client_id, transaction_id, kind)
);

create table status_history (
  client_id integer not null,
  resource text not null,
  record_id uuid not null,
  from_status text not null,
  trigger text not null,
  to_status text not null,
  at timestamptz not null,
  primary key (client_id, record_id, to_status)
);

-- Providers that an operator has paused.
create table provider_pauses (
  provider text not null,
  country text not null,
  reason text not null,
  since timestamptz not null,
  primary key (provider, country)
);

-- Answers to requests that came with an Idempotency-Key.
create table idempotency_keys (
  client_id integer not null,
  key_id uuid not null,
  key text not null,
  fingerprint bytea not null,
  http_status integer,
  body text,
  created_at timestamptz not null,
  primary key (client_id, key_id, key)
);
create index on idempotency_keys (created_at);

create trigger append_only before update or delete or truncate on evidence
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on status_history
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on attempts
  for each statement execute function refuse_change();

grant select, insert, update on transactions, conflicts to passerelle_app;
grant select, insert, delete on external_ids to passerelle_app;
grant select, insert on attempts, evidence, status_history to passerelle_app;
grant select, insert, update, delete on provider_pauses, idempotency_keys to passerelle_app;
