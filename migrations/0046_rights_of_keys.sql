-- What a key may do. Null: of a key from before, or one that a process of the version before made.
alter table api_keys add column rights text[];
alter table api_keys add constraint api_keys_rights_check check (
  cardinality(rights) > 0
  and rights <@ array['read', 'collect', 'links', 'pay', 'refund', 'prepare']
) not valid;

-- Keys from before may all, or read alone. A key that may not all is marked as one that may read
-- alone too, so that processes of the version before let it do nothing else.
create function rights_of(key api_keys) returns text[] language sql immutable as $$
  select coalesce(
    key.rights,
    case when key.is_read_only then array['read'] else
      array['read', 'collect', 'links', 'pay', 'refund', 'prepare'] end)
$$;
