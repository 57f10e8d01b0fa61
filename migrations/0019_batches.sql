-- Payouts from a file: uploaded by one person, approved by another, run line by line.
create table batches (
  client_id integer not null references clients (id),
  id uuid not null,
  name text not null,
  file_name text not null,
  file_hash text not null, -- SHA-256, to tell that the same file came before
  state text not null check (state in (
    'draft', 'proposed', 'approved', 'refused', 'running', 'paused', 'finished', 'cancelled')),
  uploaded_by text not null,
  proposed_by text,
  approved_by text,
  reason jsonb, -- why it is paused or was refused: a text and its values
  warnings jsonb not null, -- about the file as a whole
  -- What the file holds
  lines integer not null check (lines > 0),
  faulty integer not null,
  amount bigint not null,
  fee bigint not null,
  -- What has become of it, counted by the process that runs it
  waiting integer not null,
  open integer not null default 0,
  paid integer not null default 0,
  failed integer not null default 0,
  refused integer not null default 0,
  paid_amount bigint not null default 0,
  version integer not null default 0,
  changed_at timestamptz not null,
  created_at timestamptz not null,
  completed_at timestamptz,
  due_at timestamptz,
  primary key (client_id, id),
  check (waiting + open + paid + failed + refused + faulty = lines)
);
create index on batches (due_at) where due_at is not null;
create index on batches (client_id, file_hash);

create table batch_lines (
  client_id integer not null,
  batch_id uuid not null,
  line integer not null, -- in the file
  phone text,
  service_code text,
  amount bigint check (amount > 0),
  fee bigint check (fee >= 0),
  name text not null,
  reference text not null,
  external_id text, -- the merchant's own; without one it is derived
  given jsonb, -- the cells of a line with errors, as they were typed
  errors jsonb not null,
  warnings jsonb not null,
  state text not null check (state in (
    'faulty', 'waiting', 'sending', 'sent', 'paid', 'failed', 'refused')),
  attempt smallint not null default 1,
  transaction_id uuid,
  refusal jsonb, -- why no transaction was made of it
  primary key (client_id, batch_id, line),
  foreign key (client_id, batch_id) references batches (client_id, id),
  check ((state = 'faulty') = (errors <> '[]')),
  check (state = 'faulty' or (phone is not null and service_code is not null and amount is not null)),
  check ((state in ('sent', 'paid', 'failed')) = (transaction_id is not null))
);
create index on batch_lines (client_id, batch_id, state, line);
create index on batch_lines (client_id, phone);
-- A transaction pays one line.
create unique index on batch_lines (client_id, transaction_id) where transaction_id is not null;

-- Every change of a batch's state. Not in status_history, where each status is reached once.
create table batch_steps (
  client_id integer not null,
  batch_id uuid not null,
  number integer not null,
  from_state text not null,
  trigger text not null,
  to_state text not null,
  actor text not null,
  reason jsonb,
  at timestamptz not null,
  primary key (client_id, batch_id, number),
  foreign key (client_id, batch_id) references batches (client_id, id)
);
create trigger append_only before update or delete or truncate on batch_steps
  for each statement execute function refuse_change();

grant select, insert, update on batches, batch_lines to passerelle_app;
grant select, insert on batch_steps to passerelle_app;
