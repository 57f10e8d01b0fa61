-- When maintenance is planned to end, and what people are told about it.
alter table maintenance add column until timestamptz, add column notice text;
