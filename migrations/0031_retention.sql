-- What may be forgotten is forgotten, and nothing else of a record can change
-- (docs/decisions/0068).

-- One row for each rule. Whoever works on a rule holds its lease until `due_at`.
create table retention_rules (
  rule text primary key,
  due_at timestamptz not null,
  lease uuid,
  began_at timestamptz not null,
  -- The end of the last round; null: none has ended.
  ended_at timestamptz,
  -- In the last round, and since the beginning.
  forgotten bigint not null default 0,
  forgotten_in_all bigint not null default 0
);

-- How far a rule has come in the records of a client: the last place, in their order of time.
create table retention_cursors (
  rule text not null,
  client_id integer not null,
  reached text not null,
  primary key (rule, client_id)
);

-- Places before that which were still needed: they are looked at again in each round.
create table retention_left (
  rule text not null,
  client_id integer not null,
  place text not null,
  looked_at timestamptz not null,
  primary key (rule, client_id, place)
);

grant select, insert, update on retention_rules, retention_cursors to passerelle_app;
grant select, insert, update, delete on retention_left to passerelle_app;

-- Of evidence the excerpt of what a provider sent may go, and nothing else.
create function forget_evidence() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'details' <> to_jsonb(old) - 'details'
    or new.details <> old.details - 'excerpt' then
    raise exception 'evidence can only lose its excerpt' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

-- Of an event the number may become a pseudonym, and nothing else. A sealed body stays sealed.
create function forget_number_of_event() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'body' <> to_jsonb(old) - 'body'
    or starts_with(old.body, 'sealed:') <> starts_with(new.body, 'sealed:')
    or not starts_with(old.body, 'sealed:') and (
      old.body::jsonb - 'PHONE_NUMBER' <> new.body::jsonb - 'PHONE_NUMBER'
      or new.body::jsonb ->> 'PHONE_NUMBER' !~ '^anon-[a-p]{16}$') then
    raise exception 'an event can only lose its number' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

-- Of a try to deliver the receiver's answer may go, and nothing else.
create function forget_answer() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'excerpt' <> to_jsonb(old) - 'excerpt' or new.excerpt <> '' then
    raise exception 'a delivery attempt can only lose its answer'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

drop trigger append_only on evidence;
create trigger append_only before delete or truncate on evidence
  for each statement execute function refuse_change();
create trigger forget_only before update on evidence
  for each row execute function forget_evidence();
grant update (details) on evidence to passerelle_app;

drop trigger append_only on events;
create trigger append_only before delete or truncate on events
  for each statement execute function refuse_change();
create trigger forget_only before update on events
  for each row execute function forget_number_of_event();
grant update (body) on events to passerelle_app;

drop trigger append_only on delivery_attempts;
create trigger append_only before delete or truncate on delivery_attempts
  for each statement execute function refuse_change();
create trigger forget_only before update on delivery_attempts
  for each row execute function forget_answer();
grant update (excerpt) on delivery_attempts to passerelle_app;

grant delete on mails, webhook_secrets to passerelle_app;
