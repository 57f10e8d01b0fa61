import type { Transaction } from '../transactions/transaction.ts'
import { francs } from './terminal.ts'

/** A transaction in three lines. */
export function summary(one: Transaction): string[] {
  return [
    `${one.id} (${one.externalId ?? 'no external id'}) of client ${one.clientId}`,
    `${one.operation} ${one.serviceCode} ${francs(one.amount)}, fee ${francs(one.fee)}, ` +
      `number ${one.phone}`,
    `${one.status}, attempt ${one.attemptNumber} ${one.attemptState}` +
      (one.dueAt === null ? '' : `, next look ${one.dueAt.toISOString()}`),
  ]
}
