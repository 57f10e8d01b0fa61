import type { DeclineCause } from '../providers/contract.ts'
import type { OutcomeReport } from './apply.ts'
import type { TransactionContext } from './context.ts'
import { otpLifetimeMs } from './decide.ts'
import { recordOutcomes } from './record-outcomes.ts'
import { findTransaction, lockTransactions } from './store.ts'
import type { Transaction, TransactionId } from './transaction.ts'

/** Whether a payment was cancelled; `too_late`: the payer has paid, or may have. */
export type Dropped = 'dropped' | 'too_late'

/**
 * Cancels a payment that its payer has provably not paid: one to which no code but wrong ones was
 * sent, or whose checkout page the provider closes unpaid. A push prompt cannot be cancelled.
 */
export async function dropTransaction(
  context: TransactionContext,
  id: TransactionId,
): Promise<Dropped> {
  const transaction = await findTransaction(context.db, id)
  if (transaction === undefined) return 'too_late'
  if (transaction.completedAt !== null)
    return transaction.status === 'SUCCESS' ? 'too_late' : 'dropped'
  const bound = await context.bind(transaction)
  if (bound === undefined) return 'too_late'
  const { connector, capability, attempt } = bound
  const report = payerReport(transaction, capability)
  if (capability.payerStep === 'otp')
    return dropWithoutCode(context, report, 'payer_refused', 'the payer chose another wallet')
  if (connector.cancel === undefined) return 'too_late'
  const outcome = await connector.cancel(attempt)
  const reported =
    outcome.kind === 'declined' ? { ...outcome, cause: 'payer_refused' as const } : outcome
  const { transaction: after } = await context.record({ ...report, outcome: reported })
  return after.completedAt !== null && after.status !== 'SUCCESS' ? 'dropped' : 'too_late'
}

/** Cancels a payment whose one-time code expired unused; leaves any other. */
export async function dropOutdated(context: TransactionContext, id: TransactionId): Promise<void> {
  const transaction = await findTransaction(context.db, id)
  if (transaction === undefined) return
  const bound = await context.bind(transaction)
  if (bound?.capability.payerStep !== 'otp') return
  const ageMs = context.clock.now().getTime() - transaction.createdAt.getTime()
  if (ageMs <= otpLifetimeMs) return
  const report = payerReport(transaction, bound.capability)
  const cause = transaction.otpWrong > 0 ? 'wrong_code' : 'code_expired'
  await dropWithoutCode(context, report, cause, 'no right code came while it was good')
}

type PayerReport = Omit<OutcomeReport, 'outcome'>

function payerReport(
  { clientId, id: transactionId, attemptId }: Transaction,
  capability: OutcomeReport['capability'],
): PayerReport {
  return { clientId, transactionId, attemptId, source: 'payer', capability }
}

/** Only a right code moves money: under the row lock none but wrong ones was sent or can be. */
async function dropWithoutCode(
  context: TransactionContext,
  report: PayerReport,
  cause: DeclineCause,
  reason: string,
): Promise<Dropped> {
  const afterCommit = await context.db.transaction(async (tx) => {
    const [row] = await lockTransactions(tx, [{ ...report, id: report.transactionId }])
    if (row === undefined || !isUntouched(row)) return undefined
    const { attemptId } = row
    const outcome = { kind: 'declined', cause, reason, reference: null } as const
    const recorded = await recordOutcomes(tx, [{ ...report, attemptId, outcome }], context)
    return recorded.afterCommit
  })
  afterCommit?.()
  return afterCommit === undefined ? 'too_late' : 'dropped'
}

function isUntouched({ completedAt, confirmedAt, otpTries, otpWrong }: Transaction): boolean {
  return completedAt === null && confirmedAt === null && otpTries === otpWrong
}
