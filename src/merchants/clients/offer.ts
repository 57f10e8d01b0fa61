import type { Db } from '#data/db/db.ts'
import { type Service, services } from '#merchants/catalog/services.ts'
import { readTerms } from './terms-store.ts'

/** The services a client may use, in the catalogue's order. */
export async function servicesOf(db: Db, clientId: number): Promise<Service[]> {
  const terms = await readTerms(db, clientId)
  const enabled = new Set(terms.filter((one) => one.isEnabled).map((one) => one.serviceCode))
  return services.filter((service) => enabled.has(service.code))
}
