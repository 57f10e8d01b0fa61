import { Problem } from '#base/kit/problem.ts'
import type { Db, DbParts } from '#data/db/db.ts'
import { insertCellName, readCellName } from './store.ts'

/**
 * Gives the database the name of its cell at the first start that has one. From then on no other
 * name, and none, is accepted: what was handed out names the cell.
 */
export async function keepCellName({ db, clock }: DbParts, cell: string | null): Promise<void> {
  if (cell !== null) await insertCellName(db, cell, clock.now())
  await checkCellName(db, cell)
}

/** Throws unless CELL is the name that the database has. */
export async function checkCellName(db: Db, cell: string | null): Promise<void> {
  const problem = cellProblem(await readCellName(db), cell)
  if (problem !== null) throw new Problem(problem)
}

/** What is wrong with CELL for a database with this name; null: nothing. */
export function cellProblem(stored: string | null, cell: string | null): string | null {
  if (stored === cell) return null
  if (stored === null)
    return `The database has no cell's name yet: a start with CELL=${cell} gives it this one.`
  const set = cell === null ? 'CELL is not set' : `CELL is ${cell}`
  return (
    `The database belongs to the cell ${stored}, but ${set}: set CELL=${stored}, ` +
    'or DATABASE_URL or DATA_DIR to those of the other cell.'
  )
}
