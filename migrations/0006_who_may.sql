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
