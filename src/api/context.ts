import type { Maintenance } from '../catalog/maintenance.ts'
import type { Clock } from '../kit/clock.ts'
import type { Db } from '../kit/db.ts'

/** What endpoints work with. */
export interface Context {
  db: Db
  clock: Clock
  maintenance(): Promise<Maintenance>
}
