-- What stands beside a merchant's name on statements and receipts.
alter table clients add column address text;
alter table clients add column tax_number text;
