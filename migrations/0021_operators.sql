-- What a person may do for the gateway itself, in four roles.
alter table people drop constraint people_operator_role_check;
alter table people add constraint people_operator_role_check
  check (operator_role in ('operator', 'finance-operator', 'support-operator', 'auditor'));

-- An invitation without a client is one to the operators.
alter table access_codes drop constraint access_codes_role_check;
alter table access_codes drop constraint access_codes_check1;
alter table access_codes add constraint access_codes_invitation_check
  check ((kind = 'invitation') = (role is not null));
alter table access_codes add constraint access_codes_role_check
  check (case when client_id is null
    then role in ('operator', 'finance-operator', 'support-operator', 'auditor')
    else kind = 'invitation'
      and role in ('owner', 'admin', 'finance', 'developer', 'support', 'viewer')
    end);
