import type { Db } from '../db/db.ts'
import type { Log } from '../log/log.ts'
import { readVersions } from './store.ts'
import type { VersionWatch } from './watch-versions.ts'
import { openVersionWatch } from './watch-versions.ts'

/** Notifies payers' pages of changes of their links. */
export function openLinkWatch(db: Db, log: Log): VersionWatch {
  return openVersionWatch('links', log, (ids) => readVersions(db, ids))
}
