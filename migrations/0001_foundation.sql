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
end $$;

create table clients (
  id integer generated always as identity primary key,
  name text not null unique check (name <> ''),
  merchant_status text not null default 'active'
    check (merchant_status in ('pending', 'active', 'suspended')),
  tier text not null default 'standard' check (tier in ('standard', 'enterprise')),
  rate_per_minute integer not null default 100 check (rate_per_minute > 0),
  callback_url text,
  is_demo boolean not null default false,
  created_at timestamptz not null
);

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

-- A key is an identity; its secrets come and go with rotation.
create table api_keys (
  client_id integer not null references clients (id),
  id uuid not null,
  label text not null,
  is_read_only boolean not null default false,
  allowed_addresses cidr[] not null default '{}',
  rate_per_minute integer check (rate_per_minute > 0),
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (client_id, id)
);

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

create table webhook_secrets (
  client_id integer not null references clients (id),
  id uuid not null,
  sealed bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  primary key (client_id, id)
);

-- 'all' or a service code. A row means: closed.
create table maintenance (
  scope text primary key,
  reason text not null,
  since timestamptz not null
);

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
  unique (client_id, resolves),
  foreign key (client_id, resolves) references ledger_postings (client_id, id)
);
create index on ledger_postings (created_at);

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
  foreign key (client_id, posting_id) references ledger_postings (client_id, id),
  check ((account in ('available', 'held')) = (version is not null)),
  check ((version is null) = (before is null)),
  check ((version is null) = (after is null)),
  check ((version is null) = (hash is null))
);
create unique index on ledger_entries (client_id, account, version) where version is not null;

-- A short chain over the accounts' heads, written now and then and copied outside the database.
create table ledger_anchors (
  number integer primary key,
  heads jsonb not null, -- [client, account, version, hash] of every account that moved
  hash bytea not null,
  created_at timestamptz not null
);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

create trigger append_only before update or delete or truncate on ledger_postings
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on ledger_entries
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on ledger_anchors
  for each statement execute function refuse_change();

-- What operators did, by whom and why.
create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  client_id integer,
  details jsonb not null default '{}'
);
create trigger append_only before update or delete or truncate on audit_log
  for each statement execute function refuse_change();

grant usage on schema public to passerelle_app;
grant select, insert, update on clients, client_services, api_keys, api_key_secrets,
  webhook_secrets, ledger_accounts to passerelle_app;
grant select, insert, update, delete on maintenance to passerelle_app;
grant select, insert on ledger_postings, ledger_entries, ledger_anchors, audit_log
  to passerelle_app;
grant select on schema_migrations to passerelle_app;
