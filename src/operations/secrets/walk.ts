import {
  type KeyRing,
  keysFor,
  type PurposeKeys,
  readSealed,
  seal,
  unsealByAny,
  writeSealed,
} from '#base/sealing/seal.ts'
import type { Resealed, SealedColumn, SealedValue } from '#base/sealing/sealed-column.ts'
import type { Db } from '#data/db/db.ts'

/** How many values of a column each key opens. */
export interface ColumnState {
  name: string
  /** In the order of the ring: SECRET_KEY first. */
  byKey: number[]
  /** No key opens these. */
  lost: number
}

// A page takes some ten milliseconds, also where few of the rows are sealed.
const pageRows = 2000

interface WalkOptions {
  ring: KeyRing
  /** Whether what other keys seal is sealed anew with SECRET_KEY. */
  reseals: boolean
  /** Called after each page; may throw to stop. */
  onPage?: ((state: ColumnState) => void) | undefined
}

/**
 * Reads a column from its beginning to its end. Values that are sealed anew are replaced only if
 * they have not changed meanwhile. A walk that was stopped begins again and finds the rest.
 */
export async function walkColumn(
  db: Db,
  column: SealedColumn<Db>,
  { ring, reseals, onPage }: WalkOptions,
): Promise<ColumnState> {
  const keys = keysFor(ring, column.purpose)
  const state: ColumnState = { name: column.name, byKey: keys.map(() => 0), lost: 0 }
  for (let reached = column.start, isMore = true; isMore; ) {
    const rows = await column.read(db, reached, pageRows)
    const resealed = rows.flatMap((row) => lookAt(row, keys, state, reseals))
    if (resealed.length > 0) await column.replace(db, resealed)
    reached = rows.at(-1)?.place ?? reached
    isMore = rows.length === pageRows
    onPage?.(state)
  }
  return state
}

/** Counts a value; returns it sealed anew, where that is wanted and another key had sealed it. */
function lookAt(
  { place, sealed: from, context }: SealedValue,
  keys: PurposeKeys,
  state: ColumnState,
  reseals: boolean,
): Resealed[] {
  const bytes = typeof from === 'string' ? readSealed(from) : from
  if (from === null || bytes === null || bytes === undefined) return []
  const opened = unsealByAny(keys, bytes, context)
  if (opened === undefined) {
    state.lost += 1
    return []
  }
  state.byKey[opened.keyNumber] = (state.byKey[opened.keyNumber] ?? 0) + 1
  if (!reseals || opened.keyNumber === 0) return []
  const again = seal(keys, opened.text, context)
  return [{ place, from, to: typeof from === 'string' ? writeSealed(again) : again }]
}
