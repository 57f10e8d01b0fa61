-- Everybody who has invited a person, to a client or to operate the gateway: none of them approves
-- what that person proposes, nor the other way round.
alter table people add column invited_by text[] not null default '{}';
update people p
set invited_by = i.inviters
from (
  select lower(details ->> 'email') as email, array_agg(distinct actor) as inviters
  from audit_log where action in ('operator.invite', 'team.invite')
  group by 1
) i
where i.email = lower(p.email);

-- Who may not see the balance makes no key that reads it. Keys that there are keep what they had.
alter table api_keys drop constraint api_keys_rights_check;
alter table api_keys add constraint api_keys_rights_check check (
  cardinality(rights) > 0 and rights <@ array['read', 'balance', 'collect', 'links', 'pay', 'refund',
    'prepare']) not valid;
update api_keys set rights = array_append(rights, 'balance') where 'read' = any(rights);
