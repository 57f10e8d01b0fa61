-- Named filters and columns of the list of transactions: a person's own in each client.
create table saved_views (
  person_id uuid not null references people (id) on delete cascade,
  client_id integer not null references clients (id),
  id uuid not null,
  name text not null check (name <> ''),
  query text not null, -- of the list's address
  created_at timestamptz not null,
  primary key (person_id, client_id, id)
);
create unique index on saved_views (person_id, client_id, lower(name));

-- Files that are made in the background. Processes on several machines share the database alone:
-- the files are in it, in chunks, and are deleted after some days.
create table exports (
  client_id integer not null references clients (id),
  id uuid not null,
  person_id uuid not null references people (id) on delete cascade,
  asked_by text not null,
  role text not null, -- of the person, when it was asked for
  kind text not null check (kind in ('transactions', 'statement')),
  form text not null check (form in ('csv', 'xlsx', 'pdf')),
  query text not null, -- what is exported, as the address of its list says it
  language text not null check (language in ('fr', 'en')),
  time_zone text not null,
  state text not null check (state in ('waiting', 'running', 'ready', 'failed', 'cancelled')),
  attempt integer not null default 0, -- only the last one that began may write
  rows bigint not null default 0,
  share smallint not null default 0 check (share between 0 and 1000), -- per mille that is read
  reached_at timestamptz, -- the time of the last row: newest first
  bytes bigint not null default 0,
  problem text, -- why it failed
  version integer not null default 0,
  created_at timestamptz not null,
  completed_at timestamptz,
  expires_at timestamptz not null,
  due_at timestamptz, -- when it is to be made, made again or removed
  primary key (client_id, id),
  check ((state in ('ready', 'failed', 'cancelled')) = (completed_at is not null))
);
create index on exports (due_at) where due_at is not null;
create index on exports (person_id);

create table export_chunks (
  client_id integer not null,
  export_id uuid not null,
  attempt integer not null,
  number integer not null,
  content bytea not null,
  primary key (client_id, export_id, attempt, number),
  foreign key (client_id, export_id) references exports (client_id, id) on delete cascade
);

grant select, insert, update, delete on saved_views, exports to passerelle_app;
grant select, insert, delete on export_chunks to passerelle_app;
