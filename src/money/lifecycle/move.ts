import type { Tx } from '#data/db/db.ts'
import { type CarriedColumns, updateStatuses } from './store.ts'
import {
  type Effect,
  isFinal,
  nextOf,
  type Resource,
  type StatusOf,
  type TriggerOf,
} from './transitions.ts'

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

/**
 * The row is no longer in the state that the caller decided on. Without a lock another process was
 * faster; under a lock it is a bug.
 */
export class MovedMeanwhile extends Error {
  override name = 'MovedMeanwhile'
}

/**
 * The only writer of statuses. Moves records along the table by compare-and-set and adds each step
 * to their history; returns undefined for a move that the table does not have. `carried` columns
 * are written in the same statement.
 */
export async function move<R extends Resource>(
  tx: Tx,
  moves: Move<R>[],
  carried?: CarriedColumns,
): Promise<(Moved<R> | undefined)[]> {
  const results = moves.map(({ resource, from, trigger }) => nextOf<R>(resource, from, trigger))
  const steps = moves.flatMap((one, index) => {
    const next = results[index]
    return next === undefined
      ? []
      : [{ ...one, to: next.to, isFinal: isFinal(one.resource, next.to) }]
  })
  if (steps.length > 0) {
    const moved = await updateStatuses(tx, steps, carried)
    if (moved !== steps.length) throw new MovedMeanwhile('a status moved under its lock')
  }
  return results
}
