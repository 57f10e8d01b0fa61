-- A recharge code that is proposed is sealed anew when SECRET_KEY is rotated; nothing else of a
-- proposal changes, before or after it is decided.
create or replace function decide_approval_once() returns trigger language plpgsql as $$
begin
  if (new.id, new.kind, new.client_id, new.amount, new.content - 'sealedToken', new.seen,
      new.proposed_by, new.proposed_at, new.expires_at, new.form,
      new.content ? 'sealedToken') is distinct from (old.id, old.kind, old.client_id, old.amount,
      old.content - 'sealedToken', old.seen, old.proposed_by, old.proposed_at, old.expires_at,
      old.form, old.content ? 'sealedToken') then
    raise exception 'approval % cannot be changed', old.id using errcode = 'restrict_violation';
  end if;
  if old.state <> 'open' and (new.state, new.decided_by, new.decided_at, new.reason, new.outcome)
      is distinct from (old.state, old.decided_by, old.decided_at, old.reason, old.outcome) then
    raise exception 'approval % is % already', old.id, old.state
      using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

-- The file tells a day and no time: `at` is when that day begins in the country of the provider.
alter table statement_lines add column is_day boolean not null default false;

-- What each line has booked of the gateway's own money: less what lines before it had of the same.
alter table statement_lines add column fees_booked bigint not null default 0;
alter table statement_lines add column transfers_booked bigint not null default 0;
