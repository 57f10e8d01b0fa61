import type { Db } from '#data/db/db.ts'
import { defaultTerms } from '#merchants/clients/terms.ts'
import { readTerms, type ServiceTerms } from '#merchants/clients/terms-store.ts'

/** A client's terms of a service; those that a service without any has. */
export async function readShownTerms(
  db: Db,
  clientId: number,
  serviceCode: string,
): Promise<ServiceTerms> {
  const known = await readTerms(db, clientId)
  const own = known.find((one) => one.serviceCode === serviceCode)
  return own ?? { serviceCode, ...defaultTerms }
}
