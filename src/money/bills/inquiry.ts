import { createHash } from 'node:crypto'
import { Refusal, reason } from '#base/kit/refusal.ts'
import type { Service } from '#merchants/catalog/services.ts'
import type { Bill, Inquiry } from '#money/providers/contract.ts'
import type { BillContext } from './context.ts'

/** A customer of a biller; undefined: the biller does not know it. */
export type Customer = { account: string; bills: Bill[] } | undefined

/**
 * What names a bill in an inquiry, and later in its payment. A meter has no bill: the session of
 * its inquiry is made from the meter, so that a payment can tell it from another's.
 */
export function referenceOf({ reference, account }: Pick<Bill, 'reference' | 'account'>): string {
  if (reference !== '') return reference
  return `session-${createHash('sha256').update(account).digest('base64url').slice(0, 16)}`
}

/** Asks the biller what a customer owes; refuses when the biller cannot be reached. */
export async function inquireBills(
  { providers, log }: Pick<BillContext, 'providers' | 'log'>,
  service: Service,
  account: string,
): Promise<Customer> {
  const inquiry: Inquiry = (await providers.find(service)?.connector.inquire?.(account)) ?? {
    kind: 'unavailable',
    reason: 'no biller is bound to this service',
  }
  switch (inquiry.kind) {
    case 'found':
      return { account: inquiry.account, bills: inquiry.bills }
    case 'not_found':
      return undefined
    case 'unavailable':
      log.warn({ service: service.code, reason: inquiry.reason }, 'a biller could not be asked')
      throw new Refusal(
        'service_unavailable',
        reason('The service {code} is not available right now', { code: service.code }),
      )
  }
}
