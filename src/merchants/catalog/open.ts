import type { DbParts } from '#data/db/db.ts'
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
export function openCatalog(parts: DbParts) {
  const { db } = parts
  return {
    /** What is closed, for requests: cached for half a second. */
    maintenance: watchMaintenance(db),
    closures: () => readClosures(db),
    /** Closes everything, or what would begin new payments. */
    close: (order: MaintenanceOrder) => startMaintenance(parts, order),
    /** Opens again what is closed. */
    reopen: (order: Pick<MaintenanceOrder, 'scope' | 'actor'>) => endMaintenance(parts, order),
  }
}
