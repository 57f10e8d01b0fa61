-- Requests to the interface with a valid key, for the merchant's developers: no bodies, no secrets.
-- A partition holds three days, and is emptied as a whole when they are more than 30 days ago:
-- nothing is deleted row by row. There are twelve, used in rotation.
create table api_requests (
  slot smallint not null, -- days since 1970 divided by three, modulo twelve
  client_id integer not null,
  request_id text collate "C" not null, -- begins with its time, so that it sorts by time
  at timestamptz not null,
  key_id uuid not null,
  method text not null,
  path text not null, -- without the query; phone numbers masked
  status smallint not null,
  duration_ms integer not null,
  code text, -- what was wrong; null: it succeeded
  messages text -- a sentence on each line
) partition by list (slot);

do $$
begin
  for slot in 0..11 loop
    execute format('create table %1$I partition of api_requests for values in (%2$s)',
      'api_requests_' || chr(97 + slot), slot);
    execute format('grant select, truncate on %I to passerelle_app',
      'api_requests_' || chr(97 + slot));
  end loop;
end $$;

create index on api_requests (client_id, request_id);
create index on api_requests (client_id, request_id) where status >= 400;

grant select, insert on api_requests to passerelle_app;

-- When a key was last used, within a minute; null: never, or before this was kept.
alter table api_keys add column last_used_at timestamptz;

-- Deliveries that were given up: few among many, and what people look for.
create index on deliveries (client_id, id) where state in ('exhausted', 'stopped');
