import type { Db, Tx } from '#data/db/db.ts'
import { transactionColumns } from './store.ts'
import type { Transaction, TransactionId } from './transaction.ts'

/*
 * These statements do not count `transactions.version`: no outcome's effect depends on the two
 * counters but those that are decided under the row's lock, and `updateTransactions` never writes
 * them, so a cached row cannot overwrite them.
 */

/**
 * Counts a try at a one-time code before it is checked, so that parallel guesses cannot share one.
 * Undefined when none is left or the transaction no longer waits for a code.
 */
export async function countOtpTry(
  db: Db | Tx,
  id: TransactionId,
  triesMax: number,
): Promise<Transaction | undefined> {
  const [found] = await db<Transaction>`
    update transactions set otp_tries = otp_tries + 1
    where client_id = ${id.clientId} and id = ${id.id} and otp_tries < ${triesMax}
      and completed_at is null and attempt_state = 'taken' and confirmed_at is null
    returning ${transactionColumns}`
  return found
}

/** Takes back a counted try at a code that never reached the provider. */
export async function giveBackOtpTry(db: Db, id: TransactionId): Promise<void> {
  await db`
    update transactions set otp_tries = otp_tries - 1
    where client_id = ${id.clientId} and id = ${id.id} and otp_tries > 0`
}

/** Counts a code that the provider rejected: it cannot move money any more. Returns their count. */
export async function countWrongCode(db: Db, id: TransactionId): Promise<number> {
  const [row] = await db<{ wrong: number }>`
    update transactions set otp_wrong = otp_wrong + 1
    where client_id = ${id.clientId} and id = ${id.id}
    returning otp_wrong as wrong`
  return row?.wrong ?? 0
}
