-- The cell that this database belongs to (docs/decisions/0083): none, or one for good.
create table cell (
  is_only boolean primary key default true check (is_only),
  name text not null check (name ~ '^[a-z][a-z0-9]{0,11}$'),
  recorded_at timestamptz not null
);
grant select, insert on cell to passerelle_app;

-- 0001 grants the use of the schema public; the schema may be another, by the login's search_path.
do $$ begin
  execute format('grant usage on schema %I to passerelle_app', current_schema());
end $$;
