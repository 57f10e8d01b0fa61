-- Codes that are mailed or shown once: invitations, and leave to choose a password.
create table access_codes (
  -- SHA-256 of the code. A code that was used is deleted.
  hash bytea primary key,
  id uuid not null unique,
  kind text not null check (kind in ('invitation', 'password')),
  email text not null,
  person_id uuid references people (id),
  client_id integer references clients (id),
  role text check (role in ('owner', 'admin', 'finance', 'developer', 'support', 'viewer')),
  invited_by text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  check ((kind = 'password') = (person_id is not null)),
  check ((kind = 'invitation') = (client_id is not null and role is not null)),
  check ((kind = 'invitation') = (invited_by is not null))
);
create index on access_codes (client_id) where client_id is not null;
create index on access_codes (person_id) where person_id is not null;

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

-- Codes for a person whose phone is lost; one that was used is deleted.
create table recovery_codes (
  person_id uuid not null references people (id),
  hash bytea not null,
  primary key (person_id, hash)
);

create index on audit_log (client_id, id desc);

grant select, insert, update, delete on access_codes, second_factors, recovery_codes
  to passerelle_app;
grant delete on people to passerelle_app;
