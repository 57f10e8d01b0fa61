-- Only postings that end a hold are looked for by it: all others would only mislead the planner,
-- which once took this index for any question about a client's postings.
alter table ledger_postings drop constraint ledger_postings_client_id_resolves_key;
create unique index on ledger_postings (client_id, resolves) where resolves is not null;

-- Likewise here: what is asked for by its own id must not be looked for among all of a client's
-- rows, which any index that begins with the client allows.
drop index attempts_client_id_transaction_id_idx;
create index on attempts (transaction_id);
drop index evidence_client_id_transaction_id_idx;
create index on evidence (transaction_id);
drop index deliveries_client_id_event_id_idx;
create index on deliveries (event_id);
drop index deliveries_client_id_created_at_idx;
create index on deliveries (created_at);

-- Counts the changes of a row, so that a process may decide on the copy that it has in memory and
-- find out, when it writes, whether somebody else was quicker.
alter table transactions add column version integer not null default 0;
