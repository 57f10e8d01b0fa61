import type { Db } from '#data/db/db.ts'
import { watchMaintenance } from './maintenance.ts'

/** What requests ask of the catalogue. */
export type Catalog = ReturnType<typeof openCatalog>

/** Opens the room; answers are cached for half a second. */
export function openCatalog({ db }: { db: Db }) {
  return { maintenance: watchMaintenance(db) }
}
