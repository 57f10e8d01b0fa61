-- What moves money by hand: one person proposes it, another approves it.
create table approvals (
  id uuid primary key,
  kind text not null check (kind in ('fund', 'withdraw', 'adjust', 'resolve', 'send_back')),
  client_id integer not null references clients (id),
  amount bigint not null check (amount > 0),
  -- What is done when it is approved. Recharge codes are sealed.
  content jsonb not null,
  -- What the proposer saw: the balance, or the state of the transaction.
  seen jsonb not null,
  state text not null default 'open' check (state in ('open', 'approved', 'refused', 'expired')),
  proposed_by text not null,
  proposed_at timestamptz not null,
  expires_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  reason text,
  -- What it has led to: a posting or a refund.
  outcome jsonb,
  -- The form that it was proposed with, which may be sent twice.
  form text unique,
  check ((state = 'open') = (decided_at is null) and (state = 'open') = (decided_by is null)),
  check ((state = 'approved') = (outcome is not null)),
  check (state <> 'refused' or reason is not null),
  -- Nobody approves what they have proposed.
  check (state <> 'approved' or lower(decided_by) <> lower(proposed_by))
);
create index on approvals (state, id);
create index on approvals (client_id, id);

create function decide_approval_once() returns trigger language plpgsql as $$
begin
  if old.state <> 'open' then
    raise exception 'approval % is % already', old.id, old.state
      using errcode = 'restrict_violation';
  end if;
  if (new.id, new.kind, new.client_id, new.amount, new.content, new.seen, new.proposed_by,
      new.proposed_at, new.expires_at, new.form) is distinct from (old.id, old.kind,
      old.client_id, old.amount, old.content, old.seen, old.proposed_by, old.proposed_at,
      old.expires_at, old.form) then
    raise exception 'approval % cannot be changed', old.id using errcode = 'restrict_violation';
  end if;
  return new;
end $$;
create trigger decide_once before update on approvals
  for each row execute function decide_approval_once();
create trigger append_only before delete or truncate on approvals
  for each statement execute function refuse_change();

grant select, insert, update on approvals to passerelle_app;
