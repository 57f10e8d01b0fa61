-- The whole schema. Each table stands with its indexes, triggers and rights. No name has a schema:
-- all is made in the first one of the login's search_path, which need not be `public`.

-- The application runs as this role, which may add entries to the ledger and never change them.
-- A login that may not create roles needs an administrator to create it first and grant it.
do $$
begin
  if not exists (select from pg_roles where rolname = 'passerelle_app') then
    begin
      create role passerelle_app nologin;
    exception when duplicate_object or unique_violation then
      null; -- another database of the same server was quicker
    end;
  end if;
  -- From 16 on, whoever creates a role is its member but may not yet take it on.
  if not pg_has_role(current_user, 'passerelle_app',
    case when current_setting('server_version_num')::integer < 160000 then 'member' else 'set' end
  ) then
    execute format('grant passerelle_app to %I', current_user);
  end if;
  execute format('grant usage on schema %I to passerelle_app', current_schema());
end $$;

-- Made by whoever applies migrations.
grant select on schema_migrations to passerelle_app;

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

------------------------------------------------------------------------------------------------
-- Clients, their keys and shops
------------------------------------------------------------------------------------------------

create table clients (
  id integer generated always as identity primary key,
  name text not null unique check (name <> ''),
  merchant_status text not null default 'active'
    check (merchant_status in ('pending', 'active', 'suspended')),
  tier text not null default 'standard' check (tier in ('standard', 'enterprise')),
  rate_per_minute integer not null default 100 check (rate_per_minute > 0),
  callback_url text,
  -- Where the merchant is written to, and in which language.
  email text check (email <> ''),
  language text not null default 'fr' check (language in ('fr', 'en')),
  -- The zone of dates in pages and statements.
  time_zone text not null default 'Africa/Dakar',
  -- Of payment pages.
  colour text check (colour ~ '^#[0-9a-f]{6}$'),
  link_lifetime_seconds integer not null default 86400
    check (link_lifetime_seconds between 300 and 2592000),
  is_demo boolean not null default false,
  created_at timestamptz not null
);
grant select, insert, update on clients to passerelle_app;

-- Pages refer to a logo by its hash.
create table client_logos (
  client_id integer primary key references clients (id),
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  media_type text not null check (media_type in ('image/png', 'image/jpeg', 'image/webp')),
  width integer not null check (width > 0),
  height integer not null check (height > 0),
  bytes bytea not null check (octet_length(bytes) <= 65536)
);
create index on client_logos (hash);
grant select, insert, update, delete on client_logos to passerelle_app;

-- Which services a client may use, at what price and within which amounts.
create table client_services (
  client_id integer not null references clients (id),
  service_code text not null,
  is_enabled boolean not null default true,
  fee_fixed bigint not null default 0 check (fee_fixed >= 0),
  fee_basis_points integer not null default 0 check (fee_basis_points between 0 and 10000),
  fee_min bigint not null default 0 check (fee_min >= 0),
  fee_max bigint check (fee_max >= fee_min),
  amount_min bigint check (amount_min > 0),
  amount_max bigint check (amount_max >= amount_min),
  primary key (client_id, service_code)
);
grant select, insert, update on client_services to passerelle_app;

-- A key is an identity; its secrets come and go with rotation.
create table api_keys (
  client_id integer not null references clients (id),
  id uuid not null,
  label text not null,
  -- What it may do.
  rights text[] not null check (
    cardinality(rights) > 0
    and rights <@ array['read', 'collect', 'links', 'pay', 'refund', 'prepare']),
  -- What it sees of its client: the records that it created, or all of them.
  scope text not null default 'key' check (scope in ('key', 'client')),
  allowed_addresses cidr[] not null default '{}',
  rate_per_minute integer check (rate_per_minute > 0),
  created_at timestamptz not null,
  last_used_at timestamptz, -- within a minute; null: never
  revoked_at timestamptz,
  primary key (client_id, id)
);
grant select, insert, update on api_keys to passerelle_app;

create table api_key_secrets (
  hash bytea primary key,
  client_id integer not null,
  key_id uuid not null,
  prefix text not null,
  last_four text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  foreign key (client_id, key_id) references api_keys (client_id, id)
);
create index on api_key_secrets (client_id, key_id);
grant select, insert, update on api_key_secrets to passerelle_app;

create table webhook_secrets (
  client_id integer not null references clients (id),
  id uuid not null,
  sealed bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  primary key (client_id, id)
);
grant select, insert, update, delete on webhook_secrets to passerelle_app;

-- Shops of a client, by the names that payers are shown. They are switched off, never deleted.
create table sub_merchants (
  client_id integer not null references clients (id),
  id text not null check (id ~ '^sm-[0-9a-f]{12}$'),
  number integer not null check (number > 0), -- counts up without a gap: a page is a range of it
  name text not null check (name <> ''),
  commercial_name text not null check (commercial_name <> ''),
  countries text[] not null check (
    cardinality(countries) > 0 and countries <@ array['SN', 'CI', 'CM', 'BJ', 'BF', 'GN']),
  description text,
  legal_name text,
  business_activity text,
  manager_name text,
  website_url text,
  phone_number text,
  city text,
  address text,
  zipcode text,
  is_active boolean not null default true,
  is_default boolean not null default false, -- names the payer's screen when a payment names none
  created_at timestamptz not null,
  primary key (client_id, id),
  unique (client_id, number),
  check (is_active or not is_default)
);
create unique index on sub_merchants (client_id) where is_default;
grant select, insert, update on sub_merchants to passerelle_app;

------------------------------------------------------------------------------------------------
-- The ledger
------------------------------------------------------------------------------------------------

-- A merchant's money: the only accounts with a running balance, and the only rows payments lock.
create table ledger_accounts (
  client_id integer not null references clients (id),
  kind text not null check (kind in ('available', 'held')),
  balance bigint not null default 0 check (balance >= 0),
  version bigint not null default 0 check (version >= 0),
  head bytea not null,
  anchored_version bigint not null default 0,
  updated_at timestamptz not null,
  primary key (client_id, kind)
);
grant select, insert, update on ledger_accounts to passerelle_app;

create table ledger_postings (
  client_id integer not null,
  id uuid not null,
  kind text not null,
  ref text not null,
  resolves uuid, -- the hold that this posting captures or releases
  created_at timestamptz not null,
  digest bytea not null,
  primary key (client_id, id),
  unique (client_id, kind, ref),
  foreign key (client_id, resolves) references ledger_postings (client_id, id)
);
-- Only postings that end a hold are looked for by it: all others would only mislead the planner,
-- which once took this index for any question about a client's postings.
create unique index on ledger_postings (client_id, resolves) where resolves is not null;
create index on ledger_postings (created_at);
create trigger append_only before update or delete or truncate on ledger_postings
  for each statement execute function refuse_change();
grant select, insert on ledger_postings to passerelle_app;

-- Merchants' entries carry the balance before and after, a version without gaps and a hash chained
-- to the entry before; system accounts are only ever added to, so that nobody waits for them.
create table ledger_entries (
  client_id integer not null,
  posting_id uuid not null,
  line smallint not null,
  account text not null,
  currency text not null check (currency in ('XOF', 'XAF')),
  amount bigint not null check (amount <> 0),
  before bigint,
  after bigint check (after >= 0 and after = before + amount),
  version bigint,
  hash bytea,
  primary key (client_id, posting_id, line),
  check ((account in ('available', 'held')) = (version is not null)),
  check ((version is null) = (before is null)),
  check ((version is null) = (after is null)),
  check ((version is null) = (hash is null))
);
create unique index on ledger_entries (client_id, account, version) where version is not null;
-- Money in suspense is asked for often and there is little of it.
create index on ledger_entries (client_id) where account = 'suspense';
create trigger append_only before update or delete or truncate on ledger_entries
  for each statement execute function refuse_change();
grant select, insert on ledger_entries to passerelle_app;

-- Whether each line has its posting is asked once for all lines of a statement: asked for each
-- line, as a foreign key does, it took a tenth of the database's time.
create function refuse_lines_without_posting() returns trigger language plpgsql as $$
begin
  if exists (
    select from lines l
    where not exists (
      select from ledger_postings p where (p.client_id, p.id) = (l.client_id, l.posting_id))
  ) then
    raise foreign_key_violation using message = 'a line of the ledger without a posting';
  end if;
  return null;
end $$;
create trigger lines_have_postings after insert on ledger_entries
  referencing new table as lines
  for each statement execute function refuse_lines_without_posting();

-- A short chain over the accounts' heads, written now and then and copied outside the database.
create table ledger_anchors (
  number integer primary key,
  heads jsonb not null, -- [client, account, version, hash] of every account that moved
  hash bytea not null,
  created_at timestamptz not null
);
create trigger append_only before update or delete or truncate on ledger_anchors
  for each statement execute function refuse_change();
grant select, insert on ledger_anchors to passerelle_app;

------------------------------------------------------------------------------------------------
-- Transactions, and what providers say of them
------------------------------------------------------------------------------------------------

-- Who used which external id, whatever it was used for: the one place that makes it unique.
create table external_ids (
  client_id integer not null,
  external_id text not null,
  record_kind text not null check (record_kind in ('transaction', 'bill', 'link')),
  record_id uuid not null,
  primary key (client_id, external_id)
);
grant select, insert, delete on external_ids to passerelle_app;

-- A bill payment is a transaction that names its bill; a payment through a link names its link.
create table transactions (
  client_id integer not null,
  id uuid not null,
  key_id uuid not null,
  external_id text,
  operation text not null check (operation in ('CASHOUT', 'CASHIN', 'AIRTIME', 'REFUND', 'BILL')),
  service_code text not null,
  amount bigint not null check (amount > 0),
  fee bigint not null check (fee >= 0),
  phone text not null,
  payee_name text not null,
  sub_merchant_id text,
  link_id uuid,
  bill_reference text,
  custom_data text,
  callback_url text,
  success_url text not null,
  failure_url text not null,
  reason text,
  original_id uuid, -- what a refund sends back
  -- The payment that a refund of late money sends back: not always the one of its original.
  late_reference text,
  refunded bigint not null default 0,
  status text not null,
  failure text check (failure in (
    'declined', 'payer_refused', 'payer_timeout', 'already_paid', 'balance_low', 'limit_reached',
    'payer_not_found', 'payer_blocked', 'wrong_code', 'code_expired', 'unavailable', 'operator'
  )),
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
  otp_wrong smallint not null default 0, -- codes that the provider said are wrong
  confirmed_at timestamptz, -- when the payer's one-time code was handed on
  sealed_token text, -- recharge codes, which are as good as cash
  hold_id uuid, -- the posting that holds the money of a debit
  balance_before bigint,
  balance_after bigint,
  -- Counts the changes of a row, so that a process may decide on the copy that it has in memory and
  -- find out, when it writes, whether somebody else was quicker.
  version integer not null default 0,
  created_at timestamptz not null,
  completed_at timestamptz,
  due_at timestamptz, -- when somebody must look at it again; the row is the job
  primary key (client_id, id),
  foreign key (client_id, original_id) references transactions (client_id, id),
  -- A collection that came to nothing may have been paid more than once, and all of it is sent
  -- back.
  constraint transactions_refunded_check
    check (refunded >= 0 and (refunded <= amount or status <> 'SUCCESS'))
);
create index on transactions (due_at) where due_at is not null;
create index on transactions (created_at) where completed_at is null and due_at is null;
create index on transactions (client_id, id) where completed_at is null;
create index on transactions (client_id, original_id) where original_id is not null;
create index on transactions (client_id, link_id) where link_id is not null;
create index on transactions (client_id, sub_merchant_id, id) where sub_merchant_id is not null;
-- What dashboards look for. The first five digits of an id stand for three days: the entries of new
-- payments stay together, however long the history is.
create index transactions_client_id_reference_idx
  on transactions (client_id, (left(id::text, 5)), reference) where reference is not null;
-- It holds the columns of the primary key, behind others. While the table is small it costs a
-- search by that key as little as the key's own index does, and is taken for it; once the table has
-- grown, such a search reads all of a client's part. With a condition on the column in between only
-- searches that name that column can use it.
create index transactions_phone_idx
  on transactions (client_id, (left(id::text, 5)), phone, id) where phone is not null;
grant select, insert, update on transactions to passerelle_app;

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
-- What is asked for by its own id must not be looked for among all of a client's rows, which any
-- index that begins with the client allows.
create index on attempts (transaction_id);
create trigger append_only before update or delete or truncate on attempts
  for each statement execute function refuse_change();
grant select, insert on attempts to passerelle_app;

-- What providers said, when and how we heard it.
create table evidence (
  client_id integer not null,
  id bigint generated always as identity,
  transaction_id uuid not null,
  attempt_id uuid not null,
  at timestamptz not null,
  source text not null check (source in (
    'prepare', 'answer', 'query', 'callback', 'confirm', 'operator', 'payer', 'statement')),
  outcome text not null,
  details jsonb not null,
  dedupe_key text,
  -- One index instead of two: evidence is only looked for by its transaction.
  primary key (client_id, transaction_id, id)
);
-- src/transactions/evidence-store.ts knows it by its name.
create unique index evidence_client_id_attempt_id_dedupe_key_idx
  on evidence (client_id, attempt_id, dedupe_key) where dedupe_key is not null;

-- What may be forgotten is forgotten, and nothing else of a record can change
-- (docs/decisions/0068). Of evidence the excerpt of what a provider sent may go.
create function forget_evidence() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'details' <> to_jsonb(old) - 'details'
    or new.details <> old.details - 'excerpt' then
    raise exception 'evidence can only lose its excerpt' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger forget_only before update on evidence
  for each row execute function forget_evidence();
create trigger append_only before delete or truncate on evidence
  for each statement execute function refuse_change();
grant select, insert, update (details) on evidence to passerelle_app;

-- Facts that contradict what was decided: for people to resolve. One that an operator has dealt
-- with is closed, and no longer counts.
create table conflicts (
  client_id integer not null,
  id uuid not null,
  transaction_id uuid not null,
  kind text not null check (
    kind in ('late_success', 'contradiction', 'wrong_amount', 'unusable_reference')),
  details jsonb not null,
  at timestamptz not null,
  closed_at timestamptz,
  closed_by text,
  closing_reason text,
  primary key (client_id, id),
  check ((closed_at is null) = (closed_by is null)
    and (closed_at is null) = (closing_reason is null))
);
-- Every payment that came late is a conflict of its own; of the other kinds one is enough.
create unique index on conflicts (client_id, transaction_id, kind) where kind <> 'late_success';
create unique index on conflicts (client_id, transaction_id, (details ->> 'reference'))
  where kind = 'late_success';
create index on conflicts (at) where closed_at is null;
grant select, insert, update on conflicts to passerelle_app;

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
create trigger append_only before update or delete or truncate on status_history
  for each statement execute function refuse_change();
grant select, insert on status_history to passerelle_app;

-- Providers that an operator has paused.
create table provider_pauses (
  provider text not null,
  country text not null,
  reason text not null,
  since timestamptz not null,
  primary key (provider, country)
);
grant select, insert, update, delete on provider_pauses to passerelle_app;

------------------------------------------------------------------------------------------------
-- Bills
------------------------------------------------------------------------------------------------

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

------------------------------------------------------------------------------------------------
-- Payment links
------------------------------------------------------------------------------------------------

-- A link can be paid once, by many tries, one at a time.
create table links (
  client_id integer not null,
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
-- Ids are random: the list, newest first, needs an index of its own. With the condition, which
-- always holds, no search by the primary key takes it.
create index links_created_at_idx
  on links (client_id, created_at, id) where created_at is not null;
-- Links that were tried and are still open: what their failed payments were is not summed up yet.
create index on links (client_id) where completed_at is null and attempts > 0;
grant select, insert, update on links to passerelle_app;

------------------------------------------------------------------------------------------------
-- Requests to the interface
------------------------------------------------------------------------------------------------

-- What a request with an Idempotency-Key makes and was answered. The id of its record is decided
-- before anything is done. Who carries the request out has the claim, until a time that it moves on
-- while it works.
create table idempotency_keys (
  client_id integer not null,
  key_id uuid not null,
  key text not null,
  fingerprint bytea not null,
  record_id uuid not null,
  claim uuid not null,
  claimed_until timestamptz not null,
  -- The answer, sealed; null: there is none yet.
  http_status integer,
  body text,
  created_at timestamptz not null,
  primary key (client_id, key_id, key)
);
create index on idempotency_keys (created_at);
grant select, insert, update, delete on idempotency_keys to passerelle_app;

-- How many requests each key has sent in its current minute, through all processes. Without a log
-- of changes: what a crash empties is a minute's count.
create unlogged table request_rates (
  key_id uuid primary key,
  requests integer not null,
  ends_at timestamptz not null
);
grant select, insert, update on request_rates to passerelle_app;

-- Requests to the interface with a valid key, for the merchant's developers: no bodies, no secrets.
-- A partition holds three days, and is emptied as a whole when they are more than 30 days ago:
-- nothing is deleted row by row. There are twelve, used in rotation.
create table api_requests (
  slot smallint not null, -- days since 1970 divided by three, modulo twelve
  client_id integer not null,
  request_id text collate "C" not null, -- begins with its time, so that it sorts by time
  at timestamptz not null,
  key_id uuid not null,
  method text not null,
  path text not null, -- without the query; phone numbers masked
  status smallint not null,
  duration_ms integer not null,
  code text, -- what was wrong; null: it succeeded
  messages text -- a sentence on each line
) partition by list (slot);

do $$
begin
  for slot in 0..11 loop
    execute format('create table %1$I partition of api_requests for values in (%2$s)',
      'api_requests_' || chr(97 + slot), slot);
    execute format('grant select, truncate on %I to passerelle_app',
      'api_requests_' || chr(97 + slot));
  end loop;
end $$;

create index on api_requests (client_id, request_id);
create index on api_requests (client_id, request_id) where status >= 400;
grant select, insert on api_requests to passerelle_app;

------------------------------------------------------------------------------------------------
-- Webhooks
------------------------------------------------------------------------------------------------

-- What merchants are told, in the order in which it became true: positions have no gaps, and a
-- lower one is never committed after a higher one of the same client.
create table events (
  client_id integer not null,
  id uuid not null,
  position bigint not null,
  -- The key that created the event's record: the feed shows a key no other events.
  key_id uuid not null,
  record_kind text not null check (record_kind in ('transaction', 'bill', 'link')),
  record_id uuid not null,
  body text not null, -- the bytes that every delivery sends
  -- Whether the recharge code of a top-up was written into its event after the event was delivered
  -- without it: what is delivered from then on is another message, under an id of its own.
  is_completed boolean not null default false,
  created_at timestamptz not null,
  primary key (client_id, id),
  unique (client_id, position),
  unique (client_id, record_id)
);
-- With the key before the position, the events of one key are found without reading the others.
create index on events (client_id, key_id, position);

-- Of an event the number may become a pseudonym, a sealed body may be completed, and nothing else
-- may change. A sealed body stays sealed.
create function forget_number_of_event() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'body' - 'is_completed' <> to_jsonb(old) - 'body' - 'is_completed'
    or new.is_completed < old.is_completed
    or new.is_completed and not starts_with(new.body, 'sealed:')
    or starts_with(old.body, 'sealed:') <> starts_with(new.body, 'sealed:')
    or not starts_with(old.body, 'sealed:') and (
      old.body::jsonb - 'PHONE_NUMBER' <> new.body::jsonb - 'PHONE_NUMBER'
      or new.body::jsonb ->> 'PHONE_NUMBER' !~ '^anon-[a-p]{16}$') then
    raise exception 'an event can only lose its number' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger forget_only before update on events
  for each row execute function forget_number_of_event();
create trigger append_only before delete or truncate on events
  for each statement execute function refuse_change();
grant select, insert, update (body, is_completed) on events to passerelle_app;

-- The last position of each client. Its lock is what keeps commit order and positions the same.
create table event_positions (
  client_id integer primary key,
  last bigint not null
);
grant select, insert, update on event_positions to passerelle_app;

-- No foreign key to the event: both are written together, and neither is ever deleted. Ids begin
-- with their moment: by them deliveries are in the order of time already.
create table deliveries (
  client_id integer not null,
  id uuid not null,
  event_id uuid not null,
  endpoint text not null, -- the url's origin
  url text not null,
  state text not null check (state in ('pending', 'delivered', 'exhausted', 'stopped')),
  tries smallint not null default 0,
  due_at timestamptz, -- when to try next; the row is the job
  created_at timestamptz not null,
  ended_at timestamptz,
  primary key (client_id, id)
);
create index on deliveries (event_id);
-- Read endpoint by endpoint, so that a flood at one does not hide the others.
create index on deliveries (client_id, endpoint, due_at) where due_at is not null;
create index on deliveries (ended_at) where state = 'exhausted';
create index on deliveries (client_id, ended_at) where state = 'exhausted';
-- Those that were given up: few among many, and what people look for.
create index on deliveries (client_id, id) where state in ('exhausted', 'stopped');
grant select, insert, update on deliveries to passerelle_app;

create table delivery_attempts (
  client_id integer not null,
  delivery_id uuid not null,
  number smallint not null,
  at timestamptz not null,
  http_status integer,
  duration_ms integer not null,
  problem text,
  excerpt text not null, -- the first bytes of the answer
  primary key (client_id, delivery_id, number)
);

-- Of a try to deliver the receiver's answer may go, and nothing else.
create function forget_answer() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'excerpt' <> to_jsonb(old) - 'excerpt' or new.excerpt <> '' then
    raise exception 'a delivery attempt can only lose its answer'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger forget_only before update on delivery_attempts
  for each row execute function forget_answer();
create trigger append_only before delete or truncate on delivery_attempts
  for each statement execute function refuse_change();
grant select, insert, update (excerpt) on delivery_attempts to passerelle_app;

------------------------------------------------------------------------------------------------
-- Mails
------------------------------------------------------------------------------------------------

-- Mails, written in the transaction of their cause and kept whatever became of them. One that waits
-- to be sent is its own job; one made while no server was set is only kept.
create table mails (
  client_id integer not null,
  id uuid not null,
  kind text not null,
  record_id text not null, -- what it is about
  recipient text not null,
  language text not null check (language in ('fr', 'en')),
  subject text not null,
  text_body text not null,
  html_body text not null,
  state text not null check (state in ('kept', 'pending', 'sent', 'failed')),
  tries smallint not null default 0,
  due_at timestamptz, -- when to try next
  created_at timestamptz not null,
  sent_at timestamptz,
  problem text, -- what went wrong at the last try
  primary key (client_id, id),
  check ((state = 'pending') = (due_at is not null)),
  check ((state = 'sent') = (sent_at is not null))
);
create index on mails (due_at) where due_at is not null;
create index on mails (state) where state <> 'sent';
create index on mails (created_at);
create index on mails (client_id, record_id);
grant select, insert, update, delete on mails to passerelle_app;

------------------------------------------------------------------------------------------------
-- People who use the dashboard
------------------------------------------------------------------------------------------------

create table people (
  id uuid primary key,
  email text not null check (email <> ''),
  name text not null,
  -- Argon2id; null: the person was invited and has not chosen one.
  password_hash text,
  language text not null check (language in ('fr', 'en')),
  -- What the person may do for the gateway itself; null: nothing.
  operator_role text
    check (operator_role in ('operator', 'finance-operator', 'support-operator', 'auditor')),
  -- Since when the person may approve, and who gave them that right. Null: they may approve at
  -- once, as whoever the command line of the server made first.
  approver_since timestamptz,
  approver_by text,
  is_demo boolean not null default false,
  created_at timestamptz not null
);
create unique index on people (lower(email));
grant select, insert, update, delete on people to passerelle_app;

-- The clients that people belong to.
create table memberships (
  person_id uuid not null references people (id),
  client_id integer not null references clients (id),
  role text not null
    check (role in ('owner', 'admin', 'finance', 'developer', 'support', 'viewer')),
  created_at timestamptz not null,
  primary key (person_id, client_id)
);
create index on memberships (client_id);
grant select, insert, update, delete on memberships to passerelle_app;

create table sessions (
  -- SHA-256 of the cookie's value.
  hash bytea primary key,
  id uuid not null unique,
  person_id uuid not null references people (id),
  -- The client that is shown; null: none yet.
  client_id integer references clients (id),
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  -- When the person last proved who they are.
  confirmed_at timestamptz not null,
  address text not null,
  agent text not null,
  -- What the next page tells, sealed.
  message text
);
create index on sessions (person_id);
grant select, insert, update, delete on sessions to passerelle_app;

-- Forms that were sent: the same form sent twice does its work once.
create table form_submissions (
  session_id uuid not null references sessions (id) on delete cascade,
  token text not null,
  -- Where the answer led; null: under way.
  location text,
  created_at timestamptz not null,
  primary key (session_id, token)
);
grant select, insert, update, delete on form_submissions to passerelle_app;

-- Attempts to sign in, by what they are counted for.
create table sign_in_tries (
  subject bytea not null,
  window_start timestamptz not null,
  tries integer not null,
  primary key (subject, window_start)
);
grant select, insert, update, delete on sign_in_tries to passerelle_app;

-- Codes that are mailed or shown once: invitations, and leave to choose a password. An invitation
-- without a client is one to the operators.
create table access_codes (
  -- SHA-256 of the code. A code that was used is deleted.
  hash bytea primary key,
  id uuid not null unique,
  kind text not null check (kind in ('invitation', 'password')),
  email text not null,
  person_id uuid references people (id),
  client_id integer references clients (id),
  role text,
  invited_by text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  check ((kind = 'password') = (person_id is not null)),
  check ((kind = 'invitation') = (invited_by is not null)),
  constraint access_codes_invitation_check check ((kind = 'invitation') = (role is not null)),
  constraint access_codes_role_check check (case when client_id is null
    then role in ('operator', 'finance-operator', 'support-operator', 'auditor')
    else kind = 'invitation'
      and role in ('owner', 'admin', 'finance', 'developer', 'support', 'viewer')
    end)
);
create index on access_codes (client_id) where client_id is not null;
create index on access_codes (person_id) where person_id is not null;
grant select, insert, update, delete on access_codes to passerelle_app;

-- One-time codes of an authenticator app (TOTP).
create table second_factors (
  person_id uuid primary key references people (id),
  -- Sealed.
  secret text not null,
  -- Null: the person has not shown yet that their app makes the right codes.
  confirmed_at timestamptz,
  -- The time step of the last code that was used: none is used twice.
  last_step bigint not null default 0
);
grant select, insert, update, delete on second_factors to passerelle_app;

-- Codes for a person whose phone is lost; one that was used is deleted.
create table recovery_codes (
  person_id uuid not null references people (id),
  hash bytea not null,
  primary key (person_id, hash)
);
grant select, insert, update, delete on recovery_codes to passerelle_app;

-- Passkeys of people: public keys of their devices (WebAuthn).
create table passkeys (
  -- The credential's id, in base64url.
  id text primary key,
  person_id uuid not null references people (id),
  name text not null,
  public_key bytea not null,
  -- Raised with each use by devices that count; others stay at 0.
  counter bigint not null,
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index on passkeys (person_id);
grant select, insert, update, delete on passkeys to passerelle_app;

-- What devices are asked to sign, until it is used or expires.
create table passkey_challenges (
  -- SHA-256 of the challenge.
  hash bytea primary key,
  -- For a new passkey; else to sign in with one.
  is_new boolean not null,
  -- Null: of whoever has a passkey.
  person_id uuid,
  expires_at timestamptz not null
);
create index on passkey_challenges (expires_at);
grant select, insert, update, delete on passkey_challenges to passerelle_app;

------------------------------------------------------------------------------------------------
-- The audit log: what people did, by whom and why
------------------------------------------------------------------------------------------------

-- Every record has a digest of its content. A worker links the digests into one chain, in an order
-- of its own, so that nobody who records something waits for another who does.
create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  -- From where: an address, or the machine of a command. Null: the gateway did it by itself.
  address text,
  action text not null,
  client_id integer,
  details jsonb not null default '{}',
  digest bytea not null
);
create index on audit_log (client_id, id desc);
create trigger append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();
grant select, insert on audit_log to passerelle_app;

-- Records that are not in the chain yet. They are written with the record, and deleted when it is.
create table audit_queue (
  entry_id bigint primary key
);
grant select, insert, delete on audit_queue to passerelle_app;

create table audit_chain (
  number bigint primary key,
  entry_id bigint not null unique,
  -- SHA-256 of the hash before, the number, the record's id and its digest.
  hash bytea not null
);
create trigger append_only before update or delete or truncate on audit_chain
  for each statement execute function refuse_change();
grant select, insert on audit_chain to passerelle_app;

-- The end of the chain: one row, which is locked while the chain grows.
create table audit_head (
  is_only boolean primary key default true check (is_only),
  number bigint not null,
  hash bytea not null
);
insert into audit_head (number, hash) values (0, decode(repeat('00', 32), 'hex'));
grant select, update on audit_head to passerelle_app;

------------------------------------------------------------------------------------------------
-- Approvals
------------------------------------------------------------------------------------------------

-- What one person proposes and another approves: money that is moved by hand, a right to approve,
-- and what a statement proves; the last two belong to no client. What one person did alone is kept
-- too (`alone`), for its sums.
create table approvals (
  id uuid primary key,
  kind text not null check (
    kind in ('fund', 'withdraw', 'adjust', 'resolve', 'send_back', 'statement', 'grant')),
  client_id integer references clients (id),
  amount bigint not null,
  -- What is done when it is approved. Recharge codes are sealed.
  content jsonb not null,
  -- What the proposer saw: the balance, or the state of the transaction.
  seen jsonb not null,
  state text not null default 'open'
    check (state in ('open', 'approved', 'refused', 'expired', 'alone')),
  proposed_by text not null,
  proposed_at timestamptz not null,
  expires_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  reason text,
  -- What it has led to: a posting or a refund.
  outcome jsonb,
  -- The form that it was proposed with, which may be sent twice.
  form text unique,
  constraint approvals_amount_check check (amount > 0 or amount = 0 and kind = 'grant'),
  constraint approvals_client_check
    check ((client_id is null) = (kind in ('statement', 'grant'))),
  check ((state = 'open') = (decided_at is null) and (state = 'open') = (decided_by is null)),
  constraint approvals_outcome_check
    check ((state in ('approved', 'alone')) = (outcome is not null)),
  check (state <> 'refused' or reason is not null),
  -- Nobody approves what they have proposed.
  check (state <> 'approved' or lower(decided_by) <> lower(proposed_by))
);
create index on approvals (state, id);
create index on approvals (client_id, id);
create index on approvals (proposed_at) where state = 'alone';

create function decide_approval_once() returns trigger language plpgsql as $$
begin
  if old.state <> 'open' then
    raise exception 'approval % is % already', old.id, old.state
      using errcode = 'restrict_violation';
  end if;
  if (new.id, new.kind, new.client_id, new.amount, new.content, new.seen, new.proposed_by,
      new.proposed_at, new.expires_at, new.form) is distinct from (old.id, old.kind,
      old.client_id, old.amount, old.content, old.seen, old.proposed_by, old.proposed_at,
      old.expires_at, old.form) then
    raise exception 'approval % cannot be changed', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger decide_once before update on approvals
  for each row execute function decide_approval_once();
create trigger append_only before delete or truncate on approvals
  for each statement execute function refuse_change();
grant select, insert, update on approvals to passerelle_app;

------------------------------------------------------------------------------------------------
-- Batches of payouts
------------------------------------------------------------------------------------------------

-- Payouts from a file: uploaded by one person, approved by another, run line by line.
create table batches (
  client_id integer not null,
  id uuid not null,
  name text not null,
  file_name text not null,
  file_hash text not null, -- SHA-256, to tell that the same file came before
  state text not null check (state in (
    'draft', 'proposed', 'approved', 'refused', 'running', 'paused', 'finished', 'cancelled')),
  uploaded_by text not null,
  proposed_by text,
  approved_by text,
  reason jsonb, -- why it is paused or was refused: a text and its values
  warnings jsonb not null, -- about the file as a whole
  -- What the file holds
  lines integer not null check (lines > 0),
  faulty integer not null,
  amount bigint not null,
  fee bigint not null,
  -- What has become of it, counted by the process that runs it
  waiting integer not null,
  open integer not null default 0,
  paid integer not null default 0,
  failed integer not null default 0,
  refused integer not null default 0,
  paid_amount bigint not null default 0,
  version integer not null default 0,
  changed_at timestamptz not null,
  created_at timestamptz not null,
  completed_at timestamptz,
  due_at timestamptz,
  primary key (client_id, id),
  check (waiting + open + paid + failed + refused + faulty = lines)
);
create index on batches (due_at) where due_at is not null;
create index on batches (client_id, file_hash);
grant select, insert, update on batches to passerelle_app;

create table batch_lines (
  client_id integer not null,
  batch_id uuid not null,
  line integer not null, -- in the file
  phone text,
  service_code text,
  amount bigint check (amount > 0),
  fee bigint check (fee >= 0),
  name text not null,
  reference text not null,
  external_id text, -- the merchant's own; without one it is derived
  given jsonb, -- the cells of a line with errors, as they were typed
  errors jsonb not null,
  warnings jsonb not null,
  state text not null check (state in (
    'faulty', 'waiting', 'sending', 'sent', 'paid', 'failed', 'refused')),
  attempt smallint not null default 1,
  transaction_id uuid,
  refusal jsonb, -- why no transaction was made of it
  primary key (client_id, batch_id, line),
  foreign key (client_id, batch_id) references batches (client_id, id),
  check ((state = 'faulty') = (errors <> '[]')),
  check (state = 'faulty'
    or (phone is not null and service_code is not null and amount is not null)),
  check ((state in ('sent', 'paid', 'failed')) = (transaction_id is not null))
);
create index on batch_lines (client_id, batch_id, state, line);
create index on batch_lines (client_id, phone);
-- A transaction pays one line.
create unique index on batch_lines (client_id, transaction_id) where transaction_id is not null;
grant select, insert, update on batch_lines to passerelle_app;

-- Every change of a batch's state. Not in status_history, where each status is reached once.
create table batch_steps (
  client_id integer not null,
  batch_id uuid not null,
  number integer not null,
  from_state text not null,
  trigger text not null,
  to_state text not null,
  actor text not null,
  reason jsonb,
  at timestamptz not null,
  primary key (client_id, batch_id, number),
  foreign key (client_id, batch_id) references batches (client_id, id)
);
create trigger append_only before update or delete or truncate on batch_steps
  for each statement execute function refuse_change();
grant select, insert on batch_steps to passerelle_app;

------------------------------------------------------------------------------------------------
-- Limits
------------------------------------------------------------------------------------------------

-- What a client may move in a day: through a service, or sent back by refunds (scope REFUND).
create table daily_limits (
  client_id integer not null references clients (id),
  scope text not null,
  amount_max bigint check (amount_max > 0),
  count_max bigint check (count_max > 0),
  -- Since when its days are counted.
  since timestamptz not null,
  -- The first transaction of the database that had not begun to write ten seconds after the limit
  -- was set: from there on everybody knows it. Null: not reached yet.
  known_from bigint,
  primary key (client_id, scope),
  check (amount_max is not null or count_max is not null)
);
grant select, insert, update, delete on daily_limits to passerelle_app;

-- What has been recorded in a day (UTC) under a limit, without what has ended unpaid.
create table limit_days (
  client_id integer not null,
  scope text not null,
  day date not null,
  amount bigint not null,
  count bigint not null,
  -- When it was last summed up from the transactions; each change since then was counted.
  counted_at timestamptz not null,
  primary key (client_id, scope, day)
) with (fillfactor = 50);
grant select, insert, update, delete on limit_days to passerelle_app;

-- How often a client may try one payer's number in ten minutes.
create table attempt_limits (
  client_id integer primary key references clients (id),
  attempts_max integer not null check (attempts_max between 1 and 1000)
);
grant select, insert, update, delete on attempt_limits to passerelle_app;

-- The times of the tries of the last ten minutes, where a client has such a limit. Without an index
-- by time, which each try would write into: the numbers of the last minutes are few enough to be
-- read when the old ones are deleted.
create table number_attempts (
  client_id integer not null,
  -- Country and nine digits: SN771234567.
  phone text not null,
  times timestamptz[] not null,
  last_at timestamptz not null,
  primary key (client_id, phone)
) with (fillfactor = 50);
grant select, insert, update, delete on number_attempts to passerelle_app;

-- Numbers with which nothing new begins, whoever the client is.
create table blocked_numbers (
  phone text primary key,
  reason text not null check (reason <> ''),
  actor text not null,
  blocked_at timestamptz not null,
  expires_at timestamptz
);
grant select, insert, update, delete on blocked_numbers to passerelle_app;

-- Incremented by each change of a limit or a block; processes read the rules again by it.
create table limit_version (
  only_row boolean primary key default true check (only_row),
  version bigint not null default 0
);
insert into limit_version default values;
grant select, update on limit_version to passerelle_app;

-- Locks the sum of a day. Until everybody has known the limit it is summed up from the payments
-- each time: who did not know it has counted nothing. Ten seconds after it was set nobody begins to
-- write so any more, but a process that was held may commit much later. So the last sum is the
-- first that is made when each transaction from before then has ended. None is as long as an hour.
create function lock_limit_day(
  of_client integer, of_scope text, of_day date, at timestamptz
) returns void language plpgsql as $$
declare
  settled_at timestamptz;
  everybody_from bigint;
  is_last boolean;
  last_counted_at timestamptz;
  first_id uuid;
  next_id uuid;
begin
  select since + interval '10 seconds', known_from into settled_at, everybody_from
  from daily_limits where (client_id, scope) = (of_client, of_scope);
  if not found then return; end if;
  select counted_at into last_counted_at from limit_days
  where (client_id, scope, day) = (of_client, of_scope, of_day) for no key update;
  if not found then
    insert into limit_days as d (client_id, scope, day, amount, count, counted_at)
    values (of_client, of_scope, of_day, 0, 0, '-infinity')
    on conflict (client_id, scope, day) do update set amount = d.amount
    returning d.counted_at into last_counted_at;
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
    (extract(epoch from of_day) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
  next_id := rpad(lpad(to_hex(
    (extract(epoch from of_day + 1) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
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

-- Counts records that are being made one by one, in the order given, or refuses them: then their
-- external ids are released, and the statement behind this one, which inserts those that own their
-- ids, leaves them out. A repeat and a used external id count nothing, and are not in the answer.
create function take_limits_in_turn(checks jsonb, at timestamptz)
returns table (id uuid, refusal text, most bigint, used bigint) language plpgsql as $$
#variable_conflict use_column
declare
  one record;
  recent timestamptz[];
  why text;
  limit_max bigint;
  limit_used bigint;
begin
  for one in
    select c.*, l.amount_max, l.count_max
    from jsonb_to_recordset(checks) as c (
      "position" integer, client_id integer, id uuid, external_id text, scope text, amount bigint,
      day date, phone text, attempts_max integer, is_blocked boolean)
    left join daily_limits l on (l.client_id, l.scope) = (c.client_id, c.scope)
    order by c."position"
  loop
    continue when exists (
      select from transactions t where (t.client_id, t.id) = (one.client_id, one.id));
    continue when one.external_id is not null and not exists (
      select from external_ids e
      where (e.client_id, e.external_id, e.record_id) = (one.client_id, one.external_id, one.id));
    why := case when one.is_blocked then 'blocked' end;
    limit_max := null;
    limit_used := null;
    if why is null and one.attempts_max is not null then
      select array(select made from unnest(n.times) made where made > at - interval '10 minutes')
      into recent from number_attempts n where (n.client_id, n.phone) = (one.client_id, one.phone);
      if cardinality(recent) >= one.attempts_max then
        why := 'attempts';
        limit_max := one.attempts_max;
      end if;
    end if;
    if why is null and (one.amount_max is not null or one.count_max is not null) then
      select case when d.amount + one.amount > one.amount_max then 'amount'
          when d.count + 1 > one.count_max then 'count' end,
        case when d.amount + one.amount > one.amount_max then d.amount else d.count end
      into why, limit_used from limit_days d
      where (d.client_id, d.scope, d.day) = (one.client_id, one.scope, one.day);
      limit_max := case why when 'amount' then one.amount_max else one.count_max end;
      if why is null then
        update limit_days d set amount = d.amount + one.amount, count = d.count + 1
        where (d.client_id, d.scope, d.day) = (one.client_id, one.scope, one.day);
      end if;
    end if;
    if why is null and one.attempts_max is not null then
      update number_attempts n set times = recent || at, last_at = at
      where (n.client_id, n.phone) = (one.client_id, one.phone);
    end if;
    if why is not null then
      delete from external_ids e
      where (e.client_id, e.external_id) = (one.client_id, one.external_id);
    end if;
    return query select one.id, why, limit_max, limit_used;
  end loop;
end $$;

-- Counts a group of records that are being made, or refuses some of them. The caller has added them
-- up by sum (client, scope, day) and by number, each in the order of its key, so that two groups
-- never wait for each other. A group in which everybody has a place, as nearly always, costs one
-- write for each sum and number, and answers with one row without an id. The caller takes repeats
-- out again: it knows them after this statement.
--
-- Otherwise nothing is counted by sums: the records are gone through in turn. Their texts are read
-- only then.
create function take_limits(
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

-- Takes records out of the sums of their days: they have ended unpaid.
create function free_limits(counted jsonb, at timestamptz) returns void language plpgsql as $$
begin
  perform lock_limit_day(d.client_id, d.scope, d.day, at)
  from (
    select distinct client_id, scope, day
    from jsonb_to_recordset(counted) as c (client_id integer, scope text, day date)
    order by 1, 2, 3
  ) d;
  update limit_days d
  set amount = d.amount - c.amount, count = d.count - c.count
  from (
    select client_id, scope, day, sum(amount) as amount, count(*) as count
    from jsonb_to_recordset(counted) as c (client_id integer, scope text, day date, amount bigint)
    group by 1, 2, 3
  ) c
  where (d.client_id, d.scope, d.day) = (c.client_id, c.scope, c.day);
end $$;

------------------------------------------------------------------------------------------------
-- Float
------------------------------------------------------------------------------------------------

-- What providers hold for us, from which they pay orders out.
create table floats (
  provider text not null,
  country text not null,
  -- Null: nothing is known yet.
  balance bigint,
  -- Who says so: the provider, or the ledger, counted from what an operator knew or from its
  -- beginning.
  source text check (source in ('told', 'counted', 'ledger')),
  known_at timestamptz,
  -- The last time that the provider was asked, or the ledger read, and why there was no answer.
  asked_at timestamptz,
  problem text,
  -- The balance that an operator knew at a time, moved on with each reading of the ledger.
  base bigint,
  base_at timestamptz,
  warn_below bigint check (warn_below >= 0),
  alarm_below bigint check (alarm_below >= 0),
  -- The last payout that the provider declined because it held too little.
  declined_at timestamptz,
  declined_amount bigint,
  primary key (provider, country),
  check (alarm_below <= warn_below)
);
grant select, insert, update on floats to passerelle_app;

-- The history, one row every five minutes.
create table float_samples (
  provider text not null,
  country text not null,
  at timestamptz not null,
  balance bigint not null,
  primary key (provider, country, at)
);
create index on float_samples (at);
grant select, insert, delete on float_samples to passerelle_app;

------------------------------------------------------------------------------------------------
-- Reconciliation: statements of providers against our records
------------------------------------------------------------------------------------------------

-- Files in which providers tell what they did, compared with what we know.
create table statements (
  id uuid primary key,
  provider text not null,
  country text not null,
  -- Of the file: the same one changes nothing a second time. Null: it is not read to its end yet.
  file_hash text check (file_hash ~ '^[0-9a-f]{64}$'),
  name text not null,
  format text not null,
  -- Which time it is about.
  from_at timestamptz,
  to_at timestamptz,
  -- reading: its lines are being stored. matching: all are stored, and being compared. A process
  -- that dies leaves either; the next import of the file begins it again, or goes on with it.
  state text not null check (state in ('reading', 'matching', 'read')),
  -- How far it has come, of 1,000.
  share smallint not null default 0 check (share between 0 and 1000),
  lines integer not null default 0,
  -- Lines that a file before had too.
  known integer not null default 0,
  matched integer not null default 0,
  ours_only integer not null default 0,
  theirs_only integer not null default 0,
  different integer not null default 0,
  -- Transactions that its lines have ended.
  ended integer not null default 0,
  cases integer not null default 0,
  -- What the file says that the provider held for us before and after its lines.
  opening bigint,
  closing bigint,
  -- What the lines add up to, the fees that they show, and the transfers from and to our bank.
  net bigint not null default 0,
  fees bigint not null default 0,
  transfers bigint not null default 0,
  -- What our ledger says of the provider at to_at by the dates of postings; null: not summed up
  -- yet.
  ledger bigint,
  imported_by text not null,
  imported_at timestamptz not null,
  read_at timestamptz,
  version integer not null default 0,
  unique (provider, country, file_hash),
  check ((state = 'read') = (read_at is not null)),
  check (state = 'reading' or (file_hash is not null and from_at < to_at)),
  check (state <> 'read' or known + matched + theirs_only + different = lines)
);
create index on statements (provider, country, to_at);
grant select, insert, update, delete on statements to passerelle_app;

create table statement_lines (
  statement_id uuid not null,
  line integer not null,
  -- What the line is known by: the same one in another file of the provider is the same line.
  identity text not null,
  at timestamptz not null,
  reference text,
  our_reference text,
  kind text not null check (
    kind in ('collect', 'disburse', 'reverse', 'top_up', 'bill', 'fee', 'transfer', 'other')),
  phone text,
  amount bigint not null check (amount > 0),
  sign smallint not null check (sign in (1, -1)),
  fee bigint not null check (fee >= 0),
  result text not null check (result in ('succeeded', 'failed', 'pending', 'reversed')),
  balance bigint,
  -- What it was found to be; null: not compared yet.
  bucket text check (bucket in ('known', 'matched', 'theirs_only', 'different')),
  -- Ours, if there is one.
  client_id integer,
  transaction_id uuid,
  attempt_id uuid,
  -- It is evidence for its transaction, which is still to be recorded.
  proves boolean not null default false,
  -- What our ledger has of it at the provider, above zero if the provider holds more, and since
  -- when.
  booked bigint,
  booked_at timestamptz,
  primary key (statement_id, line),
  check ((booked is null) = (booked_at is null)),
  check ((client_id is null) = (transaction_id is null))
);
create index on statement_lines (identity, kind);
create index on statement_lines (client_id, transaction_id) where transaction_id is not null;
create index on statement_lines (statement_id, line) where proves;
-- Money that was booked at another time than the provider moved it.
create index on statement_lines (booked_at)
  where booked_at - at > interval '1 hour' or booked_at - at < interval '-1 hour';
grant select, insert, update, delete on statement_lines to passerelle_app;

-- Lines that wait for a proposal, until what they prove is recorded.
create table held_lines (
  statement_id uuid not null references statements (id),
  line integer not null,
  approval_id uuid not null references approvals (id),
  primary key (statement_id, line)
);
create index on held_lines (approval_id);
grant select, insert, delete on held_lines to passerelle_app;

-- Differences, each until a person or a later statement has explained it.
create table recon_cases (
  id uuid primary key,
  provider text not null,
  country text not null,
  statement_id uuid not null references statements (id),
  -- Null: no line, only we know of it.
  line integer,
  kind text not null check (
    kind in ('ours_only', 'theirs_only', 'amount', 'status', 'fee', 'day', 'duplicate')),
  state text not null default 'open' check (state in ('open', 'waiting', 'closed')),
  client_id integer,
  transaction_id uuid,
  -- Francs at stake: what the statement has more than we have.
  amount bigint not null,
  -- What they and we say.
  details jsonb not null,
  person text,
  -- The proposal that a second person decides.
  approval_id uuid references approvals (id),
  opened_at timestamptz not null,
  closed_at timestamptz,
  closed_by text,
  closing text check (closing in ('resolved', 'sent_back', 'adjusted', 'ignored', 'explained')),
  reason text,
  version integer not null default 0,
  check ((state = 'waiting') <= (approval_id is not null)),
  check ((state = 'closed') = (closed_at is not null)),
  check ((closed_at is null) = (closed_by is null)),
  check ((closed_at is null) = (closing is null)),
  check ((closed_at is null) = (reason is null)),
  check ((kind = 'ours_only') = (line is null)),
  check (kind <> 'ours_only' or transaction_id is not null),
  check ((client_id is null) = (transaction_id is null))
);
create unique index on recon_cases (statement_id, line, kind) where line is not null;
create unique index on recon_cases (client_id, transaction_id) where kind = 'ours_only';
create index on recon_cases (state, id);
create index on recon_cases (client_id, transaction_id) where transaction_id is not null;
create index on recon_cases (approval_id) where approval_id is not null;
grant select, insert, update on recon_cases to passerelle_app;

create table recon_notes (
  case_id uuid not null references recon_cases (id),
  id uuid not null,
  at timestamptz not null,
  person text not null,
  text text not null check (text <> ''),
  primary key (case_id, id)
);
create trigger append_only before update or delete or truncate on recon_notes
  for each statement execute function refuse_change();
grant select, insert on recon_notes to passerelle_app;

-- How the files of a provider are to be read, and which fees it is to take.
create table statement_mappings (
  provider text not null,
  country text not null,
  -- Null: its files are understood by themselves.
  content jsonb,
  -- By kind of line: basis points and fixed francs. Null: its fees are not compared.
  fees jsonb,
  changed_by text not null,
  changed_at timestamptz not null,
  primary key (provider, country)
);
grant select, insert, update, delete on statement_mappings to passerelle_app;

-- Files of statements that come through a browser: kept until they are imported, so that a person
-- first sees what is understood of them, and any process can import them.
create table statement_files (
  id uuid primary key,
  provider text not null,
  country text not null,
  name text not null,
  -- Which time it is about; null: that of its lines.
  from_at timestamptz,
  to_at timestamptz,
  state text not null check (
    state in ('arriving', 'ready', 'waiting', 'refused', 'imported', 'failed')),
  bytes bigint not null default 0,
  -- How far its import is, of 1,000.
  share smallint not null default 0 check (share between 0 and 1000),
  -- How many problems its lines have.
  problems integer not null default 0,
  -- What it became.
  statement_id uuid,
  uploaded_by text not null,
  uploaded_at timestamptz not null,
  imported_by text,
  attempt smallint not null default 0,
  -- When it is to be imported, the end of the lease of who imports it, or when it is removed.
  due_at timestamptz not null,
  version integer not null default 0,
  check ((state = 'imported') = (statement_id is not null)),
  check ((state in ('arriving', 'ready')) = (imported_by is null))
);
create index on statement_files (due_at);
grant select, insert, update, delete on statement_files to passerelle_app;

create table statement_file_chunks (
  file_id uuid not null references statement_files (id) on delete cascade,
  number integer not null,
  content bytea not null,
  primary key (file_id, number)
);
grant select, insert, delete on statement_file_chunks to passerelle_app;

create table statement_file_problems (
  file_id uuid not null references statement_files (id) on delete cascade,
  number integer not null,
  line integer not null,
  reason jsonb not null,
  primary key (file_id, number)
);
grant select, insert, delete on statement_file_problems to passerelle_app;

-- Which import of a provider's statements is the last that has begun. Each transaction of an import
-- locks this row and is committed only if it is still its turn.
create table statement_turns (
  provider text not null,
  country text not null,
  turn bigint not null,
  primary key (provider, country)
);
grant select, insert, update on statement_turns to passerelle_app;

------------------------------------------------------------------------------------------------
-- Reports
------------------------------------------------------------------------------------------------

-- The ended transactions of an hour, by the time of their creation; `fee` is what was charged.
create table transaction_hours (
  client_id integer not null,
  hour timestamptz not null,
  operation text not null,
  service_code text not null,
  status text not null,
  count bigint not null check (count > 0),
  amount bigint not null,
  fee bigint not null,
  primary key (client_id, hour, operation, service_code, status)
);
grant select, insert, update on transaction_hours to passerelle_app;

-- The entries of a merchant's available account of an hour, in the order of versions: an entry
-- belongs to the hour of the entry before it if its own is earlier.
create table account_hours (
  client_id integer not null,
  hour timestamptz not null,
  kind text not null,
  operation text not null, -- of the transaction; empty: of none
  count bigint not null check (count > 0),
  amount bigint not null, -- with the fee
  fee bigint not null, -- the part of the amount that is our fee; below zero: paid
  last_version bigint not null,
  balance bigint not null, -- after the last version
  primary key (client_id, hour, kind, operation)
);
grant select, insert, update on account_hours to passerelle_app;

-- Up to where the two tables have summed up a client's events and entries.
create table summary_cursors (
  client_id integer primary key references clients (id),
  position bigint not null default 0,
  version bigint not null default 0,
  hour timestamptz not null default '-infinity'
);
grant select, insert, update on summary_cursors to passerelle_app;

------------------------------------------------------------------------------------------------
-- Proofs
------------------------------------------------------------------------------------------------

-- Proofs of all that is stored, run by a command.
create table proofs (
  id uuid primary key,
  proved_by text not null,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  -- What was read in all, and every check that failed.
  postings bigint not null,
  entries bigint not null,
  accounts bigint not null,
  anchors bigint not null,
  breaks jsonb not null
);
grant select, insert on proofs to passerelle_app;

------------------------------------------------------------------------------------------------
-- Retention
------------------------------------------------------------------------------------------------

-- One row for each rule. Whoever works on a rule holds its lease until `due_at`.
create table retention_rules (
  rule text primary key,
  due_at timestamptz not null,
  lease uuid,
  began_at timestamptz not null,
  -- The end of the last round; null: none has ended.
  ended_at timestamptz,
  -- In the last round, and since the beginning.
  forgotten bigint not null default 0,
  forgotten_in_all bigint not null default 0
);
grant select, insert, update on retention_rules to passerelle_app;

-- How far a rule has come in the records of a client: the last place, in their order of time.
create table retention_cursors (
  rule text not null,
  client_id integer not null,
  reached text not null,
  primary key (rule, client_id)
);
grant select, insert, update on retention_cursors to passerelle_app;

-- Places before that which were still needed: they are looked at again in each round.
create table retention_left (
  rule text not null,
  client_id integer not null,
  place text not null,
  looked_at timestamptz not null,
  primary key (rule, client_id, place)
);
grant select, insert, update, delete on retention_left to passerelle_app;

------------------------------------------------------------------------------------------------
-- The gateway itself: maintenance, its cell, processes and secret keys, its archive
------------------------------------------------------------------------------------------------

-- 'all' or a service code. A row means: closed.
create table maintenance (
  scope text primary key,
  reason text not null,
  since timestamptz not null,
  until timestamptz, -- when it is planned to end
  notice text -- what people are told about it
);
grant select, insert, update, delete on maintenance to passerelle_app;

-- The cell that this database belongs to (docs/decisions/0083): none, or one for good.
create table cell (
  is_only boolean primary key default true check (is_only),
  name text not null check (name ~ '^[a-z][a-z0-9]{0,11}$'),
  recorded_at timestamptz not null
);
grant select, insert on cell to passerelle_app;

-- What each running process knows of its providers, for operators on any machine. A row that is no
-- longer renewed belongs to a process that has died.
create table process_reports (
  id uuid primary key,
  host text not null,
  pid integer not null,
  role text not null check (role in ('all', 'api', 'worker')),
  at timestamptz not null,
  providers jsonb not null
);
grant select, insert, update, delete on process_reports to passerelle_app;

-- Rotation of SECRET_KEY while the gateway runs (docs/decisions/0079): which keys processes have,
-- by which one they seal, and which they can open. A key is named by its fingerprint. A row stays
-- until nothing is sealed by its key any more.
create table secret_key_uses (
  seals text not null,
  opens text[] not null,
  seen_at timestamptz not null,
  primary key (seals, opens)
);
grant select, insert, update, delete on secret_key_uses to passerelle_app;

-- Keys of stored hashes that nobody could make anew, sealed. They outlive SECRET_KEY.
create table kept_keys (
  purpose text primary key,
  sealed bytea not null
);
grant select, insert, update on kept_keys to passerelle_app;

-- What is known of the archive of this database: one row, written by the process that keeps it.
create table backup_state (
  id smallint primary key default 1 check (id = 1),
  folder text not null,
  -- How often base backups are made; null: by hand.
  every_hours integer,
  -- The end of the last base backup, and what it takes in the archive.
  base_at timestamptz,
  base_bytes bigint,
  -- Up to when every change is in the archive; null: the log of changes is not received.
  archived_until timestamptz,
  checked_at timestamptz,
  -- What the last check found wrong; empty: it held.
  check_problems jsonb,
  -- Why the archive cannot go on at the moment.
  problem text
);
grant select, insert, update, delete on backup_state to passerelle_app;
