-- concurrently
-- Both indexes hold the columns of the primary key, behind others. While a table is small they cost
-- a search by that key as little as the key's own index does, and are taken for it; once the table
-- has grown, such a search reads all of a client's part. With a condition on the column in between
-- only searches that name that column can use them.
create index concurrently transactions_phone_idx
  on transactions (client_id, (left(id::text, 5)), phone, id) where phone is not null;
drop index concurrently if exists transactions_client_id_phone_idx;
create index concurrently links_created_at_idx
  on links (client_id, created_at, id) where created_at is not null;
drop index concurrently if exists links_client_id_created_at_id_idx;
