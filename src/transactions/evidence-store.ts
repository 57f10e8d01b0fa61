import type { Tx } from '../kit/db.ts'
import { rowsOf } from '../kit/rows.ts'
import type { ConflictKind, Source } from './decide.ts'

export interface EvidenceRow {
  clientId: number
  transactionId: string
  attemptId: string
  at: Date
  source: Source
  outcome: string
  details: unknown
  dedupeKey: string | null
}

const evidenceRows = rowsOf({
  clientId: 'integer',
  transactionId: 'uuid',
  attemptId: 'uuid',
  at: 'timestamptz',
  source: 'text',
  outcome: 'text',
  details: 'jsonb',
  dedupeKey: 'text',
})

/** Keeps what was heard; the same message twice is kept once. */
export async function insertEvidence(tx: Tx, rows: EvidenceRow[]): Promise<void> {
  const messages = rows.filter(({ dedupeKey }) => dedupeKey !== null)
  const others = rows.filter(({ dedupeKey }) => dedupeKey === null)
  await Promise.all([
    messages.length > 0 ? insertMessages(tx, messages) : undefined,
    others.length > 0 ? insertOthers(tx, others) : undefined,
  ])
}

async function insertMessages(tx: Tx, rows: EvidenceRow[]): Promise<void> {
  await tx`
    insert into evidence (
      client_id, transaction_id, attempt_id, at, source, outcome, details, dedupe_key)
    select "clientId", "transactionId", "attemptId", at, source, outcome, details, "dedupeKey"
    from ${evidenceRows(rows)} as e
    on conflict (client_id, attempt_id, dedupe_key) where dedupe_key is not null do nothing`
}

// Being ready for a conflict makes a row dearer, and these have none.
async function insertOthers(tx: Tx, rows: EvidenceRow[]): Promise<void> {
  await tx`
    insert into evidence (client_id, transaction_id, attempt_id, at, source, outcome, details)
    select "clientId", "transactionId", "attemptId", at, source, outcome, details
    from ${evidenceRows(rows)} as e`
}

export interface ConflictRow {
  clientId: number
  id: string
  transactionId: string
  kind: ConflictKind
  details: unknown
  at: Date
}

const conflictRows = rowsOf({
  clientId: 'integer',
  id: 'uuid',
  transactionId: 'uuid',
  kind: 'text',
  details: 'jsonb',
  at: 'timestamptz',
})

export async function insertConflicts(tx: Tx, rows: ConflictRow[]): Promise<void> {
  await tx`
    insert into conflicts (client_id, id, transaction_id, kind, details, at)
    select "clientId", id, "transactionId", kind, details, at
    from ${conflictRows(rows)} as c
    on conflict (client_id, transaction_id, kind) do nothing`
}
