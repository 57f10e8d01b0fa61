import type { Engine } from './engine.ts'
import { recordOutcomes } from './outcomes.ts'
import { findTransaction, lockTransactions } from './store.ts'
import type { Transaction } from './transaction.ts'

/** Whether a payment was taken back; too late: it was made, or may have been. */
export type Dropped = 'dropped' | 'too_late'

/**
 * Takes back a payment that its payer has provably not made: a code never handed on, or a page that
 * the provider closes unpaid. A prompt on a phone cannot be taken back.
 */
export async function dropTransaction(
  engine: Engine,
  id: { clientId: number; id: string },
): Promise<Dropped> {
  const transaction = await findTransaction(engine.db, id)
  if (transaction === undefined) return 'too_late'
  if (transaction.completedAt !== null)
    return transaction.status === 'SUCCESS' ? 'too_late' : 'dropped'
  const bound = await engine.bind(transaction)
  if (bound === undefined) return 'too_late'
  const { connector, capability, attempt } = bound
  const heard = {
    clientId: transaction.clientId,
    transactionId: transaction.id,
    attemptId: transaction.attemptId,
    source: 'payer' as const,
    capability,
  }
  if (capability.payerStep === 'otp') return dropWithoutCode(engine, heard)
  if (connector.cancel === undefined) return 'too_late'
  const outcome = await connector.cancel(attempt)
  const told =
    outcome.kind === 'declined' ? { ...outcome, cause: 'payer_refused' as const } : outcome
  const { transaction: after } = await engine.record({ ...heard, outcome: told })
  return after.completedAt !== null && after.status !== 'SUCCESS' ? 'dropped' : 'too_late'
}

type Told = Omit<Parameters<Engine['record']>[0], 'outcome'>

/** Money moves only by a code that we hand on: under the lock none is on its way, nor can be. */
async function dropWithoutCode(engine: Engine, heard: Told): Promise<Dropped> {
  const tell = await engine.db.transaction(async (tx) => {
    const [row] = await lockTransactions(tx, [{ ...heard, id: heard.transactionId }])
    if (row === undefined || !isUntouched(row)) return undefined
    const outcome = {
      kind: 'declined',
      cause: 'payer_refused',
      reason: 'the payer chose another wallet before any code was accepted',
      reference: null,
    } as const
    const recorded = await recordOutcomes(
      tx,
      [{ ...heard, outcome }],
      engine.clock,
      engine.announce,
    )
    return recorded.tell
  })
  tell?.()
  return tell === undefined ? 'too_late' : 'dropped'
}

function isUntouched({ completedAt, confirmedAt, otpTries, otpWrong }: Transaction): boolean {
  return completedAt === null && confirmedAt === null && otpTries === otpWrong
}
