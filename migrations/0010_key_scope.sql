-- What a key sees of its client: the records that it created, or all of them.
alter table api_keys add column scope text not null default 'key'
  check (scope in ('key', 'client'));

-- The key that created an event's record: the feed shows a key no other events. They stay in the
-- order of the client's positions; with the key first, those of one key are found without reading
-- the others.
alter table events add column key_id uuid;
alter table events disable trigger append_only;
update events e set key_id = coalesce(
  (select t.key_id from transactions t where (t.client_id, t.id) = (e.client_id, e.record_id)),
  (select l.key_id from links l where (l.client_id, l.id) = (e.client_id, e.record_id)));
alter table events enable trigger append_only;
alter table events alter column key_id set not null;
create index on events (client_id, key_id, position);
