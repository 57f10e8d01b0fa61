-- Written by `npm run write schema`; do not edit.

create table access_codes (
  hash bytea not null,
  id uuid not null,
  kind text not null,
  email text not null,
  person_id uuid,
  client_id integer,
  role text,
  invited_by text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null
);

create table account_hours (
  client_id integer not null,
  hour timestamp with time zone not null,
  kind text not null,
  operation text not null,
  count bigint not null,
  amount bigint not null,
  fee bigint not null,
  last_version bigint not null,
  balance bigint not null
);

create table api_key_secrets (
  hash bytea not null,
  client_id integer not null,
  key_id uuid not null,
  prefix text not null,
  last_four text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone
);

create table api_keys (
  client_id integer not null,
  id uuid not null,
  label text not null,
  rights text[] not null,
  scope text not null default 'key'::text,
  allowed_addresses cidr[] not null default '{}'::cidr[],
  rate_per_minute integer,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone
);

create table api_requests (
  slot smallint not null,
  client_id integer not null,
  request_id text not null,
  at timestamp with time zone not null,
  key_id uuid not null,
  method text not null,
  path text not null,
  status smallint not null,
  duration_ms integer not null,
  code text,
  messages text
);

create table approvals (
  id uuid not null,
  kind text not null,
  client_id integer,
  amount bigint not null,
  content jsonb not null,
  seen jsonb not null,
  state text not null default 'open'::text,
  proposed_by text not null,
  proposed_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  decided_by text,
  decided_at timestamp with time zone,
  reason text,
  outcome jsonb,
  form text
);

create table attempt_limits (
  client_id integer not null,
  attempts_max integer not null
);

create table attempts (
  client_id integer not null,
  id uuid not null,
  transaction_id uuid not null,
  number smallint not null,
  operation text not null,
  created_at timestamp with time zone not null
);

create table audit_chain (
  number bigint not null,
  entry_id bigint not null,
  hash bytea not null
);

create table audit_head (
  is_only boolean not null default true,
  number bigint not null,
  hash bytea not null
);

create table audit_log (
  id bigint not null generated as identity,
  at timestamp with time zone not null,
  actor text not null,
  address text,
  action text not null,
  client_id integer,
  details jsonb not null default '{}'::jsonb,
  digest bytea not null
);

create table audit_queue (
  entry_id bigint not null
);

create table backup_state (
  id smallint not null default 1,
  folder text not null,
  every_hours integer,
  base_at timestamp with time zone,
  base_bytes bigint,
  archived_until timestamp with time zone,
  checked_at timestamp with time zone,
  check_problems jsonb,
  problem text
);

create table batch_lines (
  client_id integer not null,
  batch_id uuid not null,
  line integer not null,
  phone text,
  service_code text,
  amount bigint,
  fee bigint,
  name text not null,
  reference text not null,
  external_id text,
  given jsonb,
  errors jsonb not null,
  warnings jsonb not null,
  state text not null,
  attempt smallint not null default 1,
  transaction_id uuid,
  refusal jsonb
);

create table batch_steps (
  client_id integer not null,
  batch_id uuid not null,
  number integer not null,
  from_state text not null,
  trigger text not null,
  to_state text not null,
  actor text not null,
  reason jsonb,
  at timestamp with time zone not null
);

create table batches (
  client_id integer not null,
  id uuid not null,
  name text not null,
  file_name text not null,
  file_hash text not null,
  state text not null,
  uploaded_by text not null,
  proposed_by text,
  approved_by text,
  reason jsonb,
  warnings jsonb not null,
  lines integer not null,
  faulty integer not null,
  amount bigint not null,
  fee bigint not null,
  waiting integer not null,
  open integer not null default 0,
  paid integer not null default 0,
  failed integer not null default 0,
  refused integer not null default 0,
  paid_amount bigint not null default 0,
  version integer not null default 0,
  changed_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  due_at timestamp with time zone
);

create table bill_claims (
  service_code text not null,
  account text not null,
  bill_reference text not null,
  client_id integer not null,
  transaction_id uuid not null
);

create table blocked_numbers (
  phone text not null,
  reason text not null,
  actor text not null,
  blocked_at timestamp with time zone not null,
  expires_at timestamp with time zone
);

create table cell (
  is_only boolean not null default true,
  name text not null,
  recorded_at timestamp with time zone not null
);

create table client_logos (
  client_id integer not null,
  hash text not null,
  media_type text not null,
  width integer not null,
  height integer not null,
  bytes bytea not null
);

create table client_services (
  client_id integer not null,
  service_code text not null,
  is_enabled boolean not null default true,
  fee_fixed bigint not null default 0,
  fee_basis_points integer not null default 0,
  fee_min bigint not null default 0,
  fee_max bigint,
  amount_min bigint,
  amount_max bigint
);

create table clients (
  id integer not null generated as identity,
  name text not null,
  merchant_status text not null default 'active'::text,
  tier text not null default 'standard'::text,
  rate_per_minute integer not null default 100,
  callback_url text,
  email text,
  language text not null default 'fr'::text,
  time_zone text not null default 'Africa/Dakar'::text,
  colour text,
  link_lifetime_seconds integer not null default 86400,
  is_demo boolean not null default false,
  created_at timestamp with time zone not null,
  address text,
  tax_number text
);

create table conflicts (
  client_id integer not null,
  id uuid not null,
  transaction_id uuid not null,
  kind text not null,
  details jsonb not null,
  at timestamp with time zone not null,
  closed_at timestamp with time zone,
  closed_by text,
  closing_reason text
);

create table daily_limits (
  client_id integer not null,
  scope text not null,
  amount_max bigint,
  count_max bigint,
  since timestamp with time zone not null,
  known_from bigint
);

create table deliveries (
  client_id integer not null,
  id uuid not null,
  event_id uuid not null,
  endpoint text not null,
  url text not null,
  state text not null,
  tries smallint not null default 0,
  due_at timestamp with time zone,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone
);

create table delivery_attempts (
  client_id integer not null,
  delivery_id uuid not null,
  number smallint not null,
  at timestamp with time zone not null,
  http_status integer,
  duration_ms integer not null,
  problem text,
  excerpt text not null
);

create table drills (
  id uuid not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  moment timestamp with time zone,
  backup_at timestamp with time zone,
  last_transaction_at timestamp with time zone,
  problems jsonb not null
);

create table event_positions (
  client_id integer not null,
  last bigint not null
);

create table events (
  client_id integer not null,
  id uuid not null,
  position bigint not null,
  key_id uuid not null,
  record_kind text not null,
  record_id uuid not null,
  body text not null,
  is_completed boolean not null default false,
  created_at timestamp with time zone not null
);

create table evidence (
  client_id integer not null,
  id bigint not null generated as identity,
  transaction_id uuid not null,
  attempt_id uuid not null,
  at timestamp with time zone not null,
  source text not null,
  outcome text not null,
  details jsonb not null,
  dedupe_key text
);

create table external_ids (
  client_id integer not null,
  external_id text not null,
  record_kind text not null,
  record_id uuid not null
);

create table float_samples (
  provider text not null,
  country text not null,
  at timestamp with time zone not null,
  balance bigint not null
);

create table floats (
  provider text not null,
  country text not null,
  balance bigint,
  source text,
  known_at timestamp with time zone,
  asked_at timestamp with time zone,
  problem text,
  base bigint,
  base_at timestamp with time zone,
  warn_below bigint,
  alarm_below bigint,
  declined_at timestamp with time zone,
  declined_amount bigint
);

create table form_submissions (
  session_id uuid not null,
  token text not null,
  location text,
  created_at timestamp with time zone not null
);

create table held_lines (
  statement_id uuid not null,
  line integer not null,
  approval_id uuid not null
);

create table idempotency_keys (
  client_id integer not null,
  key_id uuid not null,
  key text not null,
  fingerprint bytea not null,
  record_id uuid not null,
  claim uuid not null,
  claimed_until timestamp with time zone not null,
  http_status integer,
  body text,
  created_at timestamp with time zone not null
);

create table kept_keys (
  purpose text not null,
  sealed bytea not null
);

create table ledger_accounts (
  client_id integer not null,
  kind text not null,
  balance bigint not null default 0,
  version bigint not null default 0,
  head bytea not null,
  anchored_version bigint not null default 0,
  updated_at timestamp with time zone not null
);

create table ledger_anchors (
  number integer not null,
  heads jsonb not null,
  hash bytea not null,
  created_at timestamp with time zone not null
);

create table ledger_entries (
  client_id integer not null,
  posting_id uuid not null,
  line smallint not null,
  account text not null,
  currency text not null,
  amount bigint not null,
  before bigint,
  after bigint,
  version bigint,
  hash bytea
);

create table ledger_postings (
  client_id integer not null,
  id uuid not null,
  kind text not null,
  ref text not null,
  resolves uuid,
  created_at timestamp with time zone not null,
  digest bytea not null
);

create table limit_days (
  client_id integer not null,
  scope text not null,
  day date not null,
  amount bigint not null,
  count bigint not null,
  counted_at timestamp with time zone not null,
  zone text not null default 'UTC'::text
);

create table limit_version (
  only_row boolean not null default true,
  version bigint not null default 0
);

create table links (
  client_id integer not null,
  id uuid not null,
  key_id uuid not null,
  external_id text not null,
  sub_merchant_id text,
  payee_name text not null,
  item_name text not null,
  amount bigint not null,
  custom_data text,
  callback_url text not null,
  success_url text not null,
  failure_url text not null,
  customer_name text,
  customer_phone text,
  customer_email text,
  language text,
  status text not null,
  attempts smallint not null default 0,
  open_id uuid,
  paid_id uuid,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  due_at timestamp with time zone
);

create table mails (
  client_id integer not null,
  id uuid not null,
  kind text not null,
  record_id text not null,
  recipient text not null,
  language text not null,
  subject text not null,
  text_body text not null,
  html_body text not null,
  state text not null,
  tries smallint not null default 0,
  due_at timestamp with time zone,
  created_at timestamp with time zone not null,
  sent_at timestamp with time zone,
  problem text
);

create table maintenance (
  scope text not null,
  reason text not null,
  since timestamp with time zone not null,
  until timestamp with time zone,
  notice text
);

create table memberships (
  person_id uuid not null,
  client_id integer not null,
  role text not null,
  created_at timestamp with time zone not null
);

create table number_attempts (
  client_id integer not null,
  phone text not null,
  times timestamp with time zone[] not null,
  last_at timestamp with time zone not null
);

create table passkey_challenges (
  hash bytea not null,
  is_new boolean not null,
  person_id uuid,
  expires_at timestamp with time zone not null
);

create table passkeys (
  id text not null,
  person_id uuid not null,
  name text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone
);

create table people (
  id uuid not null,
  email text not null,
  name text not null,
  password_hash text,
  language text not null,
  operator_role text,
  approver_since timestamp with time zone,
  approver_by text,
  is_demo boolean not null default false,
  created_at timestamp with time zone not null,
  invited_by text[] not null default '{}'::text[]
);

create table process_reports (
  id uuid not null,
  host text not null,
  pid integer not null,
  role text not null,
  at timestamp with time zone not null,
  providers jsonb not null
);

create table proofs (
  id uuid not null,
  proved_by text not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  postings bigint not null,
  entries bigint not null,
  accounts bigint not null,
  anchors bigint not null,
  breaks jsonb not null
);

create table provider_pauses (
  provider text not null,
  country text not null,
  reason text not null,
  since timestamp with time zone not null
);

create table recon_cases (
  id uuid not null,
  provider text not null,
  country text not null,
  statement_id uuid not null,
  line integer,
  kind text not null,
  state text not null default 'open'::text,
  client_id integer,
  transaction_id uuid,
  amount bigint not null,
  details jsonb not null,
  person text,
  approval_id uuid,
  opened_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  closed_by text,
  closing text,
  reason text,
  version integer not null default 0,
  difference bigint,
  decided bigint,
  judged_at timestamp with time zone
);

create table recon_notes (
  case_id uuid not null,
  id uuid not null,
  at timestamp with time zone not null,
  person text not null,
  text text not null
);

create table recovery_codes (
  person_id uuid not null,
  hash bytea not null
);

create unlogged table request_rates (
  key_id uuid not null,
  requests integer not null,
  ends_at timestamp with time zone not null
);

create table retention_cursors (
  rule text not null,
  client_id integer not null,
  reached text not null
);

create table retention_left (
  rule text not null,
  client_id integer not null,
  place text not null,
  looked_at timestamp with time zone not null
);

create table retention_rules (
  rule text not null,
  due_at timestamp with time zone not null,
  lease uuid,
  began_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  forgotten bigint not null default 0,
  forgotten_in_all bigint not null default 0
);

create table schema_migrations (
  version integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  needs integer not null default 0
);

create table second_factors (
  person_id uuid not null,
  secret text not null,
  confirmed_at timestamp with time zone,
  last_step bigint not null default 0
);

create table secret_key_uses (
  seals text not null,
  opens text[] not null,
  seen_at timestamp with time zone not null
);

create table sessions (
  hash bytea not null,
  id uuid not null,
  person_id uuid not null,
  client_id integer,
  created_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  confirmed_at timestamp with time zone not null,
  address text not null,
  agent text not null,
  message text
);

create table sign_in_tries (
  subject bytea not null,
  window_start timestamp with time zone not null,
  tries integer not null
);

create table statement_file_chunks (
  file_id uuid not null,
  number integer not null,
  content bytea not null
);

create table statement_file_problems (
  file_id uuid not null,
  number integer not null,
  line integer not null,
  reason jsonb not null
);

create table statement_files (
  id uuid not null,
  provider text not null,
  country text not null,
  name text not null,
  from_at timestamp with time zone,
  to_at timestamp with time zone,
  state text not null,
  bytes bigint not null default 0,
  share smallint not null default 0,
  problems integer not null default 0,
  statement_id uuid,
  uploaded_by text not null,
  uploaded_at timestamp with time zone not null,
  imported_by text,
  attempt smallint not null default 0,
  due_at timestamp with time zone not null,
  version integer not null default 0,
  survey jsonb
);

create table statement_lines (
  statement_id uuid not null,
  line integer not null,
  identity text not null,
  at timestamp with time zone not null,
  reference text,
  our_reference text,
  kind text not null,
  phone text,
  amount bigint not null,
  sign smallint not null,
  fee bigint not null,
  result text not null,
  balance bigint,
  bucket text,
  client_id integer,
  transaction_id uuid,
  attempt_id uuid,
  proves boolean not null default false,
  booked bigint,
  booked_at timestamp with time zone,
  is_day boolean not null default false,
  fees_booked bigint not null default 0,
  transfers_booked bigint not null default 0
);

create table statement_mappings (
  provider text not null,
  country text not null,
  content jsonb,
  fees jsonb,
  changed_by text not null,
  changed_at timestamp with time zone not null
);

create table statement_turns (
  provider text not null,
  country text not null,
  turn bigint not null
);

create table statements (
  id uuid not null,
  provider text not null,
  country text not null,
  file_hash text,
  name text not null,
  format text not null,
  from_at timestamp with time zone,
  to_at timestamp with time zone,
  state text not null,
  share smallint not null default 0,
  lines integer not null default 0,
  known integer not null default 0,
  matched integer not null default 0,
  ours_only integer not null default 0,
  theirs_only integer not null default 0,
  different integer not null default 0,
  ended integer not null default 0,
  cases integer not null default 0,
  opening bigint,
  closing bigint,
  net bigint not null default 0,
  fees bigint not null default 0,
  transfers bigint not null default 0,
  ledger bigint,
  imported_by text not null,
  imported_at timestamp with time zone not null,
  read_at timestamp with time zone,
  version integer not null default 0
);

create table status_history (
  client_id integer not null,
  resource text not null,
  record_id uuid not null,
  from_status text not null,
  trigger text not null,
  to_status text not null,
  at timestamp with time zone not null
);

create table sub_merchants (
  client_id integer not null,
  id text not null,
  number integer not null,
  name text not null,
  commercial_name text not null,
  countries text[] not null,
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
  is_default boolean not null default false,
  created_at timestamp with time zone not null
);

create table summary_cursors (
  client_id integer not null,
  position bigint not null default 0,
  version bigint not null default 0,
  hour timestamp with time zone not null default '-infinity'::timestamp with time zone
);

create table transaction_hours (
  client_id integer not null,
  hour timestamp with time zone not null,
  operation text not null,
  service_code text not null,
  status text not null,
  count bigint not null,
  amount bigint not null,
  fee bigint not null
);

create table transactions (
  client_id integer not null,
  id uuid not null,
  key_id uuid not null,
  external_id text,
  operation text not null,
  service_code text not null,
  amount bigint not null,
  fee bigint not null,
  phone text not null,
  payee_name text not null,
  sub_merchant_id text,
  link_id uuid,
  bill_reference text,
  custom_data text,
  callback_url text,
  success_url text not null,
  failure_url text not null,
  reason text,
  original_id uuid,
  late_reference text,
  refunded bigint not null default 0,
  status text not null,
  failure text,
  attempt_id uuid not null,
  attempt_number smallint not null default 1,
  attempt_state text not null,
  attempted_at timestamp with time zone not null,
  reference text,
  payment_url text,
  polls integer not null default 0,
  otp_tries smallint not null default 0,
  otp_wrong smallint not null default 0,
  confirmed_at timestamp with time zone,
  sealed_token text,
  hold_id uuid,
  balance_before bigint,
  balance_after bigint,
  version integer not null default 0,
  created_at timestamp with time zone not null,
  completed_at timestamp with time zone,
  due_at timestamp with time zone
);

create table webhook_secrets (
  client_id integer not null,
  id uuid not null,
  sealed bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone
);

create table api_requests_a partition of api_requests FOR VALUES IN ('0');
create table api_requests_b partition of api_requests FOR VALUES IN ('1');
create table api_requests_c partition of api_requests FOR VALUES IN ('2');
create table api_requests_d partition of api_requests FOR VALUES IN ('3');
create table api_requests_e partition of api_requests FOR VALUES IN ('4');
create table api_requests_f partition of api_requests FOR VALUES IN ('5');
create table api_requests_g partition of api_requests FOR VALUES IN ('6');
create table api_requests_h partition of api_requests FOR VALUES IN ('7');
create table api_requests_i partition of api_requests FOR VALUES IN ('8');
create table api_requests_j partition of api_requests FOR VALUES IN ('9');
create table api_requests_k partition of api_requests FOR VALUES IN ('10');
create table api_requests_l partition of api_requests FOR VALUES IN ('11');

alter table access_codes add constraint access_codes_check CHECK (((kind = 'password'::text) = (person_id IS NOT NULL)));
alter table access_codes add constraint access_codes_check1 CHECK (((kind = 'invitation'::text) = (invited_by IS NOT NULL)));
alter table access_codes add constraint access_codes_invitation_check CHECK (((kind = 'invitation'::text) = (role IS NOT NULL)));
alter table access_codes add constraint access_codes_kind_check CHECK ((kind = ANY (ARRAY['invitation'::text, 'password'::text])));
alter table access_codes add constraint access_codes_role_check CHECK (
CASE
    WHEN (client_id IS NULL) THEN (role = ANY (ARRAY['operator'::text, 'finance-operator'::text, 'support-operator'::text, 'auditor'::text]))
    ELSE ((kind = 'invitation'::text) AND (role = ANY (ARRAY['owner'::text, 'admin'::text, 'finance'::text, 'developer'::text, 'support'::text, 'viewer'::text])))
END);
alter table access_codes add constraint access_codes_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id);
alter table access_codes add constraint access_codes_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
alter table access_codes add constraint access_codes_pkey PRIMARY KEY (hash);
alter table access_codes add constraint access_codes_id_key UNIQUE (id);
alter table account_hours add constraint account_hours_count_check CHECK ((count > 0));
alter table account_hours add constraint account_hours_pkey PRIMARY KEY (client_id, hour, kind, operation);
alter table api_key_secrets add constraint api_key_secrets_client_id_key_id_fkey FOREIGN KEY (client_id, key_id) REFERENCES api_keys(client_id, id);
alter table api_key_secrets add constraint api_key_secrets_pkey PRIMARY KEY (hash);
alter table api_keys add constraint api_keys_rate_per_minute_check CHECK ((rate_per_minute > 0));
alter table api_keys add constraint api_keys_rights_check CHECK (((cardinality(rights) > 0) AND (rights <@ ARRAY['read'::text, 'balance'::text, 'collect'::text, 'links'::text, 'pay'::text, 'refund'::text, 'prepare'::text]))) NOT VALID;
alter table api_keys add constraint api_keys_scope_check CHECK ((scope = ANY (ARRAY['key'::text, 'client'::text])));
alter table api_keys add constraint api_keys_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id);
alter table api_keys add constraint api_keys_pkey PRIMARY KEY (client_id, id);
alter table approvals add constraint approvals_amount_check CHECK (((amount > 0) OR ((amount = 0) AND (kind = ANY (ARRAY['grant'::text, 'statement_withdrawal'::text, 'forget'::text]))))) NOT VALID;
alter table approvals add constraint approvals_check CHECK ((((state = 'open'::text) = (decided_at IS NULL)) AND ((state = 'open'::text) = (decided_by IS NULL))));
alter table approvals add constraint approvals_check1 CHECK (((state <> 'refused'::text) OR (reason IS NOT NULL)));
alter table approvals add constraint approvals_check2 CHECK (((state <> 'approved'::text) OR (lower(decided_by) <> lower(proposed_by))));
alter table approvals add constraint approvals_client_check CHECK (((client_id IS NULL) = (kind = ANY (ARRAY['statement'::text, 'statement_withdrawal'::text, 'suspend'::text, 'grant'::text, 'forget'::text])))) NOT VALID;
alter table approvals add constraint approvals_kind_check CHECK ((kind = ANY (ARRAY['fund'::text, 'withdraw'::text, 'adjust'::text, 'resolve'::text, 'send_back'::text, 'statement'::text, 'statement_withdrawal'::text, 'suspend'::text, 'grant'::text, 'forget'::text]))) NOT VALID;
alter table approvals add constraint approvals_outcome_check CHECK (((state = ANY (ARRAY['approved'::text, 'alone'::text])) = (outcome IS NOT NULL)));
alter table approvals add constraint approvals_state_check CHECK ((state = ANY (ARRAY['open'::text, 'approved'::text, 'refused'::text, 'expired'::text, 'alone'::text])));
alter table approvals add constraint approvals_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id);
alter table approvals add constraint approvals_pkey PRIMARY KEY (id);
alter table approvals add constraint approvals_form_key UNIQUE (form);
alter table attempt_limits add constraint attempt_limits_attempts_max_check CHECK (((attempts_max >= 1) AND (attempts_max <= 1000)));
alter table attempt_limits add constraint attempt_limits_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id);
alter table attempt_limits add constraint attempt_limits_pkey PRIMARY KEY (client_id);
alter table attempts add constraint attempts_pkey PRIMARY KEY (client_id, id);
alter table audit_chain add constraint audit_chain_pkey PRIMARY KEY (number);
alter table audit_chain add constraint audit_chain_entry_id_key UNIQUE (entry_id);
alter table audit_head add constraint audit_head_is_only_check CHECK (is_only);
alter table audit_head add constraint audit_head_pkey PRIMARY KEY (is_only);
alter table audit_log add constraint audit_log_pkey PRIMARY KEY (id);
alter table audit_queue add constraint audit_queue_pkey PRIMARY KEY (entry_id);
alter table backup_state add constraint backup_state_id_check CHECK ((id = 1));
alter table backup_state add constraint backup_state_pkey PRIMARY KEY (id);
alter table batch_lines add constraint batch_lines_amount_check CHECK ((amount > 0));
alter table batch_lines add constraint batch_lines_check CHECK (((state = 'faulty'::text) = (errors <> '[]'::jsonb)));
alter table batch_lines add constraint batch_lines_check1 CHECK (((state = 'faulty'::text) OR ((phone IS NOT NULL) AND (service_code IS NOT NULL) AND (amount IS NOT NULL))));
alter table batch_lines add constraint batch_lines_check2 CHECK (((state = ANY (ARRAY['sent'::text, 'paid'::text, 'failed'::text])) = (transaction_id IS NOT NULL)));
alter table batch_lines add constraint batch_lines_fee_check CHECK ((fee >= 0));
alter table batch_lines add constraint batch_lines_state_check CHECK ((state = ANY (ARRAY['faulty'::text, 'waiting'::text, 'sending'::text, 'sent'::text, 'paid'::text, 'failed'::text, 'refused'::text])));
alter table batch_lines add constraint batch_lines_client_id_batch_id_fkey FOREIGN KEY (client_id, batch_id) REFERENCES batches(client_id, id);
alter table batch_lines add constraint batch_lines_pkey PRIMARY KEY (client_id, batch_id, line);
alter table batch_steps add constraint batch_steps_client_id_batch_id_fkey FOREIGN KEY (client_id, batch_id) REFERENCES batches(client_id, id);
alter table batch_steps add constraint batch_steps_pkey PRIMARY KEY (client_id, batch_id, number);
alter table batches add constraint batches_check CHECK (((((((waiting + open) + paid) + failed) + refused) + faulty) = lines));
alter table batches add constraint batches_lines_check CHECK ((lines > 0));
alter table batches add constraint batches_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'proposed'::text, 'approved'::text, 'refused'::text, 'running'::text, 'paused'::text, 'finished'::text, 'cancelled'::text])));
alter table batches add constraint batches_pkey PRIMARY KEY (client_id, id);
alter table bill_claims add constraint bill_claims_pkey PRIMARY KEY (service_code, account, bill_reference);
alter table blocked_numbers add constraint blocked_numbers_reason_check CHECK ((reason <> ''::text));
alter table blocked_numbers add constraint blocked_numbers_pkey PRIMARY KEY (phone);
alter table cell add constraint cell_is_only_check CHECK (is_only);
alter table cell add constraint cell_name_check CHECK ((name ~ '^[a-z][a-z0-9]{0,11}$'::text));
alter table cell add constraint cell_pkey PRIMARY KEY (is_only);
alter table client_logos add constraint client_logos_bytes_check CHECK ((octet_length(bytes) <= 65536));
alter table client_logos add constraint client_logos_hash_check CHECK ((hash ~ '^[0-9a-f]{64}$'::text));
alter table client_logos add constraint client_logos_height_check CHECK ((height > 0));
alter table client_logos add constraint client_logos_media_type_check CHECK ((media_type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/webp'::text])));
alter table client_logos add constraint client_logos_width_check CHECK ((width > 0));
alter table client_logos add constraint client_logos_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id);
alter table client_logos add constraint client_logos_pkey PRIMARY KEY (client_id);
alter table client_services add constraint client_services_amount_min_check CHECK ((amount_min > 0));
alter table client_services add constraint client_services_check CHECK ((fee_max >= fee_min));
alter table client_services add constraint client_services_check1 CHECK ((amount_max >= amount_min));
alter table client_services add constraint client_services_fee_basis_points_check CHECK (((fee_basis_points >= 0) AND (fee_basis_points <= 10000)));
alter table client_services add constraint client_services_fee_fixed_check CHECK ((fee_fixed >= 0));
alter table client_services add constraint client_services_fee_min_check CHECK ((fee_min >= 0));
alter table client_services add constraint client_services_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id);
alter table client_services add constraint client_services_pkey PRIMARY KEY (client_id, service_code);
alter table clients add constraint clients_colour_check CHECK ((colour ~ '^#[0-9a-f]{6}$'::text));
alter table clients add constraint clients_email_check CHECK ((email <> ''::text));
alter table clients add constraint clients_language_check CHECK ((language = ANY (ARRAY['fr'::text, 'en'::text])));
alter table clients add constraint clients_link_lifetime_seconds_check CHECK (((link_lifetime_seconds >= 300) AND (link_lifetime_seconds <= 2592000)));
alter table clients add constraint clients_merchant_status_check CHECK ((merchant_status = ANY (ARRAY['pending'::text, 'active'::text, 'suspended'::text])));
alter table clients add constraint clients_name_check CHECK ((name <> ''::text));
alter table clients add constraint clients_rate_per_minute_check CHECK ((rate_per_minute > 0));
alter table clients add constraint clients_tier_check CHECK ((tier = ANY (ARRAY['standard'::text, 'enterprise'::text])));
alter table clients add constraint clients_pkey PRIMARY KEY (id);
alter table clients add constraint clients_name_key UNIQUE (name);
alter table conflicts add constraint conflicts_check CHECK ((((closed_at IS NULL) = (closed_by IS NULL)) AND ((closed_at IS NULL) = (closing_reason IS NULL))));
alter table conflicts add constraint conflicts_kind_check CHECK ((kind = ANY (ARRAY['late_success'::text, 'contradiction'::text, 'wrong_amount'::text, 'unusable_reference'::text])));
alter table conflicts add constraint conflicts_pkey PRIMARY KEY (client_id, id);
alter table daily_limits add constraint daily_limits_amount_max_check CHECK ((amount_max > 0));
alter table daily_limits add constraint daily_limits_check CHECK (((amount_max IS NOT NULL) OR (count_max IS NOT NULL)));
alter table daily_limits add constraint daily_limits_count_max_check CHECK ((count_max > 0));
alter table daily_limits add constraint daily_limits_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id);
alter table daily_limits add constraint daily_limits_pkey PRIMARY KEY (client_id, scope);
alter table deliveries add constraint deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'exhausted'::text, 'stopped'::text])));
alter table deliveries add constraint deliveries_pkey PRIMARY KEY (client_id, id);
alter table delivery_attempts add constraint delivery_attempts_pkey PRIMARY KEY (client_id, delivery_id, number);
alter table drills add constraint drills_pkey PRIMARY KEY (id);
alter table event_positions add constraint event_positions_pkey PRIMARY KEY (client_id);
alter table events add constraint events_record_kind_check CHECK ((record_kind = ANY (ARRAY['transaction'::text, 'bill'::text, 'link'::text])));
alter table events add constraint events_pkey PRIMARY KEY (client_id, id);
alter table events add constraint events_client_id_position_key UNIQUE (client_id, "position");
alter table events add constraint events_client_id_record_id_key UNIQUE (client_id, record_id);
alter table evidence add constraint evidence_source_check CHECK ((source = ANY (ARRAY['prepare'::text, 'answer'::text, 'query'::text, 'callback'::text, 'confirm'::text, 'operator'::text, 'payer'::text, 'statement'::text])));
alter table evidence add constraint evidence_pkey PRIMARY KEY (client_id, transaction_id, id);
alter table external_ids add constraint external_ids_record_kind_check CHECK ((record_kind = ANY (ARRAY['transaction'::text, 'bill'::text, 'link'::text])));
alter table external_ids add constraint external_ids_pkey PRIMARY KEY (client_id, external_id);
alter table float_samples add constraint float_samples_pkey PRIMARY KEY (provider, country, at);
alter table floats add constraint floats_alarm_below_check CHECK ((alarm_below >= 0));
alter table floats add constraint floats_check CHECK ((alarm_below <= warn_below));
alter table floats add constraint floats_source_check CHECK ((source = ANY (ARRAY['told'::text, 'counted'::text, 'ledger'::text])));
alter table floats add constraint floats_warn_below_check CHECK ((warn_below >= 0));
alter table floats add constraint floats_pkey PRIMARY KEY (provider, country);
alter table form_submissions add constraint form_submissions_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE;
alter table form_submissions add constraint form_submissions_pkey PRIMARY KEY (session_id, token);
alter table held_lines add constraint held_lines_approval_id_fkey FOREIGN KEY (approval_id) REFERENCES approvals(id);
alter table held_lines add constraint held_lines_statement_id_fkey FOREIGN KEY (statement_id) REFERENCES statements(id);
alter table held_lines add constraint held_lines_pkey PRIMARY KEY (statement_id, line);
alter table idempotency_keys add constraint idempotency_keys_pkey PRIMARY KEY (client_id, key_id, key);
alter table kept_keys add constraint kept_keys_pkey PRIMARY KEY (purpose);
alter table ledger_accounts add constraint ledger_accounts_balance_check CHECK ((balance >= 0));
alter table ledger_accounts add constraint ledger_accounts_kind_check CHECK ((kind = ANY (ARRAY['available'::text, 'held'::text])));
alter table ledger_accounts add constraint ledger_accounts_version_check CHECK ((version >= 0));
alter table ledger_accounts add constraint ledger_accounts_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id);
alter table ledger_accounts add constraint ledger_accounts_pkey PRIMARY KEY (client_id, kind);
alter table ledger_anchors add constraint ledger_anchors_pkey PRIMARY KEY (number);
alter table ledger_entries add constraint ledger_entries_amount_check CHECK ((amount <> 0));
alter table ledger_entries add constraint ledger_entries_check CHECK (((after >= 0) AND (after = (before + amount))));
alter table ledger_entries add constraint ledger_entries_check1 CHECK (((account = ANY (ARRAY['available'::text, 'held'::text])) = (version IS NOT NULL)));
alter table ledger_entries add constraint ledger_entries_check2 CHECK (((version IS NULL) = (before IS NULL)));
alter table ledger_entries add constraint ledger_entries_check3 CHECK (((version IS NULL) = (after IS NULL)));
alter table ledger_entries add constraint ledger_entries_check4 CHECK (((version IS NULL) = (hash IS NULL)));
alter table ledger_entries add constraint ledger_entries_currency_check CHECK ((currency = ANY (ARRAY['XOF'::text, 'XAF'::text])));
alter table ledger_entries add constraint ledger_entries_pkey PRIMARY KEY (client_id, posting_id, line);
alter table ledger_postings add constraint ledger_postings_client_id_resolves_fkey FOREIGN KEY (client_id, resolves) REFERENCES ledger_postings(client_id, id);
alter table ledger_postings add constraint ledger_postings_pkey PRIMARY KEY (client_id, id);
alter table ledger_postings add constraint ledger_postings_client_id_kind_ref_key UNIQUE (client_id, kind, ref);
alter table limit_days add constraint limit_days_pkey PRIMARY KEY (client_id, scope, day);
alter table limit_version add constraint limit_version_only_row_check CHECK (only_row);
alter table limit_version add constraint limit_version_pkey PRIMARY KEY (only_row);
alter table links add constraint links_amount_check CHECK ((amount > 0));
alter table links add constraint links_check CHECK (((completed_at IS NULL) OR (open_id IS NULL)));
alter table links add constraint links_language_check CHECK ((language = ANY (ARRAY['fr'::text, 'en'::text])));
alter table links add constraint links_pkey PRIMARY KEY (client_id, id);
alter table mails add constraint mails_check CHECK (((state = 'pending'::text) = (due_at IS NOT NULL)));
alter table mails add constraint mails_check1 CHECK (((state = 'sent'::text) = (sent_at IS NOT NULL)));
alter table mails add constraint mails_language_check CHECK ((language = ANY (ARRAY['fr'::text, 'en'::text])));
alter table mails add constraint mails_state_check CHECK ((state = ANY (ARRAY['kept'::text, 'pending'::text, 'sent'::text, 'failed'::text])));
alter table mails add constraint mails_pkey PRIMARY KEY (client_id, id);
alter table maintenance add constraint maintenance_pkey PRIMARY KEY (scope);
alter table memberships add constraint memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'finance'::text, 'developer'::text, 'support'::text, 'viewer'::text])));
alter table memberships add constraint memberships_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id);
alter table memberships add constraint memberships_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
alter table memberships add constraint memberships_pkey PRIMARY KEY (person_id, client_id);
alter table number_attempts add constraint number_attempts_pkey PRIMARY KEY (client_id, phone);
alter table passkey_challenges add constraint passkey_challenges_pkey PRIMARY KEY (hash);
alter table passkeys add constraint passkeys_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
alter table passkeys add constraint passkeys_pkey PRIMARY KEY (id);
alter table people add constraint people_email_check CHECK ((email <> ''::text));
alter table people add constraint people_language_check CHECK ((language = ANY (ARRAY['fr'::text, 'en'::text])));
alter table people add constraint people_operator_role_check CHECK ((operator_role = ANY (ARRAY['operator'::text, 'finance-operator'::text, 'support-operator'::text, 'auditor'::text])));
alter table people add constraint people_pkey PRIMARY KEY (id);
alter table process_reports add constraint process_reports_role_check CHECK ((role = ANY (ARRAY['all'::text, 'api'::text, 'worker'::text])));
alter table process_reports add constraint process_reports_pkey PRIMARY KEY (id);
alter table proofs add constraint proofs_pkey PRIMARY KEY (id);
alter table provider_pauses add constraint provider_pauses_pkey PRIMARY KEY (provider, country);
alter table recon_cases add constraint recon_cases_check CHECK (((state = 'waiting'::text) <= (approval_id IS NOT NULL)));
alter table recon_cases add constraint recon_cases_check1 CHECK (((state = 'closed'::text) = (closed_at IS NOT NULL)));
alter table recon_cases add constraint recon_cases_check2 CHECK (((closed_at IS NULL) = (closed_by IS NULL)));
alter table recon_cases add constraint recon_cases_check3 CHECK (((closed_at IS NULL) = (closing IS NULL)));
alter table recon_cases add constraint recon_cases_check4 CHECK (((closed_at IS NULL) = (reason IS NULL)));
alter table recon_cases add constraint recon_cases_check5 CHECK (((kind = 'ours_only'::text) = (line IS NULL)));
alter table recon_cases add constraint recon_cases_check6 CHECK (((kind <> 'ours_only'::text) OR (transaction_id IS NOT NULL)));
alter table recon_cases add constraint recon_cases_check7 CHECK (((client_id IS NULL) = (transaction_id IS NULL)));
alter table recon_cases add constraint recon_cases_closing_check CHECK ((closing = ANY (ARRAY['resolved'::text, 'sent_back'::text, 'adjusted'::text, 'ignored'::text, 'explained'::text, 'suspended'::text, 'withdrawn'::text]))) NOT VALID;
alter table recon_cases add constraint recon_cases_kind_check CHECK ((kind = ANY (ARRAY['ours_only'::text, 'theirs_only'::text, 'amount'::text, 'status'::text, 'fee'::text, 'day'::text, 'duplicate'::text])));
alter table recon_cases add constraint recon_cases_state_check CHECK ((state = ANY (ARRAY['open'::text, 'waiting'::text, 'closed'::text])));
alter table recon_cases add constraint recon_cases_approval_id_fkey FOREIGN KEY (approval_id) REFERENCES approvals(id);
alter table recon_cases add constraint recon_cases_statement_id_fkey FOREIGN KEY (statement_id) REFERENCES statements(id);
alter table recon_cases add constraint recon_cases_pkey PRIMARY KEY (id);
alter table recon_notes add constraint recon_notes_text_check CHECK ((text <> ''::text));
alter table recon_notes add constraint recon_notes_case_id_fkey FOREIGN KEY (case_id) REFERENCES recon_cases(id);
alter table recon_notes add constraint recon_notes_pkey PRIMARY KEY (case_id, id);
alter table recovery_codes add constraint recovery_codes_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
alter table recovery_codes add constraint recovery_codes_pkey PRIMARY KEY (person_id, hash);
alter table request_rates add constraint request_rates_pkey PRIMARY KEY (key_id);
alter table retention_cursors add constraint retention_cursors_pkey PRIMARY KEY (rule, client_id);
alter table retention_left add constraint retention_left_pkey PRIMARY KEY (rule, client_id, place);
alter table retention_rules add constraint retention_rules_pkey PRIMARY KEY (rule);
alter table schema_migrations add constraint schema_migrations_pkey PRIMARY KEY (version);
alter table second_factors add constraint second_factors_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
alter table second_factors add constraint second_factors_pkey PRIMARY KEY (person_id);
alter table secret_key_uses add constraint secret_key_uses_pkey PRIMARY KEY (seals, opens);
alter table sessions add constraint sessions_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id);
alter table sessions add constraint sessions_person_id_fkey FOREIGN KEY (person_id) REFERENCES people(id);
alter table sessions add constraint sessions_pkey PRIMARY KEY (hash);
alter table sessions add constraint sessions_id_key UNIQUE (id);
alter table sign_in_tries add constraint sign_in_tries_pkey PRIMARY KEY (subject, window_start);
alter table statement_file_chunks add constraint statement_file_chunks_file_id_fkey FOREIGN KEY (file_id) REFERENCES statement_files(id) ON DELETE CASCADE;
alter table statement_file_chunks add constraint statement_file_chunks_pkey PRIMARY KEY (file_id, number);
alter table statement_file_problems add constraint statement_file_problems_file_id_fkey FOREIGN KEY (file_id) REFERENCES statement_files(id) ON DELETE CASCADE;
alter table statement_file_problems add constraint statement_file_problems_pkey PRIMARY KEY (file_id, number);
alter table statement_files add constraint statement_files_check CHECK (((state = 'imported'::text) = (statement_id IS NOT NULL)));
alter table statement_files add constraint statement_files_check1 CHECK (((state = ANY (ARRAY['arriving'::text, 'ready'::text])) = (imported_by IS NULL)));
alter table statement_files add constraint statement_files_share_check CHECK (((share >= 0) AND (share <= 1000)));
alter table statement_files add constraint statement_files_state_check CHECK ((state = ANY (ARRAY['arriving'::text, 'ready'::text, 'waiting'::text, 'refused'::text, 'imported'::text, 'failed'::text])));
alter table statement_files add constraint statement_files_pkey PRIMARY KEY (id);
alter table statement_lines add constraint statement_lines_amount_check CHECK ((amount > 0));
alter table statement_lines add constraint statement_lines_bucket_check CHECK ((bucket = ANY (ARRAY['known'::text, 'matched'::text, 'theirs_only'::text, 'different'::text])));
alter table statement_lines add constraint statement_lines_check CHECK (((booked IS NULL) = (booked_at IS NULL)));
alter table statement_lines add constraint statement_lines_check1 CHECK (((client_id IS NULL) = (transaction_id IS NULL)));
alter table statement_lines add constraint statement_lines_fee_check CHECK ((fee >= 0));
alter table statement_lines add constraint statement_lines_kind_check CHECK ((kind = ANY (ARRAY['collect'::text, 'disburse'::text, 'reverse'::text, 'top_up'::text, 'bill'::text, 'fee'::text, 'transfer'::text, 'other'::text])));
alter table statement_lines add constraint statement_lines_result_check CHECK ((result = ANY (ARRAY['succeeded'::text, 'failed'::text, 'pending'::text, 'reversed'::text])));
alter table statement_lines add constraint statement_lines_sign_check CHECK ((sign = ANY (ARRAY[1, '-1'::integer])));
alter table statement_lines add constraint statement_lines_pkey PRIMARY KEY (statement_id, line);
alter table statement_mappings add constraint statement_mappings_pkey PRIMARY KEY (provider, country);
alter table statement_turns add constraint statement_turns_pkey PRIMARY KEY (provider, country);
alter table statements add constraint statements_check CHECK (
CASE state
    WHEN 'read'::text THEN (read_at IS NOT NULL)
    WHEN 'reading'::text THEN (read_at IS NULL)
    ELSE true
END) NOT VALID;
alter table statements add constraint statements_check1 CHECK (((state = ANY (ARRAY['reading'::text, 'withdrawn'::text])) OR ((file_hash IS NOT NULL) AND (from_at < to_at)))) NOT VALID;
alter table statements add constraint statements_check2 CHECK (((state <> 'read'::text) OR ((((known + matched) + theirs_only) + different) = lines)));
alter table statements add constraint statements_file_hash_check CHECK ((file_hash ~ '^[0-9a-f]{64}$'::text));
alter table statements add constraint statements_share_check CHECK (((share >= 0) AND (share <= 1000)));
alter table statements add constraint statements_state_check CHECK ((state = ANY (ARRAY['reading'::text, 'matching'::text, 'read'::text, 'withdrawing'::text, 'withdrawn'::text]))) NOT VALID;
alter table statements add constraint statements_pkey PRIMARY KEY (id);
alter table statements add constraint statements_provider_country_file_hash_key UNIQUE (provider, country, file_hash);
alter table status_history add constraint status_history_pkey PRIMARY KEY (client_id, record_id, to_status);
alter table sub_merchants add constraint sub_merchants_check CHECK ((is_active OR (NOT is_default)));
alter table sub_merchants add constraint sub_merchants_commercial_name_check CHECK ((commercial_name <> ''::text));
alter table sub_merchants add constraint sub_merchants_countries_check CHECK (((cardinality(countries) > 0) AND (countries <@ ARRAY['SN'::text, 'CI'::text, 'CM'::text, 'BJ'::text, 'BF'::text, 'GN'::text])));
alter table sub_merchants add constraint sub_merchants_id_check CHECK ((id ~ '^sm-[0-9a-f]{12}$'::text));
alter table sub_merchants add constraint sub_merchants_name_check CHECK ((name <> ''::text));
alter table sub_merchants add constraint sub_merchants_number_check CHECK ((number > 0));
alter table sub_merchants add constraint sub_merchants_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id);
alter table sub_merchants add constraint sub_merchants_pkey PRIMARY KEY (client_id, id);
alter table sub_merchants add constraint sub_merchants_client_id_number_key UNIQUE (client_id, number);
alter table summary_cursors add constraint summary_cursors_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id);
alter table summary_cursors add constraint summary_cursors_pkey PRIMARY KEY (client_id);
alter table transaction_hours add constraint transaction_hours_count_check CHECK ((count > 0));
alter table transaction_hours add constraint transaction_hours_pkey PRIMARY KEY (client_id, hour, operation, service_code, status);
alter table transactions add constraint transactions_amount_check CHECK ((amount > 0));
alter table transactions add constraint transactions_attempt_state_check CHECK ((attempt_state = ANY (ARRAY['recorded'::text, 'prepared'::text, 'taken'::text, 'unknown'::text, 'not_sent'::text, 'parked'::text])));
alter table transactions add constraint transactions_failure_check CHECK ((failure = ANY (ARRAY['declined'::text, 'payer_refused'::text, 'payer_timeout'::text, 'already_paid'::text, 'balance_low'::text, 'limit_reached'::text, 'payer_not_found'::text, 'payer_blocked'::text, 'wrong_code'::text, 'code_expired'::text, 'unavailable'::text, 'operator'::text])));
alter table transactions add constraint transactions_fee_check CHECK ((fee >= 0));
alter table transactions add constraint transactions_operation_check CHECK ((operation = ANY (ARRAY['CASHOUT'::text, 'CASHIN'::text, 'AIRTIME'::text, 'REFUND'::text, 'BILL'::text])));
alter table transactions add constraint transactions_refunded_check CHECK (((refunded >= 0) AND ((refunded <= amount) OR (status <> 'SUCCESS'::text))));
alter table transactions add constraint transactions_client_id_original_id_fkey FOREIGN KEY (client_id, original_id) REFERENCES transactions(client_id, id);
alter table transactions add constraint transactions_pkey PRIMARY KEY (client_id, id);
alter table webhook_secrets add constraint webhook_secrets_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id);
alter table webhook_secrets add constraint webhook_secrets_pkey PRIMARY KEY (client_id, id);

CREATE INDEX access_codes_client_id_idx ON public.access_codes USING btree (client_id) WHERE (client_id IS NOT NULL);
CREATE INDEX access_codes_person_id_idx ON public.access_codes USING btree (person_id) WHERE (person_id IS NOT NULL);
CREATE INDEX api_key_secrets_client_id_key_id_idx ON public.api_key_secrets USING btree (client_id, key_id);
CREATE INDEX api_requests_client_id_request_id_idx ON ONLY public.api_requests USING btree (client_id, request_id);
CREATE INDEX api_requests_client_id_request_id_idx1 ON ONLY public.api_requests USING btree (client_id, request_id) WHERE (status >= 400);
CREATE INDEX approvals_client_id_id_idx ON public.approvals USING btree (client_id, id);
CREATE INDEX approvals_proposed_at_idx ON public.approvals USING btree (proposed_at) WHERE (state = 'alone'::text);
CREATE INDEX approvals_state_id_idx ON public.approvals USING btree (state, id);
CREATE INDEX attempts_transaction_id_idx ON public.attempts USING btree (transaction_id);
CREATE INDEX audit_log_client_id_id_idx ON public.audit_log USING btree (client_id, id DESC);
CREATE INDEX batch_lines_client_id_batch_id_state_line_idx ON public.batch_lines USING btree (client_id, batch_id, state, line);
CREATE INDEX batch_lines_client_id_phone_idx ON public.batch_lines USING btree (client_id, phone);
CREATE UNIQUE INDEX batch_lines_client_id_transaction_id_idx ON public.batch_lines USING btree (client_id, transaction_id) WHERE (transaction_id IS NOT NULL);
CREATE INDEX batches_client_id_file_hash_idx ON public.batches USING btree (client_id, file_hash);
CREATE INDEX batches_due_at_idx ON public.batches USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX bill_claims_client_id_transaction_id_idx ON public.bill_claims USING btree (client_id, transaction_id);
CREATE INDEX client_logos_hash_idx ON public.client_logos USING btree (hash);
CREATE INDEX conflicts_at_idx ON public.conflicts USING btree (at) WHERE (closed_at IS NULL);
CREATE UNIQUE INDEX conflicts_client_id_transaction_id_expr_idx ON public.conflicts USING btree (client_id, transaction_id, ((details ->> 'reference'::text))) WHERE (kind = 'late_success'::text);
CREATE UNIQUE INDEX conflicts_client_id_transaction_id_kind_idx ON public.conflicts USING btree (client_id, transaction_id, kind) WHERE (kind <> 'late_success'::text);
CREATE INDEX deliveries_client_id_ended_at_idx ON public.deliveries USING btree (client_id, ended_at) WHERE (state = 'exhausted'::text);
CREATE INDEX deliveries_client_id_endpoint_due_at_idx ON public.deliveries USING btree (client_id, endpoint, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX deliveries_client_id_id_idx ON public.deliveries USING btree (client_id, id) WHERE (state = ANY (ARRAY['exhausted'::text, 'stopped'::text]));
CREATE INDEX deliveries_ended_at_idx ON public.deliveries USING btree (ended_at) WHERE (state = 'exhausted'::text);
CREATE INDEX deliveries_event_id_idx ON public.deliveries USING btree (event_id);
CREATE INDEX events_client_id_key_id_position_idx ON public.events USING btree (client_id, key_id, "position");
CREATE UNIQUE INDEX evidence_client_id_attempt_id_dedupe_key_idx ON public.evidence USING btree (client_id, attempt_id, dedupe_key) WHERE (dedupe_key IS NOT NULL);
CREATE INDEX float_samples_at_idx ON public.float_samples USING btree (at);
CREATE INDEX held_lines_approval_id_idx ON public.held_lines USING btree (approval_id);
CREATE INDEX idempotency_keys_created_at_idx ON public.idempotency_keys USING btree (created_at);
CREATE UNIQUE INDEX ledger_entries_client_id_account_version_idx ON public.ledger_entries USING btree (client_id, account, version) WHERE (version IS NOT NULL);
CREATE INDEX ledger_entries_client_id_idx ON public.ledger_entries USING btree (client_id) WHERE (account = 'suspense'::text);
CREATE UNIQUE INDEX ledger_postings_client_id_resolves_idx ON public.ledger_postings USING btree (client_id, resolves) WHERE (resolves IS NOT NULL);
CREATE INDEX ledger_postings_created_at_idx ON public.ledger_postings USING btree (created_at);
CREATE INDEX links_client_id_idx ON public.links USING btree (client_id) WHERE ((completed_at IS NULL) AND (attempts > 0));
CREATE INDEX links_created_at_idx ON public.links USING btree (client_id, created_at, id) WHERE (created_at IS NOT NULL);
CREATE INDEX links_due_at_idx ON public.links USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX links_id_idx ON public.links USING btree (id);
CREATE INDEX mails_client_id_record_id_idx ON public.mails USING btree (client_id, record_id);
CREATE INDEX mails_created_at_idx ON public.mails USING btree (created_at);
CREATE INDEX mails_due_at_idx ON public.mails USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX mails_state_idx ON public.mails USING btree (state) WHERE (state <> 'sent'::text);
CREATE INDEX memberships_client_id_idx ON public.memberships USING btree (client_id);
CREATE INDEX passkey_challenges_expires_at_idx ON public.passkey_challenges USING btree (expires_at);
CREATE INDEX passkeys_person_id_idx ON public.passkeys USING btree (person_id);
CREATE UNIQUE INDEX people_lower_idx ON public.people USING btree (lower(email));
CREATE INDEX recon_cases_approval_id_idx ON public.recon_cases USING btree (approval_id) WHERE (approval_id IS NOT NULL);
CREATE UNIQUE INDEX recon_cases_client_id_transaction_id_idx ON public.recon_cases USING btree (client_id, transaction_id) WHERE (kind = 'ours_only'::text);
CREATE INDEX recon_cases_client_id_transaction_id_idx1 ON public.recon_cases USING btree (client_id, transaction_id) WHERE (transaction_id IS NOT NULL);
CREATE INDEX recon_cases_state_id_idx ON public.recon_cases USING btree (state, id);
CREATE UNIQUE INDEX recon_cases_statement_id_line_kind_idx ON public.recon_cases USING btree (statement_id, line, kind) WHERE (line IS NOT NULL);
CREATE INDEX sessions_person_id_idx ON public.sessions USING btree (person_id);
CREATE INDEX statement_files_due_at_idx ON public.statement_files USING btree (due_at);
CREATE INDEX statement_lines_booked_at_idx ON public.statement_lines USING btree (booked_at) WHERE (((booked_at - at) > '01:00:00'::interval) OR ((booked_at - at) < '-01:00:00'::interval));
CREATE INDEX statement_lines_client_id_transaction_id_idx ON public.statement_lines USING btree (client_id, transaction_id) WHERE (transaction_id IS NOT NULL);
CREATE INDEX statement_lines_identity_kind_idx ON public.statement_lines USING btree (identity, kind);
CREATE INDEX statement_lines_statement_id_line_idx ON public.statement_lines USING btree (statement_id, line) WHERE proves;
CREATE INDEX statements_provider_country_to_at_idx ON public.statements USING btree (provider, country, to_at);
CREATE UNIQUE INDEX sub_merchants_client_id_idx ON public.sub_merchants USING btree (client_id) WHERE is_default;
CREATE INDEX transactions_client_id_id_idx ON public.transactions USING btree (client_id, id) WHERE (completed_at IS NULL);
CREATE INDEX transactions_client_id_link_id_idx ON public.transactions USING btree (client_id, link_id) WHERE (link_id IS NOT NULL);
CREATE INDEX transactions_client_id_original_id_idx ON public.transactions USING btree (client_id, original_id) WHERE (original_id IS NOT NULL);
CREATE INDEX transactions_client_id_reference_idx ON public.transactions USING btree (client_id, "left"((id)::text, 5), reference) WHERE (reference IS NOT NULL);
CREATE INDEX transactions_client_id_sub_merchant_id_id_idx ON public.transactions USING btree (client_id, sub_merchant_id, id) WHERE (sub_merchant_id IS NOT NULL);
CREATE INDEX transactions_created_at_idx ON public.transactions USING btree (created_at) WHERE ((completed_at IS NULL) AND (due_at IS NULL));
CREATE INDEX transactions_due_at_idx ON public.transactions USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX transactions_phone_idx ON public.transactions USING btree (client_id, "left"((id)::text, 5), phone, id) WHERE (phone IS NOT NULL);

CREATE OR REPLACE FUNCTION public.decide_approval_once()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$
;

CREATE OR REPLACE FUNCTION public.forget_answer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if to_jsonb(new) - 'excerpt' <> to_jsonb(old) - 'excerpt' or new.excerpt <> '' then
    raise exception 'a delivery attempt can only lose its answer'
      using errcode = 'restrict_violation';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.forget_evidence()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if to_jsonb(new) - 'details' <> to_jsonb(old) - 'details'
    or new.details <> old.details - 'excerpt' then
    raise exception 'evidence can only lose its excerpt' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.forget_number_of_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if to_jsonb(new) - 'body' - 'is_completed' <> to_jsonb(old) - 'body' - 'is_completed'
    or new.is_completed < old.is_completed
    or new.is_completed and not starts_with(new.body, 'sealed:')
    or starts_with(old.body, 'sealed:') <> starts_with(new.body, 'sealed:')
    or not starts_with(old.body, 'sealed:') and (
      old.body::jsonb - 'PHONE_NUMBER' <> new.body::jsonb - 'PHONE_NUMBER'
      or new.body::jsonb ->> 'PHONE_NUMBER' !~ '^anon-[a-p]{16}$') then
    raise exception 'an event can only lose its number' using errcode = 'restrict_violation';
  end if;
  return new;
end $function$
;

CREATE OR REPLACE FUNCTION public.free_limits(counted jsonb, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform lock_limit_day(d.client_id, d.scope, d.day, at)
  from (
    select distinct client_id, scope, day
    from jsonb_to_recordset(counted) as c (client_id integer, scope text, day date)
    order by 1, 2, 3
  ) d;
  update limit_days d
  set amount = d.amount - c.amount, count = d.count - c.count
  from (
    select client_id, scope, day, sum(amount) as amount, count(*) as count
    from jsonb_to_recordset(counted) as c (client_id integer, scope text, day date, amount bigint)
    group by 1, 2, 3
  ) c
  where (d.client_id, d.scope, d.day) = (c.client_id, c.scope, c.day);
end $function$
;

CREATE OR REPLACE FUNCTION public.limit_zone(of_scope text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case split_part(of_scope, '_', 2) when 'CM' then 'Africa/Douala' else 'UTC' end
$function$
;

CREATE OR REPLACE FUNCTION public.lock_limit_day(of_client integer, of_scope text, of_day date, at timestamp with time zone)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
declare
  settled_at timestamptz;
  everybody_from bigint;
  is_last boolean;
  last_counted_at timestamptz;
  of_zone text;
  first_id uuid;
  next_id uuid;
begin
  select since + interval '10 seconds', known_from into settled_at, everybody_from
  from daily_limits where (client_id, scope) = (of_client, of_scope);
  if not found then return; end if;
  select counted_at, zone into last_counted_at, of_zone from limit_days
  where (client_id, scope, day) = (of_client, of_scope, of_day) for no key update;
  if not found then
    insert into limit_days as d (client_id, scope, day, amount, count, counted_at, zone)
    values (of_client, of_scope, of_day, 0, 0, '-infinity', limit_zone(of_scope))
    on conflict (client_id, scope, day) do update set amount = d.amount
    returning d.counted_at, d.zone into last_counted_at, of_zone;
  end if;
  if last_counted_at >= settled_at then return; end if;
  is_last := at >= settled_at + interval '1 hour';
  if at >= settled_at and not is_last then
    if everybody_from is null then
      update daily_limits l
      set known_from = coalesce(
        l.known_from, pg_snapshot_xmax(pg_current_snapshot())::text::bigint)
      where (l.client_id, l.scope) = (of_client, of_scope);
    else
      -- Before the sum, whose snapshot is taken afterwards: it sees what they have committed.
      is_last := pg_snapshot_xmin(pg_current_snapshot())::text::bigint >= everybody_from;
    end if;
  end if;
  -- Ids begin with the time in milliseconds: those of a day are neighbours in the index.
  first_id := rpad(lpad(to_hex(
    (extract(epoch from of_day::timestamp at time zone of_zone) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
  next_id := rpad(lpad(to_hex(
    (extract(epoch from (of_day + 1)::timestamp at time zone of_zone) * 1000)::bigint), 12, '0'), 32, '0')::uuid;
  update limit_days d
  set amount = s.amount, count = s.count,
    counted_at = case when is_last then at else least(at, settled_at - interval '1 second') end
  from (
    select coalesce(sum(t.amount), 0) as amount, count(*) as count
    from transactions t
    where t.client_id = of_client and t.id >= first_id and t.id < next_id
      and t.status not in ('FAILED', 'CANCELLED')
      -- What an operator sends back is under no limit.
      and t.late_reference is null
      and case t.operation when 'REFUND' then 'REFUND' else t.service_code end = of_scope
  ) s
  where (d.client_id, d.scope, d.day) = (of_client, of_scope, of_day);
end $function$
;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $function$
;

CREATE OR REPLACE FUNCTION public.refuse_lines_without_posting()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select from lines l
    where not exists (
      select from ledger_postings p where (p.client_id, p.id) = (l.client_id, l.posting_id))
  ) then
    raise foreign_key_violation using message = 'a line of the ledger without a posting';
  end if;
  return null;
end $function$
;

CREATE OR REPLACE FUNCTION public.take_limits(sum_clients integer[], sum_scopes text[], sum_days date[], sum_amounts bigint[], sum_counts integer[], try_clients integer[], try_phones text[], try_counts integer[], try_maxes integer[], is_blocked boolean, checks text, at timestamp with time zone)
 RETURNS TABLE(id uuid, refusal text, most bigint, used bigint)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  has_place boolean := not is_blocked;
  new_clients integer[] := '{}';
  new_phones text[] := '{}';
begin
  for i in 1 .. cardinality(sum_clients) loop
    perform lock_limit_day(sum_clients[i], sum_scopes[i], sum_days[i], at);
  end loop;
  if cardinality(try_phones) > 0 then
    with made as (
      insert into number_attempts (client_id, phone, times, last_at)
      select client_id, phone, array_fill(at, array[tries]), at
      from unnest(try_clients, try_phones, try_counts) as t (client_id, phone, tries)
      on conflict do nothing
      returning client_id, phone
    )
    select coalesce(array_agg(client_id), '{}'), coalesce(array_agg(phone), '{}')
    into new_clients, new_phones from made;
    has_place := has_place and not exists (
      select from unnest(try_counts, try_maxes) as t (tries, most) where tries > most);
    if cardinality(new_phones) < cardinality(try_phones) then
      select has_place and coalesce(bool_and(tries + (
        select count(*) from unnest(times) made where made > at - interval '10 minutes'
      ) <= most), true) into has_place
      from (
        select n.times, t.tries, t.most
        from unnest(try_clients, try_phones, try_counts, try_maxes)
          as t (client_id, phone, tries, most)
        join number_attempts n on n.client_id = t.client_id and n.phone = t.phone
        where (t.client_id, t.phone) not in (select * from unnest(new_clients, new_phones))
        order by t.client_id, t.phone for no key update of n
      ) l;
    end if;
  end if;
  has_place := has_place and not exists (
    select from unnest(sum_clients, sum_scopes, sum_days, sum_amounts, sum_counts)
      as s (client_id, scope, day, amount, count)
    join daily_limits l on l.client_id = s.client_id and l.scope = s.scope
    join limit_days d on d.client_id = s.client_id and d.scope = s.scope and d.day = s.day
    where d.amount + s.amount > l.amount_max or d.count + s.count > l.count_max);
  if not has_place then
    update number_attempts n set times = '{}'
    from unnest(new_clients, new_phones) as t (client_id, phone)
    where n.client_id = t.client_id and n.phone = t.phone;
    return query select * from take_limits_in_turn(checks::jsonb, at);
    return;
  end if;
  if cardinality(new_phones) < cardinality(try_phones) then
    update number_attempts n
    set last_at = at, times = array(
      select made from unnest(n.times) made where made > at - interval '10 minutes'
    ) || array_fill(at, array[t.tries])
    from unnest(try_clients, try_phones, try_counts) as t (client_id, phone, tries)
    where n.client_id = t.client_id and n.phone = t.phone
      and (t.client_id, t.phone) not in (select * from unnest(new_clients, new_phones));
  end if;
  update limit_days d set amount = d.amount + s.amount, count = d.count + s.count
  from unnest(sum_clients, sum_scopes, sum_days, sum_amounts, sum_counts)
    as s (client_id, scope, day, amount, count)
  join daily_limits l on l.client_id = s.client_id and l.scope = s.scope
  where d.client_id = s.client_id and d.scope = s.scope and d.day = s.day;
  return query select null::uuid, null::text, null::bigint, null::bigint;
end $function$
;

CREATE OR REPLACE FUNCTION public.take_limits_in_turn(checks jsonb, at timestamp with time zone)
 RETURNS TABLE(id uuid, refusal text, most bigint, used bigint)
 LANGUAGE plpgsql
AS $function$
#variable_conflict use_column
declare
  one record;
  recent timestamptz[];
  why text;
  limit_max bigint;
  limit_used bigint;
begin
  for one in
    select c.*, l.amount_max, l.count_max
    from jsonb_to_recordset(checks) as c (
      "position" integer, client_id integer, id uuid, external_id text, scope text, amount bigint,
      day date, phone text, attempts_max integer, is_blocked boolean)
    left join daily_limits l on (l.client_id, l.scope) = (c.client_id, c.scope)
    order by c."position"
  loop
    continue when exists (
      select from transactions t where (t.client_id, t.id) = (one.client_id, one.id));
    continue when one.external_id is not null and not exists (
      select from external_ids e
      where (e.client_id, e.external_id, e.record_id) = (one.client_id, one.external_id, one.id));
    why := case when one.is_blocked then 'blocked' end;
    limit_max := null;
    limit_used := null;
    if why is null and one.attempts_max is not null then
      select array(select made from unnest(n.times) made where made > at - interval '10 minutes')
      into recent from number_attempts n where (n.client_id, n.phone) = (one.client_id, one.phone);
      if cardinality(recent) >= one.attempts_max then
        why := 'attempts';
        limit_max := one.attempts_max;
      end if;
    end if;
    if why is null and (one.amount_max is not null or one.count_max is not null) then
      select case when d.amount + one.amount > one.amount_max then 'amount'
          when d.count + 1 > one.count_max then 'count' end,
        case when d.amount + one.amount > one.amount_max then d.amount else d.count end
      into why, limit_used from limit_days d
      where (d.client_id, d.scope, d.day) = (one.client_id, one.scope, one.day);
      limit_max := case why when 'amount' then one.amount_max else one.count_max end;
      if why is null then
        update limit_days d set amount = d.amount + one.amount, count = d.count + 1
        where (d.client_id, d.scope, d.day) = (one.client_id, one.scope, one.day);
      end if;
    end if;
    if why is null and one.attempts_max is not null then
      update number_attempts n set times = recent || at, last_at = at
      where (n.client_id, n.phone) = (one.client_id, one.phone);
    end if;
    if why is not null then
      delete from external_ids e
      where (e.client_id, e.external_id) = (one.client_id, one.external_id);
    end if;
    return query select one.id, why, limit_max, limit_used;
  end loop;
end $function$
;

CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON public.approvals FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER decide_once BEFORE UPDATE ON public.approvals FOR EACH ROW EXECUTE FUNCTION decide_approval_once();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.attempts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_chain FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.batch_steps FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON public.delivery_attempts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER forget_only BEFORE UPDATE ON public.delivery_attempts FOR EACH ROW EXECUTE FUNCTION forget_answer();
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON public.events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER forget_only BEFORE UPDATE ON public.events FOR EACH ROW EXECUTE FUNCTION forget_number_of_event();
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON public.evidence FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER forget_only BEFORE UPDATE ON public.evidence FOR EACH ROW EXECUTE FUNCTION forget_evidence();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_anchors FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER lines_have_postings AFTER INSERT ON public.ledger_entries REFERENCING NEW TABLE AS lines FOR EACH STATEMENT EXECUTE FUNCTION refuse_lines_without_posting();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_postings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.recon_notes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.status_history FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

grant delete, insert, select, update on access_codes to passerelle_app;
grant insert, select, update on account_hours to passerelle_app;
grant insert, select, update on api_key_secrets to passerelle_app;
grant insert, select, update on api_keys to passerelle_app;
grant insert, select on api_requests to passerelle_app;
grant select, truncate on api_requests_a to passerelle_app;
grant select, truncate on api_requests_b to passerelle_app;
grant select, truncate on api_requests_c to passerelle_app;
grant select, truncate on api_requests_d to passerelle_app;
grant select, truncate on api_requests_e to passerelle_app;
grant select, truncate on api_requests_f to passerelle_app;
grant select, truncate on api_requests_g to passerelle_app;
grant select, truncate on api_requests_h to passerelle_app;
grant select, truncate on api_requests_i to passerelle_app;
grant select, truncate on api_requests_j to passerelle_app;
grant select, truncate on api_requests_k to passerelle_app;
grant select, truncate on api_requests_l to passerelle_app;
grant insert, select, update on approvals to passerelle_app;
grant delete, insert, select, update on attempt_limits to passerelle_app;
grant insert, select on attempts to passerelle_app;
grant insert, select on audit_chain to passerelle_app;
grant select, update on audit_head to passerelle_app;
grant insert, select on audit_log to passerelle_app;
grant delete, insert, select on audit_queue to passerelle_app;
grant delete, insert, select, update on backup_state to passerelle_app;
grant insert, select, update on batch_lines to passerelle_app;
grant insert, select on batch_steps to passerelle_app;
grant insert, select, update on batches to passerelle_app;
grant delete, insert, select on bill_claims to passerelle_app;
grant delete, insert, select, update on blocked_numbers to passerelle_app;
grant insert, select on cell to passerelle_app;
grant delete, insert, select, update on client_logos to passerelle_app;
grant insert, select, update on client_services to passerelle_app;
grant insert, select, update on clients to passerelle_app;
grant insert, select, update on conflicts to passerelle_app;
grant delete, insert, select, update on daily_limits to passerelle_app;
grant insert, select, update on deliveries to passerelle_app;
grant insert, select, update (excerpt) on delivery_attempts to passerelle_app;
grant insert, select on drills to passerelle_app;
grant insert, select, update on event_positions to passerelle_app;
grant insert, select, update (body, is_completed) on events to passerelle_app;
grant insert, select, update (details) on evidence to passerelle_app;
grant delete, insert, select on external_ids to passerelle_app;
grant delete, insert, select on float_samples to passerelle_app;
grant insert, select, update on floats to passerelle_app;
grant delete, insert, select, update on form_submissions to passerelle_app;
grant delete, insert, select on held_lines to passerelle_app;
grant delete, insert, select, update on idempotency_keys to passerelle_app;
grant insert, select, update on kept_keys to passerelle_app;
grant insert, select, update on ledger_accounts to passerelle_app;
grant insert, select on ledger_anchors to passerelle_app;
grant insert, select on ledger_entries to passerelle_app;
grant insert, select on ledger_postings to passerelle_app;
grant delete, insert, select, update on limit_days to passerelle_app;
grant select, update on limit_version to passerelle_app;
grant insert, select, update on links to passerelle_app;
grant delete, insert, select, update on mails to passerelle_app;
grant delete, insert, select, update on maintenance to passerelle_app;
grant delete, insert, select, update on memberships to passerelle_app;
grant delete, insert, select, update on number_attempts to passerelle_app;
grant delete, insert, select, update on passkey_challenges to passerelle_app;
grant delete, insert, select, update on passkeys to passerelle_app;
grant delete, insert, select, update on people to passerelle_app;
grant delete, insert, select, update on process_reports to passerelle_app;
grant insert, select on proofs to passerelle_app;
grant delete, insert, select, update on provider_pauses to passerelle_app;
grant insert, select, update on recon_cases to passerelle_app;
grant insert, select on recon_notes to passerelle_app;
grant delete, insert, select, update on recovery_codes to passerelle_app;
grant insert, select, update on request_rates to passerelle_app;
grant insert, select, update on retention_cursors to passerelle_app;
grant delete, insert, select, update on retention_left to passerelle_app;
grant insert, select, update on retention_rules to passerelle_app;
grant select on schema_migrations to passerelle_app;
grant delete, insert, select, update on second_factors to passerelle_app;
grant delete, insert, select, update on secret_key_uses to passerelle_app;
grant delete, insert, select, update on sessions to passerelle_app;
grant delete, insert, select, update on sign_in_tries to passerelle_app;
grant delete, insert, select on statement_file_chunks to passerelle_app;
grant delete, insert, select on statement_file_problems to passerelle_app;
grant delete, insert, select, update on statement_files to passerelle_app;
grant delete, insert, select, update on statement_lines to passerelle_app;
grant delete, insert, select, update on statement_mappings to passerelle_app;
grant insert, select, update on statement_turns to passerelle_app;
grant delete, insert, select, update on statements to passerelle_app;
grant insert, select on status_history to passerelle_app;
grant insert, select, update on sub_merchants to passerelle_app;
grant insert, select, update on summary_cursors to passerelle_app;
grant insert, select, update on transaction_hours to passerelle_app;
grant insert, select, update on transactions to passerelle_app;
grant delete, insert, select, update on webhook_secrets to passerelle_app;
