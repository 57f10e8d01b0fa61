-- Which programs may run on the schema that a migration leaves: those that know the migration with
-- this number. 0: any. Older ones use what it has taken away, and do not start.
alter table schema_migrations add column needs integer not null default 0;
