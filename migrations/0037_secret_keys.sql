-- Rotation of SECRET_KEY while the gateway runs (docs/decisions/0079).

-- Which keys processes have: by which one they seal, and which they can open. A key is named by its
-- fingerprint. A row stays until nothing is sealed by its key any more.
create table secret_key_uses (
  seals text not null,
  opens text[] not null,
  seen_at timestamptz not null,
  primary key (seals, opens)
);

-- Keys of stored hashes that nobody could make anew, sealed. They outlive SECRET_KEY.
create table kept_keys (
  purpose text primary key,
  sealed bytea not null
);

grant select, insert, update, delete on secret_key_uses to passerelle_app;
grant select, insert, update on kept_keys to passerelle_app;
