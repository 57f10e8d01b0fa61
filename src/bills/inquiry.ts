import { Refusal, reason } from '../catalog/refusal.ts'
import type { Service } from '../catalog/services.ts'
import type { Bill, Inquiry } from '../providers/contract.ts'
import type { BillContext } from './context.ts'

/** A customer of a biller; undefined: the biller does not know it. */
export type Customer = { account: string; bills: Bill[] } | undefined

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
