import { Refusal, reason } from '../catalog/refusal.ts'
import type { Mode } from '../config/config.ts'
import { recordAudit } from '../db/audit-log.ts'
import type { Db, Tx } from '../db/db.ts'
import { json } from '../db/db.ts'
import { sqlStateOf } from '../db/errors.ts'
import type { Clock } from '../kit/clock.ts'
import type { SecretKey } from '../kit/seal.ts'
import { keysFor, seal, unseal } from '../kit/seal.ts'
import { raiseVersion } from '../limits/store.ts'
import { factorPurpose } from '../people/factor-safe.ts'
import { findObstacles, keepArrival, raiseSequences } from './arrival-store.ts'
import type { PeopleCargo } from './people-store.ts'
import { writeAudit, writePeople } from './people-store.ts'
import { resealRows } from './reseal.ts'
import { deleteAll, deleteRows, digestRows, writeRows } from './row-store.ts'
import type { TableShape } from './shape-store.ts'
import { readSchemaVersion, readShapes } from './shape-store.ts'
import type { MoveIn } from './state-store.ts'
import { changeState, findMove, insertMove } from './state-store.ts'
import { undoArrival } from './undo-store.ts'
import type { Preparation, Steps, TableCargo } from './wire.ts'
import { callbackKeyPurpose } from './wire.ts'

export interface ArrivalParts {
  db: Db
  clock: Clock
  secretKey: SecretKey
  mode: Mode
  /** What is sealed between the cells. */
  transitKey: SecretKey
}

/** What one step is asked to do, on which move. */
export interface Asked<Name extends keyof Steps> {
  moveId: string
  asked: Steps[Name]['asked']
  lines: string[]
}

type Verbs = {
  [Name in keyof Steps]: (one: Asked<Name>) => Promise<Steps[Name]['answer']>
}

const done = { isDone: true }
const asList = (lines: string[]) => `[${lines.join(',')}]`

/** The cell that a client comes to: each verb can be done twice. */
export function openArrivals(parts: ArrivalParts): Verbs {
  const { db, clock } = parts
  let shapes: Map<string, TableShape> | undefined
  const shapeOf = async (table: string): Promise<TableShape> => {
    shapes ??= await readShapes(db)
    const shape = shapes.get(table)
    if (shape === undefined) throw refuse('This cell knows no table {table}', { table })
    return shape
  }
  const resealing = { from: parts.transitKey, to: parts.secretKey }

  /** The move that a step belongs to, in one of the states given. */
  async function arriving(run: Db | Tx, moveId: string, clientId: number, states: string[]) {
    const move = await findMove(run, clientId, 'in')
    if (move?.id !== moveId || !states.includes(move.state))
      throw refuse('Client {clientId} is not on its way by this move', { clientId })
    return move
  }

  return {
    hello: async ({ moveId, asked: { clientId, name, schema, mode } }) => {
      const move = await findMove(db, clientId, 'in')
      const isSame = move?.id === moveId
      if ((await readSchemaVersion(db)) !== schema)
        throw refuse('Both cells must have the same version of the schema')
      if (mode !== parts.mode) throw refuse('This cell has MODE={mode}', { mode: parts.mode })
      if (!isSame) await refuseObstacles(db, { clientId, name }, move)
      return { state: isSame ? move.state : null, now: clock.now().toISOString() }
    },
    begin: async ({ moveId, asked: { clientId, peerUrl } }) => {
      const known = await findMove(db, clientId, 'in')
      if (known?.id === moveId && known.state !== 'undone') return done
      const move = { clientId, direction: 'in', id: moveId, state: 'arriving', peerUrl } as const
      if (!(await insertMove(db, { ...move, now: clock.now() })))
        throw refuse('Client {clientId} is on its way here by another move', { clientId })
      return done
    },
    rows: async ({ moveId, asked: { clientId, table }, lines }) => {
      await arriving(db, moveId, clientId, ['arriving', 'ready'])
      const shape = await shapeOf(table)
      const rows = resealRows(shape.sealed, ofClient(shape, clientId, lines), resealing)
      try {
        await db.transaction((tx) => writeRows(tx, shape, asList(rows)))
        return { lacksParents: false }
      } catch (problem) {
        if (sqlStateOf(problem) === '23503') return { lacksParents: true }
        throw problem
      }
    },
    deletions: async ({ moveId, asked: { clientId, table }, lines }) => {
      await arriving(db, moveId, clientId, ['arriving', 'ready'])
      const shape = await shapeOf(table)
      await db.transaction((tx) => deleteRows(tx, shape, asList(lines)))
      return done
    },
    digest: async ({ moveId, asked: { clientId, table, isAll }, lines }) => {
      await arriving(db, moveId, clientId, ['arriving', 'ready'])
      const keys = isAll ? null : asList(lines)
      return digestLong(db, await shapeOf(table), { clientId, keys })
    },
    prepare: async ({ moveId, asked, lines }) => {
      await raiseSequences(db, asked)
      const cargo = lines.map((line) => JSON.parse(line) as TableCargo)
      const known = await Promise.all(
        cargo.filter(({ table }) => !(table in emptyPeople)).map(({ table }) => shapeOf(table)),
      )
      await db.transaction(async (tx) => {
        await arriving(tx, moveId, asked.clientId, ['arriving', 'ready'])
        for (const shape of known)
          await writeTable(tx, shape, { clientId: asked.clientId, rows: rowsOf(shape, cargo) })
        const added = await writePeople(tx, asked.clientId, peopleIn(cargo, resealing))
        await raiseVersion(tx)
        await keepArrival(tx, {
          clientId: asked.clientId,
          cutAt: new Date(asked.cutAt),
          sealedCallbackKey: resealCallbackKey(asked),
          added: json(added),
        })
      })
      return done

      function rowsOf(shape: TableShape, all: TableCargo[]): string[] {
        const rows = all.find(({ table }) => table === shape.name)?.rows ?? []
        return resealRows(shape.sealed, ofClient(shape, asked.clientId, rows), resealing)
      }
    },
    activate: async ({ moveId, asked: { clientId }, lines }) => {
      await db.transaction(async (tx) => {
        const move = await arriving(tx, moveId, clientId, ['ready', 'active'])
        if (move.state === 'active') return
        const change = { clientId, id: moveId, from: ['ready'], to: 'active' }
        if (!(await changeState(tx, change))) return
        await writeAudit(tx, { clientId, from: move.peerUrl, rows: lines })
        const details = { from: move.peerUrl, move: moveId }
        const record = { at: clock.now(), actor: 'gateway', action: 'client.arrive', clientId }
        await recordAudit(tx, { ...record, details })
      })
      return done
    },
    undo: async ({ moveId, asked: { clientId } }) => {
      await undoArrival(db, { clientId, moveId })
      return done
    },
  }

  function resealCallbackKey({ clientId, callbackKey }: Preparation): Buffer {
    const [from, to] = [resealing.from, resealing.to].map((one) =>
      keysFor(one, callbackKeyPurpose),
    ) as [ReturnType<typeof keysFor>, ReturnType<typeof keysFor>]
    const context = String(clientId)
    return seal(to, unseal(from, Buffer.from(callbackKey, 'base64'), context), context)
  }
}

/** A digest of millions of rows may take more than the usual minute. */
function digestLong(db: Db, shape: TableShape, of: { clientId: number; keys: string | null }) {
  return db.transaction(async (tx) => {
    await tx`select set_config('statement_timeout', '0', true)`
    return digestRows(tx, shape, of)
  })
}

/** Rows of another client than the one that moves are refused. */
function ofClient({ client }: TableShape, clientId: number, rows: string[]): string[] {
  const own = new RegExp(`"${client}": ?${clientId}[,}]`)
  if (!rows.every((row) => own.test(row)))
    throw refuse('A row of another client than {clientId}', { clientId })
  return rows
}

/** Writes a table that is copied as a whole; a try before this one may have left rows. */
async function writeTable(
  tx: Tx,
  shape: TableShape,
  { clientId, rows }: { clientId: number; rows: string[] },
): Promise<void> {
  if (shape.isDeletable) await deleteAll(tx, shape, clientId)
  await writeRows(tx, shape, asList(rows))
}

const emptyPeople: PeopleCargo = {
  people: [],
  factors: [],
  passkeys: [],
  memberships: [],
  views: [],
}

/** The people of a preparation, with their second factors sealed for this cell. */
function peopleIn(cargo: TableCargo[], resealing: Parameters<typeof resealRows>[2]): PeopleCargo {
  const named = Object.fromEntries(
    cargo.filter(({ table }) => table in emptyPeople).map(({ table, rows }) => [table, rows]),
  )
  const people = { ...emptyPeople, ...named }
  return { ...people, factors: resealRows(sealedFactor, people.factors, resealing) }
}

/** The secret of an authenticator app. */
export const sealedFactor = {
  column: 'secret',
  purpose: factorPurpose,
  context: (row: Record<string, unknown>) => String(row.person_id),
}

/** Refuses a client that cannot come because of what is here. */
async function refuseObstacles(
  db: Db,
  { clientId, name }: { clientId: number; name: string },
  move: MoveIn | undefined,
): Promise<void> {
  const found = await findObstacles(db, clientId, name)
  const reasons = [
    ...(move !== undefined && move.state !== 'undone'
      ? [reason('Client {clientId} came or comes here by another move', { clientId })]
      : []),
    ...(found.hasMovedAway
      ? [reason('Client {clientId} was here before: it cannot come back', { clientId })]
      : []),
    ...(found.isIdTaken ? [reason('This cell has another client {clientId}', { clientId })] : []),
    ...(found.isNameTaken ? [reason('This cell has another client named {name}', { name })] : []),
  ]
  if (reasons.length > 0) throw new Refusal('conflict', ...reasons)
}

function refuse(text: string, values: Record<string, string | number> = {}): Refusal {
  return new Refusal('conflict', reason(text, values))
}
