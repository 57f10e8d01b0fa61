import { webhookSecretContext, webhookSecretPurpose } from '../clients/webhook-secrets.ts'
import { answerContext, answerPurpose } from '../http/idempotency.ts'
import { factorPurpose } from '../people/factor-safe.ts'
import { tokenContext, tokenPurpose } from '../transactions/token-safe.ts'
import { bodyContext, bodyPurpose } from '../webhooks/body-safe.ts'

/** A row as JSON has it, by the names of its columns. */
export type JsonRow = Record<string, unknown>

/** A column with values that are sealed with SECRET_KEY, which the other cell does not have. */
export interface SealedField {
  column: string
  purpose: string
  context(row: JsonRow): string
}

/** A table whose rows of a client move with it. */
export interface MovedTable {
  name: string
  /**
   * `early`: copied while the client works, in the order of its key; such a table does not refer
   * to `clients`. `last`: a few rows, copied as a whole while the client is frozen.
   */
  when: 'early' | 'last'
  /** Left out: `client_id`. */
  clientColumn?: string
  sealed?: SealedField
  /** Tables whose rows must be there before, and the columns that name them. */
  parents?: { table: string; columns: Record<string, string> }[]
  /** Old rows are cleared away for all clients at once; a deletion never waits for a move. */
  isPerishable?: boolean
  /** The columns whose change matters; left out: all. */
  watched?: string[]
  /** Columns of a cell and not of the client: not compared, and set by their default. */
  own?: string[]
}

const id = (row: JsonRow, column = 'id') => String(row[column])
const clientId = (row: JsonRow) => Number(row.client_id)

/** Everything that moves, in the order in which it is copied. */
export const movedTables: MovedTable[] = [
  {
    name: 'transactions',
    when: 'early',
    sealed: {
      column: 'sealed_token',
      purpose: tokenPurpose,
      context: (row) => tokenContext({ clientId: clientId(row), id: id(row) }),
    },
    parents: [{ table: 'transactions', columns: { id: 'original_id' } }],
  },
  { name: 'attempts', when: 'early' },
  { name: 'evidence', when: 'early' },
  { name: 'status_history', when: 'early' },
  { name: 'external_ids', when: 'early' },
  { name: 'conflicts', when: 'early' },
  { name: 'bill_claims', when: 'early' },
  { name: 'links', when: 'early' },
  { name: 'batches', when: 'early' },
  {
    name: 'batch_lines',
    when: 'early',
    parents: [{ table: 'batches', columns: { id: 'batch_id' } }],
  },
  {
    name: 'batch_steps',
    when: 'early',
    parents: [{ table: 'batches', columns: { id: 'batch_id' } }],
  },
  {
    name: 'ledger_postings',
    when: 'early',
    parents: [{ table: 'ledger_postings', columns: { id: 'resolves' } }],
  },
  {
    name: 'ledger_entries',
    when: 'early',
    parents: [{ table: 'ledger_postings', columns: { id: 'posting_id' } }],
  },
  {
    name: 'events',
    when: 'early',
    sealed: {
      column: 'body',
      purpose: bodyPurpose,
      context: (row) => bodyContext({ clientId: clientId(row), id: id(row) }),
    },
  },
  { name: 'event_positions', when: 'early' },
  { name: 'deliveries', when: 'early' },
  { name: 'delivery_attempts', when: 'early' },
  { name: 'mails', when: 'early', isPerishable: true },
  {
    name: 'idempotency_keys',
    when: 'early',
    isPerishable: true,
    sealed: {
      column: 'body',
      purpose: answerPurpose,
      context: (row) =>
        answerContext({
          clientId: clientId(row),
          keyId: id(row, 'key_id'),
          key: id(row, 'key'),
        }),
    },
  },
  { name: 'number_attempts', when: 'early', isPerishable: true },
  { name: 'limit_days', when: 'early', isPerishable: true },
  { name: 'transaction_hours', when: 'early' },
  { name: 'account_hours', when: 'early' },
  { name: 'retention_cursors', when: 'early' },
  { name: 'retention_left', when: 'early' },
  { name: 'clients', when: 'last', clientColumn: 'id' },
  { name: 'client_services', when: 'last' },
  { name: 'attempt_limits', when: 'last' },
  { name: 'daily_limits', when: 'last' },
  { name: 'client_logos', when: 'last' },
  { name: 'sub_merchants', when: 'last' },
  {
    name: 'api_keys',
    when: 'last',
    watched: [
      'label',
      'is_read_only',
      'rights',
      'allowed_addresses',
      'rate_per_minute',
      'revoked_at',
      'scope',
    ],
    own: ['last_used_at'],
  },
  { name: 'api_key_secrets', when: 'last' },
  {
    name: 'webhook_secrets',
    when: 'last',
    isPerishable: true,
    sealed: {
      column: 'sealed',
      purpose: webhookSecretPurpose,
      context: (row) => webhookSecretContext({ clientId: clientId(row), id: id(row) }),
    },
  },
  {
    name: 'ledger_accounts',
    when: 'last',
    watched: ['balance', 'version', 'head'],
    own: ['anchored_version'],
  },
  { name: 'summary_cursors', when: 'last' },
  { name: 'approvals', when: 'last' },
]

/** The secret of an authenticator app, of a person. */
export const sealedFactor: SealedField = {
  column: 'secret',
  purpose: factorPurpose,
  context: (row) => id(row, 'person_id'),
}

/** Tables with a column `client_id` whose rows do not move as they are, and why. */
export const unmovedTables: Record<string, string> = {
  access_codes: 'invitations name an address of the old cell: they are sent again',
  api_requests: 'the log of requests is of twelve hours, and tells what this cell was asked',
  audit_log: 'a chain for the whole cell: records of the client are written into the new one anew',
  client_moves: 'tells of the move itself',
  export_chunks: 'parts of exports',
  exports: 'files that can be asked for again, of at most a few days',
  memberships: 'people are found by their addresses in the new cell, and may have other ids there',
  move_changes: 'tells of the move itself',
  recon_cases: "about a provider's statement, which belongs to the cell that has the contract",
  saved_views: 'as memberships: copied with the ids that people have in the new cell',
  sessions: 'people sign in at the new cell',
  statement_lines: "of a provider's statement, which belongs to the cell that has the contract",
}
