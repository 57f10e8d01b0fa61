-- What providers hold for us, from which they pay orders out.
create table floats (
  provider text not null,
  country text not null,
  -- Null: nothing is known yet.
  balance bigint,
  -- Who says so: the provider, or the ledger, counted from what an operator knew or from its beginning.
  source text check (source in ('told', 'counted', 'ledger')),
  known_at timestamptz,
  -- The last time that the provider was asked, or the ledger read, and why there was no answer.
  asked_at timestamptz,
  problem text,
  -- The balance that an operator knew at a time, moved on with each reading of the ledger.
  base bigint,
  base_at timestamptz,
  warn_below bigint check (warn_below >= 0),
  alarm_below bigint check (alarm_below >= 0),
  -- The last payout that the provider declined because it held too little.
  declined_at timestamptz,
  declined_amount bigint,
  primary key (provider, country),
  check (alarm_below <= warn_below)
);

-- The history, one row every five minutes.
create table float_samples (
  provider text not null,
  country text not null,
  at timestamptz not null,
  balance bigint not null,
  primary key (provider, country, at)
);
create index on float_samples (at);

grant select, insert, update on floats to passerelle_app;
grant select, insert, delete on float_samples to passerelle_app;
