import type { DeclineCause } from '../providers/contract.ts'
import type { Heard } from './apply.ts'
import { otpLifetimeMs } from './decide.ts'
import type { Engine } from './open.ts'
import { recordOutcomes } from './outcomes.ts'
import { findTransaction, lockTransactions } from './store.ts'
import type { Transaction } from './transaction.ts'

/** Whether a payment was taken back; too late: it was made, or may have been. */
export type Dropped = 'dropped' | 'too_late'

interface Id {
  clientId: number
  id: string
}

/**
 * Takes back a payment that its payer has provably not made: a code never handed on, or a page that
 * the provider closes unpaid. A prompt on a phone cannot be taken back.
 */
export async function dropTransaction(engine: Engine, id: Id): Promise<Dropped> {
  const transaction = await findTransaction(engine.db, id)
  if (transaction === undefined) return 'too_late'
  if (transaction.completedAt !== null)
    return transaction.status === 'SUCCESS' ? 'too_late' : 'dropped'
  const bound = await engine.bind(transaction)
  if (bound === undefined) return 'too_late'
  const { connector, capability, attempt } = bound
  const heard = heardOfPayer(transaction, capability)
  if (capability.payerStep === 'otp')
    return dropWithoutCode(engine, heard, 'payer_refused', 'the payer chose another wallet')
  if (connector.cancel === undefined) return 'too_late'
  const outcome = await connector.cancel(attempt)
  const told =
    outcome.kind === 'declined' ? { ...outcome, cause: 'payer_refused' as const } : outcome
  const { transaction: after } = await engine.record({ ...heard, outcome: told })
  return after.completedAt !== null && after.status !== 'SUCCESS' ? 'dropped' : 'too_late'
}

/** Takes back a payment whose one-time code has run out without being used; leaves any other. */
export async function dropOutdated(engine: Engine, id: Id): Promise<void> {
  const transaction = await findTransaction(engine.db, id)
  if (transaction === undefined) return
  const bound = await engine.bind(transaction)
  if (bound?.capability.payerStep !== 'otp') return
  const ageMs = engine.clock.now().getTime() - transaction.createdAt.getTime()
  if (ageMs <= otpLifetimeMs) return
  const heard = heardOfPayer(transaction, bound.capability)
  await dropWithoutCode(engine, heard, 'payer_timeout', 'no code came while it was good')
}

type Told = Omit<Heard, 'outcome'>

function heardOfPayer(
  { clientId, id: transactionId, attemptId }: Transaction,
  capability: Heard['capability'],
): Told {
  return { clientId, transactionId, attemptId, source: 'payer', capability }
}

/** Money moves only by a code that we hand on: under the lock none is on its way, nor can be. */
async function dropWithoutCode(
  engine: Engine,
  heard: Told,
  cause: DeclineCause,
  reason: string,
): Promise<Dropped> {
  const tell = await engine.db.transaction(async (tx) => {
    const [row] = await lockTransactions(tx, [{ ...heard, id: heard.transactionId }])
    if (row === undefined || !isUntouched(row)) return undefined
    const { attemptId } = row
    const outcome = { kind: 'declined', cause, reason, reference: null } as const
    const { clock, announce } = engine
    return (await recordOutcomes(tx, [{ ...heard, attemptId, outcome }], clock, announce)).tell
  })
  tell?.()
  return tell === undefined ? 'too_late' : 'dropped'
}

function isUntouched({ completedAt, confirmedAt, otpTries, otpWrong }: Transaction): boolean {
  return completedAt === null && confirmedAt === null && otpTries === otpWrong
}
