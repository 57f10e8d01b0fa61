import type { Db, Tx } from '../db/db.ts'
import { Problem } from '../kit/problem.ts'
import type { CopiedKeys, CopyParts } from './copy.ts'
import { digestRows } from './row-store.ts'
import type { TableShape } from './shape-store.ts'

const keysAtOnce = 5000

type CompareParts = Pick<CopyParts, 'peer' | 'shapes' | 'move'>

/** How many rows were compared, and are equal. */
export interface Comparison {
  rows: number
}

/** Compares every row of a table in both cells; of the tables that are copied early, or last. */
export async function compareTables(
  parts: CompareParts,
  run: Db | Tx,
  when: TableShape['when'],
): Promise<Comparison> {
  let rows = 0
  for (const shape of parts.shapes.values())
    if (shape.when === when) rows += await compare(parts, run, shape, null)
  return { rows }
}

/** Compares the rows that were copied again, as they are for `run`. */
export async function compareKeys(
  parts: CompareParts,
  run: Db | Tx,
  copied: CopiedKeys,
): Promise<Comparison> {
  let rows = 0
  for (const [table, set] of copied) {
    const shape = parts.shapes.get(table)
    // What is cleared away by age may be gone here already; the other cell does the same.
    if (shape === undefined || shape.when === 'last' || shape.isPerishable) continue
    const keys = [...set]
    for (let at = 0; at < keys.length; at += keysAtOnce)
      rows += await compare(parts, run, shape, keys.slice(at, at + keysAtOnce))
  }
  return { rows }
}

async function compare(
  { peer, move: { clientId } }: CompareParts,
  run: Db | Tx,
  shape: TableShape,
  keys: string[] | null,
): Promise<number> {
  const asked = { clientId, table: shape.name, isAll: keys === null }
  const [here, there] = await Promise.all([
    digestRows(run, shape, { clientId, keys: keys === null ? null : `[${keys.join(',')}]` }),
    peer.ask('digest', asked, keys ?? []),
  ])
  if (here.rows !== there.rows || here.hash !== there.hash)
    throw new Problem(
      `${shape.name} differs in the two cells (${here.rows} rows here, ${there.rows} there).`,
    )
  return Number(here.rows)
}
