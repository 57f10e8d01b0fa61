-- What a key of a repeatable request belongs to: the record that the request makes, under an id that
-- is decided before anything is done. Who carries the request out has the claim, until a time that
-- it moves on while it works; rows of processes of the version before have none of the three.
alter table idempotency_keys add column record_id uuid;
alter table idempotency_keys add column claim uuid;
alter table idempotency_keys add column claimed_until timestamptz;
