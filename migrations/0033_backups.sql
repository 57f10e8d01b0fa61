-- What is known of the archive of this database: one row, written by the process that keeps it.
create table backup_state (
  id smallint primary key default 1 check (id = 1),
  folder text not null,
  -- How often base backups are made; null: by hand.
  every_hours integer,
  -- The end of the last base backup, and what it takes in the archive.
  base_at timestamptz,
  base_bytes bigint,
  -- Up to when every change is in the archive; null: the log of changes is not received.
  archived_until timestamptz,
  checked_at timestamptz,
  -- What the last check found wrong; empty: it held.
  check_problems jsonb,
  -- Why the archive cannot go on at the moment.
  problem text
);

grant select, insert, update, delete on backup_state to passerelle_app;
