-- Shops of a client, by the names that payers are shown. They are switched off, never deleted.
create table sub_merchants (
  client_id integer not null references clients (id),
  id text not null check (id ~ '^sm-[0-9a-f]{12}$'),
  number integer not null check (number > 0), -- counts up without a gap: a page is a range of it
  name text not null check (name <> ''),
  commercial_name text not null check (commercial_name <> ''),
  countries text[] not null check (
    cardinality(countries) > 0 and countries <@ array['SN', 'CI', 'CM', 'BJ', 'BF', 'GN']),
  description text,
  legal_name text,
  business_activity text,
  manager_name text,
  website_url text,
  phone_number text,
  city text,
  address text,
  zipcode text,
  is_active boolean not null default true,
  is_default boolean not null default false, -- names the payer's screen when a payment names none
  created_at timestamptz not null,
  primary key (client_id, id),
  unique (client_id, number),
  check (is_active or not is_default)
);
create unique index on sub_merchants (client_id) where is_default;

grant select, insert, update on sub_merchants to passerelle_app;
