import { Counter } from '@prometheus-io/client'
import { services } from '#merchants/catalog/services.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { failureCodeOf } from './failure.ts'

/** How transactions have ended; for metrics. */
export class OutcomeFigures {
  /** By service, kind of transaction and failure code, which is NONE for a success. */
  readonly counts = new Counter({
    name: 'passerelle_transactions_ended_total',
    help: 'Transactions that ended, by service, type and failure code (NONE: success)',
    labelNames: ['service', 'type', 'failure'],
    registers: [],
  })

  constructor() {
    // A counter that begins at 0 shows its first increase.
    for (const { code: service, operation: type } of services)
      this.counts.inc({ service, type, failure: 'NONE' }, 0)
  }

  /** Counts transactions whose end is committed. */
  count(ended: Transaction[]): void {
    for (const transaction of ended)
      this.counts.inc({
        service: transaction.serviceCode,
        type: transaction.operation,
        failure: failureCodeOf(transaction) ?? 'NONE',
      })
  }
}
