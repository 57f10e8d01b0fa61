import type { Reason } from '../catalog/refusal.ts'
import { Refusal, reason } from '../catalog/refusal.ts'
import type { Mode } from '../config/config.ts'
import type { Db, Tx } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import type { SecretKey } from '../sealing/seal.ts'
import type { Resealing } from './reseal.ts'
import type { TableShape } from './shape-store.ts'
import { readShapes } from './shape-store.ts'
import type { MoveIn } from './state-store.ts'
import { findMove } from './state-store.ts'
import type { Steps } from './wire.ts'

export interface ArrivalParts {
  db: Db
  clock: Clock
  mode: Mode
  secretKey: SecretKey
  /** What is sealed between the cells. */
  transitKey: SecretKey
}

/** What the verbs of arrivals share. */
export interface Arrivals extends Pick<ArrivalParts, 'db' | 'clock' | 'mode'> {
  shapeOf(table: string): Promise<TableShape>
  resealing: Resealing
}

/** What one step is asked to do, on which move. */
export interface Asked<Name extends keyof Steps> {
  moveId: string
  asked: Steps[Name]['asked']
  lines: string[]
}

export const done = { isDone: true }

/** A list of JSON texts as one. */
export const asList = (lines: string[]) => `[${lines.join(',')}]`

export function openContext(parts: ArrivalParts): Arrivals {
  const { db, clock, mode } = parts
  let shapes: Map<string, TableShape> | undefined
  return {
    db,
    clock,
    mode,
    resealing: { from: parts.transitKey, to: parts.secretKey },
    shapeOf: async (table) => {
      shapes ??= await readShapes(db)
      const shape = shapes.get(table)
      if (shape === undefined) throw refuse('This cell knows no table {table}', { table })
      return shape
    },
  }
}

/** The move that a step belongs to, in one of the states given. */
export async function arriving(
  run: Db | Tx,
  { moveId, clientId }: { moveId: string; clientId: number },
  states: MoveIn['state'][],
): Promise<MoveIn> {
  const move = await findMove(run, clientId, 'in')
  if (move?.id !== moveId || !states.includes(move.state))
    throw refuse('Client {clientId} is not on its way by this move', { clientId })
  return move
}

/** Rows of another client than the one that moves are refused. */
export function ofClient({ client }: TableShape, clientId: number, rows: string[]): string[] {
  const own = new RegExp(`"${client}": ?${clientId}[,}]`)
  if (!rows.every((row) => own.test(row)))
    throw refuse('A row of another client than {clientId}', { clientId })
  return rows
}

export function refuse(text: string, values: Reason['values'] = {}): Refusal {
  return new Refusal('conflict', reason(text, values))
}
