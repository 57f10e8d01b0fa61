import { delayAfter, sleep } from './back-off.ts'
import type { ConfirmAnswer } from './interface.ts'
import type { Line } from './place-order.ts'
import { lookUpPayment } from './read.ts'
import type { Payment } from './records.ts'

/** What the gateway answers to a one-time code. */
export type Confirmation = Pick<
  Payment,
  'transactionId' | 'externalTransactionId' | 'status' | 'amount' | 'fee' | 'foundBy'
>

/** Hands a code on. After a lost answer only a payment that is still PENDING gets it again. */
export async function confirmCode(
  line: Line,
  body: { transactionId: string; otp: string },
  signal: AbortSignal | undefined,
): Promise<Confirmation> {
  const request = { method: 'POST', path: '/transaction/confirm/walletd', body } as const
  for (let round = 0; ; round += 1) {
    const outcome = await line.exchange(request, signal)
    if (outcome.kind === 'success') {
      const { transaction } = outcome.body as ConfirmAnswer
      return { ...transaction, status: transaction.Status, foundBy: 'answer' }
    }
    const isPassing = outcome.kind === 'lost' || outcome.error.status === 429
    const delayMs = isPassing ? delayAfter(round, outcome.error) : undefined
    if (delayMs === undefined) throw outcome.error
    await sleep(delayMs, signal)
    const payment = await lookUpPayment(line, body.transactionId, signal)
    if (payment.status !== 'PENDING') return { ...payment, foundBy: 'lookup' }
    if (round === line.tries - 1) throw outcome.error
  }
}
