import type { Db } from '#data/db/db.ts'
import { transactionColumns } from '#money/transactions/store.ts'
import type { Transaction, TransactionId } from '#money/transactions/transaction.ts'

export interface StatusStep {
  at: Date
  from: string
  trigger: string
  to: string
}

/** The changes of a transaction's status, in order of time. */
export function readSteps(db: Db, { clientId, id }: TransactionId): Promise<StatusStep[]> {
  return db<StatusStep>`
    select at, from_status as from, trigger, to_status as to from status_history
    where client_id = ${clientId} and record_id = ${id}
    order by at, to_status <> 'PROCESSING'`
}

export interface AttemptRow {
  id: string
  number: number
  operation: string
  createdAt: Date
}

/** The orders that were sent for a transaction, in order. */
export function readOrders(db: Db, { clientId, id }: TransactionId): Promise<AttemptRow[]> {
  return db<AttemptRow>`
    select id, number, operation, created_at as "createdAt" from attempts
    where client_id = ${clientId} and transaction_id = ${id}
    order by number`
}

export interface EvidenceEntry {
  at: Date
  attemptId: string
  source: string
  outcome: string
  reason: string | null
  reference: string | null
  /** As it was recorded. */
  details: Record<string, unknown>
}

/** What providers, payers and operators said about a transaction, in order of time. */
export function readEvidence(db: Db, { clientId, id }: TransactionId): Promise<EvidenceEntry[]> {
  return db<EvidenceEntry>`
    select at, attempt_id as "attemptId", source, outcome, details ->> 'reason' as reason,
      details ->> 'reference' as reference, details
    from evidence where client_id = ${clientId} and transaction_id = ${id}
    order by at, id`
}

export interface ConflictEntry {
  id: string
  at: Date
  kind: string
  details: Record<string, unknown>
  closingReason: string | null
}

/** The facts that contradict what was decided about a transaction. */
export function readConflictsOf(db: Db, { clientId, id }: TransactionId): Promise<ConflictEntry[]> {
  return db<ConflictEntry>`
    select id, at, kind, details, closing_reason as "closingReason" from conflicts
    where client_id = ${clientId} and transaction_id = ${id}
    order by at`
}

export interface LedgerLine {
  postingId: string
  kind: string
  at: Date
  account: string
  currency: string
  amount: number
  /** Balances of merchants' accounts; null: of no merchant. */
  before: number | null
  after: number | null
}

const postingKinds = ['hold', 'capture', 'release', 'collect', 'suspend', 'explain']

/** The ledger's entries of a transaction and of its attempts, in the order of time. */
export function readLines(db: Db, { clientId, id }: TransactionId): Promise<LedgerLine[]> {
  // A limit keeps the planner from reading all postings and looking for each among the refs.
  return db<LedgerLine>`
    with refs (ref) as materialized (
      select ${id}::text
      union
      select id::text from attempts where client_id = ${clientId} and transaction_id = ${id}
      union
      select concat(attempt_id, '/', details ->> 'reference') from evidence
      where client_id = ${clientId} and transaction_id = ${id} and outcome = 'succeeded'
    )
    select p.id as "postingId", p.kind, p.created_at as at, e.account, e.currency, e.amount,
      e.before, e.after
    from refs
    cross join unnest(${postingKinds}::text[]) as wanted
    cross join lateral (
      select id, kind, created_at from ledger_postings
      where client_id = ${clientId} and kind = wanted and ref = refs.ref
      limit 1
    ) p
    cross join lateral (
      select line, account, currency, amount, before, after from ledger_entries
      where client_id = ${clientId} and posting_id = p.id
      limit 100
    ) e
    order by p.created_at, p.id, e.line`
}

/** The refunds of a collection, oldest first. */
export function readRefunds(db: Db, { clientId, id }: TransactionId): Promise<Transaction[]> {
  return db<Transaction>`
    select ${transactionColumns} from transactions
    where client_id = ${clientId} and original_id = ${id}
    order by id`
}

export interface EventEntry {
  id: string
  position: number
  createdAt: Date
  /** As it is stored: sealed if it has recharge codes. */
  body: string
}

/** The event of a transaction or of its link; undefined: neither has ended. */
export async function findEvent(
  db: Db,
  { clientId, id, linkId }: Pick<Transaction, 'clientId' | 'id' | 'linkId'>,
): Promise<EventEntry | undefined> {
  const [row] = await db<EventEntry>`
    select id, position, created_at as "createdAt", body from events
    where client_id = ${clientId} and record_id = ${linkId ?? id}`
  return row
}

export interface DeliveryTry {
  deliveryId: string
  url: string
  state: string
  createdAt: Date
  dueAt: Date | null
  /** The fields of a try are null for a delivery that was not tried yet. */
  number: number | null
  at: Date | null
  httpStatus: number | null
  durationMs: number | null
  problem: string | null
  excerpt: string | null
}

/** The deliveries of an event and each try of them, in order of time. */
export function readDeliveryTries(
  db: Db,
  clientId: number,
  eventId: string,
): Promise<DeliveryTry[]> {
  return db<DeliveryTry>`
    select d.id as "deliveryId", d.url, d.state, d.created_at as "createdAt",
      d.due_at as "dueAt", a.number, a.at, a.http_status as "httpStatus",
      a.duration_ms as "durationMs", a.problem, a.excerpt
    from deliveries d
    left join delivery_attempts a on (a.client_id, a.delivery_id) = (d.client_id, d.id)
    where d.client_id = ${clientId} and d.event_id = ${eventId}
    order by d.created_at, d.id, a.number`
}
