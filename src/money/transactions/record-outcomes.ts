import type { Clock } from '#base/kit/clock.ts'
import type { Tx } from '#data/db/db.ts'
import { type Applied, applyReports, keyOf, type Rows } from './apply.ts'
import type { OutcomeReport } from './decide.ts'
import { readPayments } from './evidence-store.ts'
import { type Payments, paymentName } from './payments.ts'
import { lockTransactions } from './store.ts'
import type { TransactionId } from './transaction.ts'
import { trustedAttemptedAt } from './waits.ts'
import { type EndingParts, writeEffects } from './write-effects.ts'

/** What reports did to their transactions; `afterCommit` starts the delivery of their events. */
export interface RecordedOutcomes {
  applied: Applied[]
  afterCommit: () => void
}

/**
 * Applies reports in the order given: status, money, conflict, due date and events, together or
 * not at all. Locks the transactions first, in id order, then their merchants' accounts.
 */
export async function recordOutcomes(
  tx: Tx,
  reports: OutcomeReport[],
  { clock, ...parts }: EndingParts & { clock: Clock },
): Promise<RecordedOutcomes> {
  const rows: Rows = new Map()
  const payments = await lockRows(tx, reports, rows)
  // Read under the locks, so that the times of a status history are in the order of its steps.
  const now = clock.now()
  trustWaits(rows, clock, now)
  const { applied, effects } = applyReports(rows, reports, now, payments)
  return { applied, afterCommit: await writeEffects(tx, effects, now, parts) }
}

/** After a jump of the clock, restarts the waits of open transactions. */
export function trustWaits(rows: Rows, clock: Clock, now: Date): void {
  for (const row of rows.values())
    if (row.completedAt === null) row.attemptedAt = trustedAttemptedAt(row, clock, now)
}

/**
 * Locks the transactions that reports are about and that `rows` lacks, and adds them to it. Returns
 * the payments that were reported before, of those for which another is reported now.
 */
export async function lockRows(tx: Tx, reports: OutcomeReport[], rows: Rows): Promise<Payments> {
  await lockMissing(
    tx,
    reports.map(({ clientId, transactionId: id }) => ({ clientId, id })),
    rows,
  )
  // A refund's end changes its original too. Originals are older, so their ids come first; a row
  // that is locked out of order costs at worst a deadlock and a retry.
  const originals = [...rows.values()].flatMap(({ clientId, originalId }) =>
    originalId === null ? [] : [{ clientId, id: originalId }],
  )
  await lockMissing(tx, originals, rows)
  return findPayments(tx, reports, rows)
}

/** An ordinary success is the first of its transaction: nothing has to be read for it. */
async function findPayments(tx: Tx, reports: OutcomeReport[], rows: Rows): Promise<Payments> {
  const payments: Payments = new Map()
  const paidBefore = reports.flatMap(({ outcome, clientId, transactionId: id }) => {
    const row = outcome.kind === 'succeeded' ? rows.get(keyOf(clientId, id)) : undefined
    const isPaid = row !== undefined && (row.completedAt !== null || row.attemptState === 'parked')
    return isPaid ? [{ clientId, id }] : []
  })
  if (paidBefore.length === 0) return payments
  for (const { clientId, transactionId, attemptId, reference } of await readPayments(
    tx,
    paidBefore,
  )) {
    const key = keyOf(clientId, transactionId)
    const known = payments.get(key) ?? new Set()
    payments.set(key, known.add(paymentName(attemptId, reference)))
  }
  return payments
}

async function lockMissing(tx: Tx, ids: TransactionId[], rows: Rows): Promise<void> {
  const missing = ids.filter(({ clientId, id }) => !rows.has(keyOf(clientId, id)))
  if (missing.length === 0) return
  for (const row of await lockTransactions(tx, missing)) rows.set(keyOf(row.clientId, row.id), row)
}
