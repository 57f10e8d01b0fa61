import type { Db } from '#data/db/db.ts'
import { findTransaction } from '#money/transactions/store.ts'
import type { Transaction, TransactionId } from '#money/transactions/transaction.ts'
import {
  type AttemptRow,
  type ConflictEntry,
  type DeliveryTry,
  type EventEntry,
  type EvidenceEntry,
  findEvent,
  type LedgerLine,
  readConflictsOf,
  readDeliveryTries,
  readEvidence,
  readLines,
  readOrders,
  readRefunds,
  readSteps,
  type StatusStep,
} from './detail-store.ts'

/** A change of status; `by` is the evidence that made it, null where none was recorded with it. */
export interface ExplainedStep extends StatusStep {
  by: Pick<EvidenceEntry, 'source' | 'outcome' | 'reason'> | null
}

/** Everything that is known of one transaction. */
export interface Detail {
  transaction: Transaction
  steps: ExplainedStep[]
  attempts: (AttemptRow & { evidence: EvidenceEntry[] })[]
  conflicts: ConflictEntry[]
  lines: LedgerLine[]
  /** The collection that it sends back; null: it is no refund. */
  original: Transaction | null
  refunds: Transaction[]
  /** Its event, or that of its link; the body is null where it holds recharge codes. */
  event: (Omit<EventEntry, 'body'> & { body: string | null }) | null
  deliveries: DeliveryTry[]
}

/** Reads everything about a transaction of a client; undefined: there is none with this id. */
export async function readDetail(db: Db, wanted: TransactionId): Promise<Detail | undefined> {
  const transaction = await findTransaction(db, wanted)
  if (transaction === undefined) return undefined
  const { clientId, originalId } = transaction
  const [steps, orders, evidence, conflicts, lines, refunds, event, original] = await Promise.all([
    readSteps(db, transaction),
    readOrders(db, transaction),
    readEvidence(db, transaction),
    readConflictsOf(db, transaction),
    readLines(db, transaction),
    readRefunds(db, transaction),
    findEvent(db, transaction),
    originalId === null ? undefined : findTransaction(db, { clientId, id: originalId }),
  ])
  const isSealed = event?.body.startsWith('sealed:') ?? false
  return {
    transaction,
    steps: steps.map((step) => ({ ...step, by: causeOf(step, evidence) })),
    attempts: orders.map((order) => ({
      ...order,
      evidence: evidence.filter(({ attemptId }) => attemptId === order.id),
    })),
    conflicts,
    lines,
    original: original ?? null,
    refunds,
    event: event === undefined ? null : { ...event, body: isSealed ? null : event.body },
    deliveries: event === undefined ? [] : await readDeliveryTries(db, clientId, event.id),
  }
}

/** The evidence that was recorded in the same moment as a step: they are written together. */
function causeOf({ at }: StatusStep, evidence: EvidenceEntry[]): ExplainedStep['by'] {
  const found = evidence.findLast((one) => one.at.getTime() === at.getTime())
  if (found === undefined) return null
  const { source, outcome, reason } = found
  return { source, outcome, reason }
}

/** One line of a transaction's history. */
export interface TimelineStep {
  at: Date
  what: string
  /** What was recorded, as it is; null: `what` says it all. */
  details: Record<string, unknown> | null
}

/** The history of a transaction in order of time, a line for each thing that happened. */
export function timelineOf(detail: Detail): TimelineStep[] {
  const { attempts, steps, conflicts, lines, deliveries } = detail
  const step = (rank: number, at: Date, what: string, details: TimelineStep['details'] = null) => ({
    rank,
    at,
    what,
    details,
  })
  const postings = Map.groupBy(lines, ({ postingId }) => postingId)
  const ranked = [
    ...attempts.map((one) =>
      step(0, one.createdAt, `attempt ${one.number} ${one.operation} ${one.id}`),
    ),
    ...attempts
      .flatMap(({ evidence }) => evidence)
      .map(({ at, source, outcome, reason, reference, details }) =>
        step(
          0,
          at,
          listed(`${source}: ${outcome}`, reason, named('reference', reference)),
          details,
        ),
      ),
    ...steps.map(({ at, from, trigger, to }) => step(1, at, `status ${from} → ${to} (${trigger})`)),
    ...conflicts.map(({ at, kind, details, closingReason }) => {
      const reference = named('reference', details.reference)
      const closed = closingReason === null ? null : `closed: ${closingReason}`
      return step(2, at, listed(`CONFLICT ${kind}`, reference, closed), details)
    }),
    ...[...postings.values()].flatMap((posting) => moneyStep(posting, step)),
    ...deliveries.flatMap(({ at, url, number, httpStatus, problem }) =>
      at === null
        ? []
        : [step(3, at, `webhook to ${url}, try ${number}: ${httpStatus ?? problem}`)],
    ),
  ]
  return ranked
    .toSorted((one, other) => one.at.getTime() - other.at.getTime() || one.rank - other.rank)
    .map(({ at, what, details }) => ({ at, what, details }))
}

function moneyStep<T>(
  posting: LedgerLine[],
  step: (rank: number, at: Date, what: string) => T,
): T[] {
  const [first] = posting
  if (first === undefined) return []
  const moved = posting.map(({ account, amount, currency }) => `${account} ${amount} ${currency}`)
  return [step(2, first.at, `money ${first.kind}: ${moved.join(', ')}`)]
}

function named(name: string, value: unknown): string | null {
  return typeof value === 'string' ? `${name} ${value}` : null
}

function listed(...parts: (string | null)[]): string {
  return parts.filter((part) => part !== null).join(', ')
}
