-- What dashboards look for in a merchant's transactions. The first five digits of an id stand for
-- three days: the entries of new payments stay together, however long the history is.
create index transactions_client_id_phone_idx
  on transactions (client_id, (left(id::text, 5)), phone, id);
create index transactions_client_id_reference_idx
  on transactions (client_id, (left(id::text, 5)), reference) where reference is not null;
create index transactions_client_id_sub_merchant_id_id_idx
  on transactions (client_id, sub_merchant_id, id) where sub_merchant_id is not null;
create index transactions_client_id_id_idx on transactions (client_id, id)
  where completed_at is null;
create index deliveries_client_id_ended_at_idx on deliveries (client_id, ended_at)
  where state = 'exhausted';
-- Links that were tried and are still open: what their failed payments were is not summed up yet.
create index links_client_id_idx on links (client_id)
  where completed_at is null and attempts > 0;

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

-- Up to where the two tables have summed up a client's events and entries.
create table summary_cursors (
  client_id integer primary key references clients (id),
  position bigint not null default 0,
  version bigint not null default 0,
  hour timestamptz not null default '-infinity'
);

grant select, insert, update on transaction_hours, account_hours, summary_cursors
  to passerelle_app;
