import { type Reason, reason } from '#base/kit/refusal.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import type { Payee } from '#merchants/sub-merchants/payee.ts'

/**
 * The sub-merchant that a body names and the country of its service. Read before validation: either
 * may be missing or of another type.
 */
export function readRequestedPayee(body: { sub_merchant_id?: unknown; serviceCode?: unknown }) {
  const { sub_merchant_id: id, serviceCode: code } = body
  return {
    subMerchantId: typeof id === 'string' ? id : undefined,
    country: typeof code === 'string' ? parseServiceCode(code)?.country : undefined,
  }
}

/** The violation of a sub_merchant_id that cannot be used; empty when it can. */
export function payeeProblems(payee: Payee): Reason[] {
  const field = 'sub_merchant_id'
  switch (payee.kind) {
    case 'named':
      return []
    case 'not_yours':
      return [reason('{field} is not a sub-merchant of yours', {}, field)]
    case 'not_active':
      return [reason('{field} is a sub-merchant that is not active', {}, field)]
    case 'not_in_country':
      return [
        reason(
          '{field} is a sub-merchant that does not serve {country}',
          { country: payee.country },
          field,
        ),
      ]
  }
}

/** The payee of a body that payeeProblems() found nothing wrong with. */
export function checkedPayee(payee: Payee): Extract<Payee, { kind: 'named' }> {
  if (payee.kind !== 'named') throw new Error('unchecked payee')
  return payee
}
