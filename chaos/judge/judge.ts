import type pg from 'pg'
import { eventInvariants } from './events.ts'
import type { Invariant } from './invariant.ts'
import { ledgerInvariants } from './ledger.ts'
import { orderInvariants } from './orders.ts'
import { recordInvariants } from './records.ts'

/** What the judge found out about one invariant. */
export interface Ruling {
  name: string
  says: string
  checked: number
  broken: number
  /** Some of what breaks it. */
  examples: string[]
  tookMs: number
}

/** Every invariant, in the order in which they are printed. */
export const invariants: Invariant[] = [
  ...recordInvariants,
  ...orderInvariants,
  ...ledgerInvariants,
  ...eventInvariants,
]

const examplesMax = 5

/** Judges the database and the journals that `loadCase` has put beside it: by all invariants. */
export async function judge(db: pg.ClientBase, names?: string[]): Promise<Ruling[]> {
  const rulings: Ruling[] = []
  const chosen = invariants.filter(({ name }) => names === undefined || names.includes(name))
  for (const { name, says, checked, broken } of chosen) {
    const startedMs = performance.now()
    const counted = await db.query<{ count: string }>(checked)
    const found = await db.query<{ what: string; all: string }>(
      `select what, count(*) over () as all from (${broken}) b limit ${examplesMax}`,
    )
    rulings.push({
      name,
      says,
      checked: Number(counted.rows[0]?.count),
      broken: Number(found.rows[0]?.all ?? 0),
      examples: found.rows.map(({ what }) => what),
      tookMs: Math.round(performance.now() - startedMs),
    })
  }
  return rulings
}
