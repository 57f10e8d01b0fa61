import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import { authenticator } from './authenticate.ts'
import { watchContracts } from './contract.ts'
import { dashboardKey } from './dashboard-key.ts'
import { servicesOf } from './offer.ts'
import { openKeyWatch } from './watch-keys.ts'

/** What requests ask of clients. */
export type Clients = ReturnType<typeof openClients>

/** Opens the room; answers are cached for half a second. */
export function openClients(parts: { db: Db; clock: Clock; log: Log }) {
  const { db, clock } = parts
  return {
    authenticate: authenticator(db, clock),
    watchKey: openKeyWatch(parts),
    contractOf: watchContracts(db),
    /** The services a client may use, in the catalogue's order. */
    servicesOf: (clientId: number) => servicesOf(db, clientId),
    /** The key of what people make by hand; no request can use it. */
    dashboardKey: (clientId: number) => dashboardKey(db, clock, clientId),
  }
}
