-- Files in which providers tell what they did, compared with what we know.
create table statements (
  id uuid primary key,
  provider text not null,
  country text not null,
  -- Of the file: the same one changes nothing a second time. Null: it is not read to its end yet.
  file_hash text check (file_hash ~ '^[0-9a-f]{64}$'),
  name text not null,
  format text not null,
  -- Which time it is about.
  from_at timestamptz,
  to_at timestamptz,
  -- reading: its lines are being stored. matching: all are stored, and being compared. A process
  -- that dies leaves either; the next import of the file begins it again, or goes on with it.
  state text not null check (state in ('reading', 'matching', 'read')),
  -- How far it has come, of 1,000.
  share smallint not null default 0 check (share between 0 and 1000),
  lines integer not null default 0,
  -- Lines that a file before had too.
  known integer not null default 0,
  matched integer not null default 0,
  ours_only integer not null default 0,
  theirs_only integer not null default 0,
  different integer not null default 0,
  -- Transactions that its lines have ended.
  ended integer not null default 0,
  cases integer not null default 0,
  -- What the file says that the provider held for us before and after its lines.
  opening bigint,
  closing bigint,
  -- What the lines add up to, the fees that they show, and the transfers from and to our bank.
  net bigint not null default 0,
  fees bigint not null default 0,
  transfers bigint not null default 0,
  -- What our ledger says of the provider at to_at by the dates of postings; null: not summed up yet.
  ledger bigint,
  imported_by text not null,
  imported_at timestamptz not null,
  read_at timestamptz,
  version integer not null default 0,
  unique (provider, country, file_hash),
  check ((state = 'read') = (read_at is not null)),
  check (state = 'reading' or (file_hash is not null and from_at < to_at)),
  check (state <> 'read' or known + matched + theirs_only + different = lines)
);
create index on statements (provider, country, to_at);

create table statement_lines (
  statement_id uuid not null,
  line integer not null,
  -- What the line is known by: the same one in another file of the provider is the same line.
  identity text not null,
  at timestamptz not null,
  reference text,
  our_reference text,
  kind text not null check (
    kind in ('collect', 'disburse', 'reverse', 'top_up', 'bill', 'fee', 'transfer', 'other')),
  phone text,
  amount bigint not null check (amount > 0),
  sign smallint not null check (sign in (1, -1)),
  fee bigint not null check (fee >= 0),
  result text not null check (result in ('succeeded', 'failed', 'pending', 'reversed')),
  balance bigint,
  -- What it was found to be; null: not compared yet.
  bucket text check (bucket in ('known', 'matched', 'theirs_only', 'different')),
  -- Ours, if there is one.
  client_id integer,
  transaction_id uuid,
  attempt_id uuid,
  -- It is evidence for its transaction, which is still to be recorded.
  proves boolean not null default false,
  -- What our ledger has of it at the provider, above zero if the provider holds more, and since when.
  booked bigint,
  booked_at timestamptz,
  primary key (statement_id, line),
  check ((booked is null) = (booked_at is null)),
  check ((client_id is null) = (transaction_id is null))
);
create index on statement_lines (identity, kind);
create index on statement_lines (client_id, transaction_id) where transaction_id is not null;
create index on statement_lines (statement_id, line) where proves;
-- Money that was booked at another time than the provider moved it.
create index on statement_lines (booked_at)
  where booked_at - at > interval '1 hour' or booked_at - at < interval '-1 hour';

-- Differences, each until a person or a later statement has explained it.
create table recon_cases (
  id uuid primary key,
  provider text not null,
  country text not null,
  statement_id uuid not null references statements (id),
  -- Null: no line, only we know of it.
  line integer,
  kind text not null check (
    kind in ('ours_only', 'theirs_only', 'amount', 'status', 'fee', 'day', 'duplicate')),
  state text not null default 'open' check (state in ('open', 'waiting', 'closed')),
  client_id integer,
  transaction_id uuid,
  -- Francs at stake: what the statement has more than we have.
  amount bigint not null,
  -- What they and we say.
  details jsonb not null,
  person text,
  -- The proposal that a second person decides.
  approval_id uuid references approvals (id),
  opened_at timestamptz not null,
  closed_at timestamptz,
  closed_by text,
  closing text check (closing in ('resolved', 'sent_back', 'adjusted', 'ignored', 'explained')),
  reason text,
  version integer not null default 0,
  check ((state = 'waiting') <= (approval_id is not null)),
  check ((state = 'closed') = (closed_at is not null)),
  check ((closed_at is null) = (closed_by is null)),
  check ((closed_at is null) = (closing is null)),
  check ((closed_at is null) = (reason is null)),
  check ((kind = 'ours_only') = (line is null)),
  check (kind <> 'ours_only' or transaction_id is not null),
  check ((client_id is null) = (transaction_id is null))
);
create unique index on recon_cases (statement_id, line, kind) where line is not null;
create unique index on recon_cases (client_id, transaction_id) where kind = 'ours_only';
create index on recon_cases (state, id);
create index on recon_cases (client_id, transaction_id) where transaction_id is not null;
create index on recon_cases (approval_id) where approval_id is not null;

create table recon_notes (
  case_id uuid not null references recon_cases (id),
  id uuid not null,
  at timestamptz not null,
  person text not null,
  text text not null check (text <> ''),
  primary key (case_id, id)
);

-- How the files of a provider are to be read, and which fees it is to take.
create table statement_mappings (
  provider text not null,
  country text not null,
  -- Null: its files are understood by themselves.
  content jsonb,
  -- By kind of line: basis points and fixed francs. Null: its fees are not compared.
  fees jsonb,
  changed_by text not null,
  changed_at timestamptz not null,
  primary key (provider, country)
);

-- Not checked for rows that exist: theirs are among the first seven.
alter table evidence drop constraint evidence_source_check;
alter table evidence add constraint evidence_source_check check (
  source in ('prepare', 'answer', 'query', 'callback', 'confirm', 'operator', 'payer', 'statement')
) not valid;

create trigger append_only before update or delete or truncate on recon_notes
  for each statement execute function refuse_change();

grant select, insert, update, delete on statements, statement_lines to passerelle_app;
grant select, insert, update on recon_cases to passerelle_app;
grant select, insert on recon_notes to passerelle_app;
grant select, insert, update, delete on statement_mappings to passerelle_app;
