import type { Db } from '#data/db/db.ts'
import { checkCellName } from './own-name.ts'
import { readCellName } from './store.ts'

/** Opens what a command asks of this cell. */
export function openCells({ db, cell }: { db: Db; cell: string | null }) {
  return {
    /** The name that the database has; null: none. */
    storedName: () => readCellName(db),
    /** Throws unless CELL is that name: a key or address that is handed out would name another. */
    check: () => checkCellName(db, cell),
  }
}
