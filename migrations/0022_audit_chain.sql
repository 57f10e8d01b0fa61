-- Every audit record has a digest of its content. A worker links the digests into one chain, in an
-- order of its own, so that nobody who records something waits for another who does.
alter table audit_log add column address text, add column digest bytea;
alter table audit_log disable trigger append_only;
update audit_log set address = details ->> 'from';
update audit_log set digest = sha256(convert_to(jsonb_build_array(
  to_char(timezone('UTC', at), 'YYYY-MM-DD"T"HH24:MI:SS.US'), actor, address, action, client_id,
  details)::text, 'UTF8'));
alter table audit_log enable trigger append_only;
alter table audit_log alter column digest set not null;

-- Records that are not in the chain yet. They are written with the record, and deleted when it is.
create table audit_queue (
  entry_id bigint primary key
);

create table audit_chain (
  number bigint primary key,
  entry_id bigint not null unique,
  -- SHA-256 of the hash before, the number, the record's id and its digest.
  hash bytea not null
);
create trigger append_only before update or delete or truncate on audit_chain
  for each statement execute function refuse_change();

-- The end of the chain: one row, which is locked while the chain grows.
create table audit_head (
  is_only boolean primary key default true check (is_only),
  number bigint not null,
  hash bytea not null
);

do $$
declare
  entry record;
  head bytea := decode(repeat('00', 32), 'hex');
  place bigint := 0;
begin
  for entry in select id, digest from audit_log order by id loop
    place := place + 1;
    head := sha256(head || int8send(place) || int8send(entry.id) || entry.digest);
    insert into audit_chain values (place, entry.id, head);
  end loop;
  insert into audit_head (number, hash) values (place, head);
end $$;

grant select, insert on audit_chain to passerelle_app;
grant select, insert, delete on audit_queue to passerelle_app;
grant select, update on audit_head to passerelle_app;
