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

grant select, insert, update, delete on passkeys, passkey_challenges to passerelle_app;
