import { after } from '#base/kit/clock.ts'
import { firstIdAt } from '#base/kit/ids.ts'
import type { Db } from '#data/db/db.ts'
import { closureOf } from '#merchants/catalog/maintenance.ts'
import type { Catalog } from '#merchants/catalog/open.ts'
import type { Service } from '#merchants/catalog/services.ts'
import type { Closure } from '#merchants/catalog/store.ts'
import { servicesOf } from '#merchants/clients/offer.ts'
import {
  countFailedDeliveries,
  type ExpiringSecret,
  type FailedDeliveries,
  readExpiring,
} from './attention-store.ts'
import { type Holding, readHoldings } from './movements-store.ts'

/** What a merchant should look at. */
export interface Attention {
  deliveries: FailedDeliveries
  /** Money that has been held for more than a day, oldest first, 20 at most. */
  holdings: Holding[]
  /** Keys and webhook secrets that end within two weeks. */
  expiring: ExpiringSecret[]
  /** Maintenance that closes a service which the client uses. */
  closures: Closure[]
  /** Services that the client uses, and whose provider takes no orders now. */
  down: string[]
}

export interface AttentionParts {
  db: Db
  maintenance: Catalog['maintenance']
  isAvailable(service: Service): boolean
}

const dayMs = 86_400_000
const deliveriesMs = 7 * dayMs
const expiringMs = 14 * dayMs
/** How many events of each kind are counted; so many may be more. */
export const failedMax = 1000
/** How many are read; so many may be more. */
export const holdingsMax = 20

/** Reads what needs a merchant's attention. */
export async function readAttention(
  { db, maintenance, isAvailable }: AttentionParts,
  clientId: number,
  now: Date,
): Promise<Attention> {
  const [deliveries, holdings, expiring, services, closed] = await Promise.all([
    countFailedDeliveries(db, clientId, after(now, -deliveriesMs), failedMax),
    readHoldings(db, clientId, firstIdAt(after(now, -dayMs)), holdingsMax),
    readExpiring(db, clientId, { now, until: after(now, expiringMs) }),
    servicesOf(db, clientId),
    maintenance(),
  ])
  const codes = services.map(({ code }) => code)
  const closures = new Set(codes.flatMap((code) => closureOf(closed, code) ?? []))
  const down = services
    .filter((service) => !closed.closedServices.has(service.code) && !isAvailable(service))
    .map(({ code }) => code)
  return { deliveries, holdings, expiring, closures: [...closures], down }
}
