import type { TransactionContext } from './context.ts'
import type { OutcomeReport } from './decide.ts'
import { endUntouched } from './end-untaken.ts'
import { findTransaction } from './store.ts'
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
    return (await endUntouched(context, report, () => changedWallet)) ? 'dropped' : 'too_late'
  if (connector.cancel === undefined) return 'too_late'
  const outcome = await connector.cancel(attempt)
  const reported =
    outcome.kind === 'declined' ? { ...outcome, cause: 'payer_refused' as const } : outcome
  const { transaction: after } = await context.record({ ...report, outcome: reported })
  return after.completedAt !== null && after.status !== 'SUCCESS' ? 'dropped' : 'too_late'
}

const changedWallet = {
  kind: 'declined',
  cause: 'payer_refused',
  reason: 'the payer chose another wallet',
  reference: null,
} as const

type PayerReport = Omit<OutcomeReport, 'outcome'>

function payerReport(
  { clientId, id: transactionId, attemptId }: Transaction,
  capability: OutcomeReport['capability'],
): PayerReport {
  return { clientId, transactionId, attemptId, source: 'payer', capability }
}
