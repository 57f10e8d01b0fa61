import { type Db, fragment, type Tx } from '#data/db/db.ts'
import { constraintOf } from '#data/db/errors.ts'
import { rowsOf } from '#data/db/rows.ts'
import type { ConflictKind, Source } from './decide.ts'
import type { TransactionId } from './transaction.ts'

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

// The conflict clause makes the insertion of every row slower, so it is left out where it can be.
const repeatedClause = {
  fail: fragment``,
  ignore: fragment`
    on conflict (client_id, attempt_id, dedupe_key) where dedupe_key is not null do nothing`,
}

/** Stores evidence. A repeated callback is ignored, or fails it: see `isRepeatedEvidence`. */
export async function insertEvidence(
  tx: Tx,
  rows: EvidenceRow[],
  onRepeated: keyof typeof repeatedClause,
): Promise<void> {
  await tx`
    insert into evidence (
      client_id, transaction_id, attempt_id, at, source, outcome, details, dedupe_key)
    select "clientId", "transactionId", "attemptId", at, source, outcome, details, "dedupeKey"
    from ${evidenceRows(rows)} as e ${repeatedClause[onRepeated]}`
}

/** Whether a statement failed because the same callback was stored before. */
export function isRepeatedEvidence(problem: unknown): boolean {
  return constraintOf(problem) === 'evidence_client_id_attempt_id_dedupe_key_idx'
}

const transactionRows = rowsOf({ clientId: 'integer', id: 'uuid' })

interface PaymentRow {
  clientId: number
  transactionId: string
  attemptId: string
  reference: string
}

/** The payments that providers have reported for transactions; an operator's word is none. */
export function readPayments(tx: Tx, transactions: TransactionId[]): Promise<PaymentRow[]> {
  return tx<PaymentRow>`
    select distinct e.client_id as "clientId", e.transaction_id as "transactionId",
      e.attempt_id as "attemptId", e.details ->> 'reference' as reference
    from ${transactionRows(transactions)} as t
    join evidence e on (e.client_id, e.transaction_id) = (t."clientId", t.id)
    where e.outcome = 'succeeded' and e.source <> 'operator'`
}

/** Whether a person has said that a transaction succeeded, and its provider has not. */
export async function isOnlySaid(db: Db, { clientId, id }: TransactionId): Promise<boolean> {
  const [said] = await db<{ isOnly: boolean | null }>`
    select bool_and(source = 'operator') as "isOnly" from evidence
    where client_id = ${clientId} and transaction_id = ${id} and outcome = 'succeeded'`
  return said?.isOnly ?? false
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

/** Stores conflicts: one of each kind, and one for each payment that came late. */
export async function insertConflicts(tx: Tx, rows: ConflictRow[]): Promise<void> {
  await tx`
    insert into conflicts (client_id, id, transaction_id, kind, details, at)
    select "clientId", id, "transactionId", kind, details, at
    from ${conflictRows(rows)} as c
    on conflict do nothing`
}
