import { defaultTerms } from '../../../../../clients/terms.ts'
import type { ServiceTerms } from '../../../../../clients/terms-store.ts'
import { readTerms } from '../../../../../clients/terms-store.ts'
import type { Db } from '../../../../../db/db.ts'

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
