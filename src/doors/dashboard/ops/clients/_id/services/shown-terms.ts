import type { Clients } from '#merchants/clients/open.ts'
import { defaultTerms } from '#merchants/clients/terms.ts'
import type { ServiceTerms } from '#merchants/clients/terms-store.ts'

/** A client's terms of a service; those that a service without any has. */
export async function readShownTerms(
  clients: Clients,
  clientId: number,
  serviceCode: string,
): Promise<ServiceTerms> {
  const known = await clients.termsOf(clientId)
  const own = known.find((one) => one.serviceCode === serviceCode)
  return own ?? { serviceCode, ...defaultTerms }
}
