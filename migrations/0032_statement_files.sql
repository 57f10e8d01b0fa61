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

create table statement_file_chunks (
  file_id uuid not null references statement_files (id) on delete cascade,
  number integer not null,
  content bytea not null,
  primary key (file_id, number)
);

create table statement_file_problems (
  file_id uuid not null references statement_files (id) on delete cascade,
  number integer not null,
  line integer not null,
  reason jsonb not null,
  primary key (file_id, number)
);

grant select, insert, update, delete on statement_files to passerelle_app;
grant select, insert, delete on statement_file_chunks, statement_file_problems to passerelle_app;
