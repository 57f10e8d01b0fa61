import { Tally } from '../kit/tally.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { failureCodeOf } from './failure.ts'

/** How transactions have ended; for metrics. */
export class OutcomeFigures {
  /** By service, kind of transaction and failure code, which is NONE for a success. */
  readonly counts = new Tally()

  /** Counts transactions whose end is committed. */
  count(ended: Transaction[]): void {
    for (const transaction of ended)
      this.counts.add([
        transaction.serviceCode,
        transaction.operation,
        failureCodeOf(transaction) ?? 'NONE',
      ])
  }
}
