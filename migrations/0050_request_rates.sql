-- How many requests each key has sent in its current minute, through all processes. Without a log of
-- changes: what a crash empties is a minute's count.
create unlogged table request_rates (
  key_id uuid primary key,
  requests integer not null,
  ends_at timestamptz not null
);

grant select, insert, update on request_rates to passerelle_app;
