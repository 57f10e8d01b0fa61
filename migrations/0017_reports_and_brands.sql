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

-- How a merchant's payment pages look. Pages refer to a logo by its hash.
alter table clients add column colour text check (colour ~ '^#[0-9a-f]{6}$');
create table client_logos (
  client_id integer primary key references clients (id),
  hash text not null check (hash ~ '^[0-9a-f]{64}$'),
  media_type text not null check (media_type in ('image/png', 'image/jpeg', 'image/webp')),
  width integer not null check (width > 0),
  height integer not null check (height > 0),
  bytes bytea not null check (octet_length(bytes) <= 65536)
);
create index on client_logos (hash);

grant select, insert, update, delete on process_reports, client_logos to passerelle_app;
