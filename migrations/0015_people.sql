-- People who use the dashboard, the clients they belong to, and their sessions.
create table people (
  id uuid primary key,
  email text not null check (email <> ''),
  name text not null,
  -- Argon2id; null: the person was invited and has not chosen one.
  password_hash text,
  language text not null check (language in ('fr', 'en')),
  -- What the person may do for the gateway itself; null: nothing.
  operator_role text check (operator_role in ('operator')),
  is_demo boolean not null default false,
  created_at timestamptz not null
);
create unique index on people (lower(email));

create table memberships (
  person_id uuid not null references people (id),
  client_id integer not null references clients (id),
  role text not null check (role in ('owner', 'admin', 'finance', 'developer', 'support', 'viewer')),
  created_at timestamptz not null,
  primary key (person_id, client_id)
);
create index on memberships (client_id);

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

-- Forms that were sent: the same form sent twice does its work once.
create table form_submissions (
  session_id uuid not null references sessions (id) on delete cascade,
  token text not null,
  -- Where the answer led; null: under way.
  location text,
  created_at timestamptz not null,
  primary key (session_id, token)
);

-- Attempts to sign in, by what they are counted for.
create table sign_in_tries (
  subject bytea not null,
  window_start timestamptz not null,
  tries integer not null,
  primary key (subject, window_start)
);

-- The zone of dates in pages and statements.
alter table clients add column time_zone text not null default 'Africa/Dakar';

grant select, insert, update on people to passerelle_app;
grant select, insert, update, delete on memberships, sessions, form_submissions, sign_in_tries
  to passerelle_app;
