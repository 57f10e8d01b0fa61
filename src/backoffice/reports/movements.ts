import { Refusal } from '#base/kit/refusal.ts'
import type { Db, Tx } from '#data/db/db.ts'
import {
  countUnsummed,
  findVersionBefore,
  type Movement,
  readLastMovements,
  readVersion,
  type VersionRange,
} from './movements-store.ts'

/** Which part of an account's movements is asked for; null: from the first, to the last. */
export interface MovementRange {
  from: Date | null
  to: Date | null
  /** The `next` of the page before; null: the first page. */
  after: number | null
  limit: number
}

export interface MovementPage {
  movements: Movement[]
  /** Where the next page begins; null: this is the last one. */
  next: number | null
}

/** A page of the movements of a client's available account, newest first. */
export async function listMovements(
  db: Db,
  clientId: number,
  { from, to, after, limit }: MovementRange,
): Promise<MovementPage> {
  const range = await versionsOf(db, clientId, { from, to })
  const upTo = after === null ? range.upTo : Math.min(range.upTo, after - 1)
  const found = await readLastMovements(db, { ...range, upTo }, limit + 1)
  const movements = found.slice(0, limit)
  return { movements, next: found.length > limit ? (movements.at(-1)?.version ?? null) : null }
}

const readAtOnce = 500

/**
 * All movements between two versions, oldest first, in memory for one page. Versions have no gaps:
 * one that is missing is an error, and never a shorter statement.
 */
export async function* eachMovement(
  db: Db,
  { clientId, above, upTo }: VersionRange,
): AsyncGenerator<Movement> {
  for (let first = above; first < upTo; first += readAtOnce) {
    const last = Math.min(upTo, first + readAtOnce)
    const page = await readLastMovements(db, { clientId, above: first, upTo: last }, readAtOnce)
    if (page.length !== last - first)
      throw new Error(`${page.length} movements of client ${clientId} from ${first} to ${last}`)
    yield* page.toReversed()
  }
}

const unsummedMax = 100_000

/**
 * Refuses what would read the whole history entry by entry: after an upgrade the hours of a long
 * one are summed up for some minutes.
 */
export async function refuseUnsummed(
  run: Db | Tx,
  clientId: number,
  countMax = unsummedMax,
): Promise<void> {
  if ((await countUnsummed(run, clientId)) > countMax)
    throw new Refusal(
      'service_unavailable',
      'The history is being calculated: please try again in a few minutes',
    )
}

async function versionsOf(
  db: Db,
  clientId: number,
  { from, to }: Pick<MovementRange, 'from' | 'to'>,
): Promise<VersionRange> {
  if (from !== null || to !== null) await refuseUnsummed(db, clientId)
  const [above, upTo] = await Promise.all([
    from === null ? 0 : findVersionBefore(db, clientId, from),
    to === null ? readVersion(db, clientId) : findVersionBefore(db, clientId, to),
  ])
  return { clientId, above, upTo }
}
