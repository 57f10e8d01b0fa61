-- Whether the recharge code of a top-up was written into its event after the event was delivered
-- without it: what is delivered from then on is another message, under an id of its own.
alter table events add column is_completed boolean not null default false;
grant update (is_completed) on events to passerelle_app;

create or replace function forget_number_of_event() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'body' - 'is_completed' <> to_jsonb(old) - 'body' - 'is_completed'
    or new.is_completed < old.is_completed
    or new.is_completed and not starts_with(new.body, 'sealed:')
    or starts_with(old.body, 'sealed:') <> starts_with(new.body, 'sealed:')
    or not starts_with(old.body, 'sealed:') and (
      old.body::jsonb - 'PHONE_NUMBER' <> new.body::jsonb - 'PHONE_NUMBER'
      or new.body::jsonb ->> 'PHONE_NUMBER' !~ '^anon-[a-p]{16}$') then
    raise exception 'an event can only lose its number' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
