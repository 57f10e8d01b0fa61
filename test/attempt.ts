import { randomUUID } from 'node:crypto'
import type { Service } from '#merchants/catalog/services.ts'
import type { Attempt, Operation } from '#money/providers/contract.ts'

/** A new attempt of 500 francs at the provider of this service, with these fields changed. */
export function newAttempt(
  service: Service,
  operation: Operation,
  changes: Partial<Attempt> = {},
): Attempt {
  return {
    clientId: 7,
    id: randomUUID(),
    operation,
    service,
    amount: 500,
    currency: service.currency,
    phone: '771234567',
    payeeName: 'Awa',
    callbackUrl: '',
    successUrl: 'https://shop.example/ok',
    failureUrl: 'https://shop.example/no',
    reference: null,
    originalReference: null,
    billReference: null,
    ...changes,
  }
}
