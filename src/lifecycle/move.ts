import type { Tx } from '../db/db.ts'
import type { Carried } from './store.ts'
import { updateStatuses } from './store.ts'
import type { Effect, Resource, StatusOf, TriggerOf } from './transitions.ts'
import { isFinal, nextOf } from './transitions.ts'

export interface Move<R extends Resource = Resource> {
  resource: R
  clientId: number
  id: string
  from: StatusOf<R>
  trigger: TriggerOf<R>
  at: Date
}

export interface Moved<R extends Resource = Resource> {
  to: StatusOf<R>
  also: Effect
}

/** A row is no longer what was decided upon: under a lock a bug, else somebody was quicker. */
export class MovedMeanwhile extends Error {
  override name = 'MovedMeanwhile'
}

/**
 * The only writer of statuses. Moves records by compare-and-set along the table, and records each
 * step; undefined for a move that the table does not have. What is `carried` along is written in
 * the same statement.
 */
export async function move<R extends Resource>(
  tx: Tx,
  moves: Move<R>[],
  carried?: Carried,
): Promise<(Moved<R> | undefined)[]> {
  const answers = moves.map(({ resource, from, trigger }) => nextOf<R>(resource, from, trigger))
  const steps = moves.flatMap((one, index) => {
    const next = answers[index]
    return next === undefined
      ? []
      : [{ ...one, to: next.to, isFinal: isFinal(one.resource, next.to) }]
  })
  if (steps.length > 0) {
    const moved = await updateStatuses(tx, steps, carried)
    if (moved !== steps.length) throw new MovedMeanwhile('a status moved under its lock')
  }
  return answers
}
