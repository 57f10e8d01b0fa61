import { chargedFee, failureCodeOf, failureMessage } from '#edge/wire/failure.ts'
import { plainPhone } from '#merchants/catalog/phone.ts'
import type { Transaction } from '#money/transactions/transaction.ts'
import { francs } from './terminal.ts'

/** A transaction in three lines. */
export function summary(one: Transaction): string[] {
  const why = failureMessage(failureCodeOf(one), 'en')
  return [
    `${one.id} (${one.externalId ?? 'no external id'}) of client ${one.clientId}`,
    `${one.operation} ${one.serviceCode} ${francs(one.amount)}, ` +
      `fee ${francs(0 - chargedFee(one))}, number ${plainPhone(one.phone, one.serviceCode)}`,
    `${one.status}${why === '' ? '' : `: ${why}`}, attempt ${one.attemptNumber} ` +
      one.attemptState +
      (one.dueAt === null ? '' : `, next look ${one.dueAt.toISOString()}`),
  ]
}
