-- What merchants are told, in the order in which it became true: positions have no gaps, and a
-- lower one is never committed after a higher one of the same client.
create table events (
  client_id integer not null,
  id uuid not null,
  position bigint not null,
  record_kind text not null check (record_kind in ('transaction', 'bill', 'link')),
  record_id uuid not null,
  body text not null, -- the bytes that every delivery sends
  created_at timestamptz not null,
  primary key (client_id, id),
  unique (client_id, position),
  unique (client_id, record_id)
);

-- The last position of each client. Its lock is what keeps commit order and positions the same.
create table event_positions (
  client_id integer primary key,
  last bigint not null
);

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
  primary key (client_id, id),
  foreign key (client_id, event_id) references events (client_id, id)
);
-- Read endpoint by endpoint, so that a flood at one does not hide the others.
create index on deliveries (client_id, endpoint, due_at) where due_at is not null;
create index on deliveries (ended_at) where state = 'exhausted';
create index on deliveries (client_id, event_id);
create index on deliveries (client_id, created_at);

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

create trigger append_only before update or delete or truncate on events
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on delivery_attempts
  for each statement execute function refuse_change();

grant select, insert on events, delivery_attempts to passerelle_app;
grant select, insert, update on event_positions, deliveries to passerelle_app;
