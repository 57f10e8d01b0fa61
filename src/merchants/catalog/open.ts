import type { Clock } from '#base/kit/clock.ts'
import type { Db } from '#data/db/db.ts'
import {
  endMaintenance,
  type MaintenanceOrder,
  startMaintenance,
  watchMaintenance,
} from './maintenance.ts'
import { readClosures } from './store.ts'

/** Everything that can be done with the catalogue. */
export type Catalog = ReturnType<typeof openCatalog>

/** Opens the room. */
export function openCatalog({ db, clock }: { db: Db; clock: Clock }) {
  return {
    /** What is closed, for requests: cached for half a second. */
    maintenance: watchMaintenance(db),
    closures: () => readClosures(db),
    /** Closes everything, or what would begin new payments. */
    close: (order: MaintenanceOrder) => startMaintenance(db, clock, order),
    /** Opens again what is closed. */
    reopen: (order: Pick<MaintenanceOrder, 'scope' | 'actor'>) => endMaintenance(db, clock, order),
  }
}
