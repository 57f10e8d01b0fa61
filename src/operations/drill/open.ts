import type { Db } from '#data/db/db.ts'
import { type Drill, insertDrill, readArchiver, readArchiveState } from './store.ts'

/** Opens what is known of the archive and its drills. */
export function openDrills({ db }: { db: Db }) {
  return {
    /** What the server tells of its archive, and the last drill. */
    archive: () => readArchiveState(db),
    /** The same without the drill: on a database of whatever version. */
    archiver: () => readArchiver(db),
    keep: (drill: Drill) => insertDrill(db, drill),
  }
}
