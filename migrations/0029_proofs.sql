-- Proofs of all that is stored: asked for in a browser and run by a worker, or run by a command.
create table proofs (
  id uuid primary key,
  asked_by text not null,
  asked_at timestamptz not null,
  state text not null check (state in ('waiting', 'running', 'done', 'failed')),
  started_at timestamptz,
  ended_at timestamptz,
  -- The number of times that it was begun: one whose process dies is begun again.
  attempt smallint not null default 0,
  -- How many merchants' entries were read, of how many.
  done bigint not null default 0,
  total bigint not null default 0,
  -- What was read in all, and every check that failed.
  postings bigint,
  entries bigint,
  accounts bigint,
  anchors bigint,
  breaks jsonb,
  problem text,
  version integer not null default 0,
  -- The end of the lease of the process that runs it.
  due_at timestamptz,
  check ((ended_at is null) = (state in ('waiting', 'running'))),
  check ((ended_at is null) = (due_at is not null)),
  check ((state = 'done') = (breaks is not null)),
  check ((state = 'failed') = (problem is not null))
);
-- One at a time.
create unique index proofs_under_way on proofs ((true)) where ended_at is null;

grant select, insert, update on proofs to passerelle_app;
