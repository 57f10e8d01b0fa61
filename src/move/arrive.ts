import { Refusal, reason } from '../catalog/refusal.ts'
import type { Db } from '../db/db.ts'
import { sqlStateOf } from '../db/errors.ts'
import { activate } from './activate.ts'
import type { ArrivalParts, Arrivals, Asked } from './arrival.ts'
import { arriving, asList, done, ofClient, openContext, refuse } from './arrival.ts'
import { findObstacles } from './arrival-store.ts'
import { prepare } from './prepare.ts'
import { resealRows } from './reseal.ts'
import { deleteRows, digestAtLength, writeRows } from './row-store.ts'
import { readSchemaVersion } from './shape-store.ts'
import type { MoveIn } from './state-store.ts'
import { findMove, insertMove } from './state-store.ts'
import { undoArrival } from './undo-store.ts'
import type { Done, Steps } from './wire.ts'

type Verbs = {
  [Name in keyof Steps]: (one: Asked<Name>) => Promise<Steps[Name]['answer']>
}

/** The cell that a client comes to: each verb can be done twice. */
export function openArrivals(parts: ArrivalParts): Verbs {
  const context = openContext(parts)
  const { db } = context
  return {
    hello: (one) => hello(context, one),
    begin: (one) => begin(context, one),
    rows: (one) => takeRows(context, one),
    deletions: async ({ moveId, asked: { clientId, table }, lines }) => {
      await arriving(db, { moveId, clientId }, ['arriving', 'ready'])
      const shape = await context.shapeOf(table)
      await db.transaction((tx) => deleteRows(tx, shape, asList(lines)))
      return done
    },
    digest: async ({ moveId, asked: { clientId, table, isAll }, lines }) => {
      await arriving(db, { moveId, clientId }, ['arriving', 'ready'])
      const keys = isAll ? null : asList(lines)
      return digestAtLength(db, await context.shapeOf(table), { clientId, keys })
    },
    prepare: (one) => prepare(context, one),
    activate: (one) => activate(context, one),
    undo: async ({ moveId, asked: { clientId } }) => {
      await undoArrival(db, { clientId, moveId })
      return done
    },
  }
}

async function hello(
  context: Arrivals,
  { moveId, asked: { clientId, name, schema, mode } }: Asked<'hello'>,
): Promise<Steps['hello']['answer']> {
  const { db, clock } = context
  const move = await findMove(db, clientId, 'in')
  if ((await readSchemaVersion(db)) !== schema)
    throw refuse('Both cells must have the same version of the schema')
  if (mode !== context.mode) throw refuse('This cell has MODE={mode}', { mode: context.mode })
  const isSame = move?.id === moveId
  if (!isSame) await refuseObstacles(db, { clientId, name }, move)
  return { state: isSame ? move.state : null, now: clock.now().toISOString() }
}

async function begin(
  { db, clock }: Arrivals,
  { moveId, asked: { clientId, peerUrl } }: Asked<'begin'>,
): Promise<Done> {
  const known = await findMove(db, clientId, 'in')
  if (known?.id === moveId && known.state !== 'undone') return done
  const move = { clientId, direction: 'in', id: moveId, state: 'arriving', peerUrl } as const
  if (!(await insertMove(db, { ...move, now: clock.now() })))
    throw refuse('Client {clientId} is on its way here by another move', { clientId })
  return done
}

const foreignKeyViolation = '23503'

async function takeRows(
  { db, shapeOf, resealing }: Arrivals,
  { moveId, asked: { clientId, table }, lines }: Asked<'rows'>,
): Promise<{ lacksParents: boolean }> {
  await arriving(db, { moveId, clientId }, ['arriving', 'ready'])
  const shape = await shapeOf(table)
  const rows = resealRows(shape.sealed, ofClient(shape, clientId, lines), resealing)
  try {
    await db.transaction((tx) => writeRows(tx, shape, asList(rows)))
    return { lacksParents: false }
  } catch (problem) {
    if (sqlStateOf(problem) === foreignKeyViolation) return { lacksParents: true }
    throw problem
  }
}

/** Refuses a client that cannot come because of what is here. */
async function refuseObstacles(
  db: Db,
  { clientId, name }: { clientId: number; name: string },
  move: MoveIn | undefined,
): Promise<void> {
  const found = await findObstacles(db, clientId, name)
  const isOnItsWay = move !== undefined && move.state !== 'undone'
  const obstacles: [boolean, string][] = [
    [isOnItsWay, 'Client {clientId} came or comes here by another move'],
    [found.hasMovedAway, 'Client {clientId} was here before: it cannot come back'],
    [found.isIdTaken && !isOnItsWay && !found.hasMovedAway, 'This cell has a client {clientId}'],
    [found.isNameTaken, 'This cell has another client named {name}'],
  ]
  const reasons = obstacles
    .filter(([isThere]) => isThere)
    .map(([, text]) => reason(text, { clientId, name }))
  if (reasons.length > 0) throw new Refusal('conflict', ...reasons)
}
