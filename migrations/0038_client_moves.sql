-- Moving a client to another cell while it works (docs/decisions/0084).

-- Where each client's move stands: `out` in the cell that it leaves, `in` in the one that it comes to.
create table client_moves (
  client_id integer not null,
  direction text not null check (direction in ('out', 'in')),
  id uuid not null,
  state text not null check (case direction
    when 'out' then state in ('copying', 'draining', 'frozen', 'moved', 'undone')
    else state in ('arriving', 'ready', 'active', 'undoing', 'undone') end),
  -- The other cell's address.
  peer_url text not null,
  -- A freeze ends by itself at this time, unless the client has moved.
  lease_until timestamptz,
  -- When the client was frozen for good: what was posted before was posted in the old cell.
  cut_at timestamptz,
  -- How far the copy has come, by table.
  progress jsonb not null default '{}',
  -- What is sealed for the client alone, such as the key of its old callback addresses.
  sealed_callback_key bytea,
  begun_at timestamptz not null,
  changed_at timestamptz not null,
  ended_at timestamptz,
  primary key (client_id, direction)
);

-- Rows that were changed while their client is copied, by their keys.
create table move_changes (
  id bigint generated always as identity primary key,
  client_id integer not null,
  relation text not null,
  key jsonb not null,
  is_deleted boolean not null
);
create index on move_changes (client_id, id);

-- A row trigger of every table that moves, made for the clients that move and for no others. It
-- notes what was changed, and refuses changes of a client that is frozen or gone. The lock makes
-- the freeze wait for transactions under way: see src/move/freeze-store.ts.
-- Arguments: the client's column; `perishable` where old rows are cleared away for all clients at
-- once; a sealed column, which may be sealed anew at any time; the columns of the key.
create function note_move_change() returns trigger language plpgsql as $$
declare
  changed jsonb;
  client integer;
  move record;
begin
  if tg_op = 'DELETE' then changed := to_jsonb(old); else changed := to_jsonb(new); end if;
  client := (changed ->> tg_argv[0])::integer;
  perform pg_advisory_xact_lock_shared(7270084, client);
  select m.id, m.state, m.lease_until > clock_timestamp() as is_held into move
  from client_moves m where m.client_id = client and m.direction = 'out';
  if not found or move.state = 'undone' then return null; end if;
  if move.state = 'moved' or move.state = 'frozen' and move.is_held then
    if tg_op = 'DELETE' and tg_argv[1] = 'perishable' then return null; end if;
    if tg_op = 'UPDATE' and to_jsonb(old) - tg_argv[2] = to_jsonb(new) - tg_argv[2] then
      return null;
    end if;
    if current_setting('passerelle.move', true) is distinct from move.id::text then
      raise exception 'client % is moving', client using errcode = 'PM001';
    end if;
    return null;
  end if;
  insert into move_changes (client_id, relation, key, is_deleted)
  select client, tg_table_name, jsonb_object_agg(name, changed -> name), tg_op = 'DELETE'
  from unnest(tg_argv[3:]) as name;
  return null;
end $$;

-- Rows of a client that never was at work here may be deleted again, when its move is undone.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and tg_table_name not like 'audit%' and tg_table_name <> 'ledger_anchors'
    and exists (
      select from client_moves m
      where m.direction = 'in' and m.state = 'undoing'
        and m.client_id::text = current_setting('passerelle.undoing', true)
    ) then return null; end if;
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

-- Rows of a client arrive before the client itself.
alter table links drop constraint links_client_id_fkey;
alter table batches drop constraint batches_client_id_fkey;

grant select, insert, update on client_moves to passerelle_app;
grant select, insert, delete on move_changes to passerelle_app;
