-- A conflict that an operator has dealt with is closed, and no longer counts.
alter table conflicts
  add column closed_at timestamptz,
  add column closed_by text,
  add column closing_reason text,
  add check ((closed_at is null) = (closed_by is null) and (closed_at is null) = (closing_reason is null));
create index on conflicts (at) where closed_at is null;
