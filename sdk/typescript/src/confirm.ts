import { delayAfter, sleep } from './back-off.ts'
import { type Line, part, pickFrom } from './exchange.ts'
import type { ConfirmAnswer } from './interface.ts'
import { lookUpPayment } from './read.ts'
import { assertRecord, type Payment } from './records.ts'

/** What the gateway answers to a one-time code. */
export type Confirmation = Pick<
  Payment,
  'transactionId' | 'externalTransactionId' | 'status' | 'amount' | 'fee' | 'foundBy'
>

/**
 * Hands a code on. After a lost answer only a payment that is still PENDING gets it again, and a
 * refusal is believed only if it still is.
 */
export async function confirmCode(
  line: Line,
  body: { transactionId: string; otp: string },
  signal: AbortSignal | undefined,
): Promise<Confirmation> {
  part(body.transactionId)
  const request = { method: 'POST', path: '/transaction/confirm/walletd', body } as const
  let mayHaveArrived = false
  for (let round = 0; ; round += 1) {
    const outcome = pickFrom(await line.exchange(request, signal), readConfirmation)
    if (outcome.kind === 'success') return outcome.item
    const isPassing = outcome.kind === 'lost' || outcome.error.status === 429
    if (outcome.kind === 'lost') mayHaveArrived = true
    const delayMs = isPassing ? delayAfter(round, outcome.error) : 0
    if (delayMs === undefined || (!isPassing && !mayHaveArrived)) throw outcome.error
    await sleep(delayMs, signal)
    const payment = await lookUpPayment(line, body.transactionId, signal)
    if (payment.status !== 'PENDING') return { ...payment, foundBy: 'lookup' }
    if (!isPassing || round === line.tries - 1) throw outcome.error
  }
}

function readConfirmation({ transaction }: ConfirmAnswer): Confirmation {
  assertRecord(transaction.transactionId, transaction.Status, transaction.amount)
  return { ...transaction, status: transaction.Status, foundBy: 'answer' }
}
