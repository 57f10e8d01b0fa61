import type { Reason } from '../catalog/refusal.ts'
import { reason } from '../catalog/refusal.ts'
import { parseServiceCode } from '../catalog/services.ts'
import type { Payee } from '../sub-merchants/payee.ts'

/** Whom a body, which may still be wrong, wants the payer to see, and where the payer is. */
export function readPayeeWish(body: { sub_merchant_id?: unknown; serviceCode?: unknown }) {
  const { sub_merchant_id: id, serviceCode: code } = body
  return {
    subMerchantId: typeof id === 'string' ? id : undefined,
    country: typeof code === 'string' ? parseServiceCode(code)?.country : undefined,
  }
}

/** Why a payment cannot be made in the name that was asked for; empty: it can. */
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
