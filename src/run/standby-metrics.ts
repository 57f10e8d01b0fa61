import type { Registry } from '@prometheus-io/client'
import { isSearched } from '../config/database-url.ts'
import type { Db } from '../db/db.ts'
import { isSynchronous } from '../db/standby-store.ts'
import { countedGauge } from './gauges.ts'

/** Shows whether commits wait for a standby; nothing where the address names one server only. */
export function standbyGauge(db: Db, registry: Registry): () => Promise<void> {
  if (!isSearched(db.access.url)) return async () => {}
  const show = countedGauge(
    registry,
    'database_synchronous',
    '1 while commits wait until a standby has them, 0 while one server holds them alone',
  )
  return async () => show((await isSynchronous(db)) ? 1 : 0)
}
