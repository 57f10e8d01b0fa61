import { readRequestedPayee } from '#edge/wire/payee.ts'
import type { Contract } from '#merchants/clients/contract.ts'
import type { Payee } from '#merchants/sub-merchants/payee.ts'
import type { Context } from './context.ts'

/** The payee of a request, whose name the payer is shown. The body need not be valid yet. */
export function payeeOf(
  { subMerchants }: Context,
  { clientId }: { clientId: number },
  contract: Contract,
  body: Parameters<typeof readRequestedPayee>[0],
): Promise<Payee> {
  return subMerchants.payeeFor({
    ...readRequestedPayee(body),
    clientId,
    fallbackName: contract.name,
  })
}
