import type { Mode } from '#base/config/config.ts'
import { cached } from '#base/kit/cached.ts'
import type { Clock } from '#base/kit/clock.ts'
import type { Log } from '#base/log/log.ts'
import type { Db } from '#data/db/db.ts'
import type { Operation } from '#merchants/catalog/services.ts'
import { authenticator } from './authenticate.ts'
import { findBrand, findLogo } from './brand-store.ts'
import { watchContracts } from './contract.ts'
import { dashboardKey } from './dashboard-key.ts'
import { servicesOf } from './offer.ts'
import { inactiveRefusal, mayBegin } from './standing.ts'
import { openKeyWatch } from './watch-keys.ts'

/** What requests ask of clients. */
export type Clients = ReturnType<typeof openClients>

/** Opens the room; answers are cached for half a second. */
export function openClients(parts: { db: Db; clock: Clock; log: Log; mode: Mode }) {
  const { db, clock, mode } = parts
  const contractOf = watchContracts(db)
  const isAllowed = async (clientId: number, operation: Operation | null) =>
    mayBegin((await contractOf(clientId)).merchantStatus, mode, operation)
  return {
    authenticate: authenticator(db, clock),
    watchKey: openKeyWatch(parts),
    contractOf,
    mayBegin: isAllowed,
    /** Refuses what a client may not begin now. */
    async refuseInactive(clientId: number, operation: Operation | null): Promise<void> {
      if (!(await isAllowed(clientId, operation))) throw inactiveRefusal()
    },
    /** How a client's payment pages look. */
    brandOf: cached(500, (clientId: number) => findBrand(db, clientId)),
    /** A logo by its hash, which names the same bytes for good: cached for a minute. */
    logoOf: cached(60_000, (hash: string) => findLogo(db, hash), 100),
    /** The services a client may use, in the catalogue's order. */
    servicesOf: (clientId: number) => servicesOf(db, clientId),
    /** The key of what people make by hand; no request can use it. */
    dashboardKey: (clientId: number) => dashboardKey(db, clock, clientId),
  }
}
