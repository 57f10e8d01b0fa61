-- Restores that were tried, and what each came to. backup_state, of the archive that 0.1.0 kept
-- itself, stays while processes of 0.1.0 may run, and is dropped a release later.
create table drills (
  id uuid primary key,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  -- The moment that was restored; null: the newest state.
  moment timestamptz,
  -- When the backup was made that was restored; null: it could not be.
  backup_at timestamptz,
  -- When the last transaction was made that was there.
  last_transaction_at timestamptz,
  -- Sentences; empty: all that was asked for could be restored, and holds.
  problems jsonb not null
);

grant select, insert on drills to passerelle_app;
