-- A process of before the chain of the audit log (0022) writes records without a digest. While such a
-- process still runs in a rolling upgrade, the database completes its records.
create function complete_audit_record() returns trigger language plpgsql as $$
begin
  -- The same expression as in src/db/audit-chain.ts; verify computes it again.
  new.digest := sha256(convert_to(jsonb_build_array(
    to_char(timezone('UTC', new.at), 'YYYY-MM-DD"T"HH24:MI:SS.US'), new.actor, new.address,
    new.action, new.client_id, new.details)::text, 'UTF8'));
  insert into audit_queue (entry_id) values (new.id);
  return new;
end $$;

create trigger complete_record before insert on audit_log
  for each row when (new.digest is null) execute function complete_audit_record();
