-- Which import of a provider's statements is the last that has begun. Each transaction of an import locks
-- this row and is committed only if it is still its turn.
create table statement_turns (
  provider text not null,
  country text not null,
  turn bigint not null,
  primary key (provider, country)
);

grant select, insert, update on statement_turns to passerelle_app;
