import type { Log } from '#base/log/log.ts'
import type { Db } from '#data/db/db.ts'
import { readVersions } from './store.ts'
import { openVersionWatch, type VersionWatch } from './watch-versions.ts'

/** Notifies payers' pages of changes of their links. */
export function openLinkWatch(db: Db, log: Log): VersionWatch {
  return openVersionWatch('links', log, (ids) => readVersions(db, ids))
}
