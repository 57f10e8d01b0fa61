import type { Contract } from '../clients/contract.ts'
import type { Payee } from '../sub-merchants/payee.ts'
import { readRequestedPayee } from '../wire/payee.ts'
import type { Context } from './context.ts'

/** Whose name the payer is shown, by what a body says; the body may still be wrong. */
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
