-- Links have random ids: their list, newest first, needs an index of its own.
create index links_client_id_created_at_id_idx on links (client_id, created_at, id);
