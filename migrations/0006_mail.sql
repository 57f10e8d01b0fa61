-- Where a merchant is written to, and in which language.
alter table clients
  add column email text check (email <> ''),
  add column language text not null default 'fr' check (language in ('fr', 'en'));

-- Mails, written in the transaction of their cause and kept whatever became of them. One that waits
-- to be sent is its own job; one made while no server was set is only kept.
create table mails (
  client_id integer not null,
  id uuid not null,
  kind text not null,
  record_id text not null, -- what it is about
  recipient text not null,
  language text not null check (language in ('fr', 'en')),
  subject text not null,
  text_body text not null,
  html_body text not null,
  state text not null check (state in ('kept', 'pending', 'sent', 'failed')),
  tries smallint not null default 0,
  due_at timestamptz, -- when to try next
  created_at timestamptz not null,
  sent_at timestamptz,
  problem text, -- what went wrong at the last try
  primary key (client_id, id),
  check ((state = 'pending') = (due_at is not null)),
  check ((state = 'sent') = (sent_at is not null))
);
create index on mails (due_at) where due_at is not null;
create index on mails (state) where state <> 'sent';
create index on mails (created_at);
create index on mails (client_id, record_id);

grant select, insert, update on mails to passerelle_app;
