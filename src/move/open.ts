import type pg from 'pg'
import { Refusal } from '../catalog/refusal.ts'
import type { Mode } from '../config/config.ts'
import { recordAudit } from '../db/audit-log.ts'
import { withClient } from '../db/client.ts'
import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import { newId } from '../kit/ids.ts'
import { Problem } from '../kit/problem.ts'
import type { SecretKey } from '../sealing/seal.ts'
import { deleteAllChanges, watchClients } from './capture-store.ts'
import { completeMove } from './complete.ts'
import type { Moved, MoverParts } from './mover.ts'
import { moveClient } from './mover.ts'
import { lockMover } from './owner-store.ts'
import type { Peer } from './peer.ts'
import { openPeer } from './peer.ts'
import { readSchemaVersion, readShapes } from './shape-store.ts'
import type { MoveOut } from './state-store.ts'
import { changeState, findMove, insertMove, readWatched } from './state-store.ts'
import { transitKey } from './wire.ts'

interface MovesParts extends Pick<MoverParts, 'throwIfStopped' | 'report' | 'onStep' | 'leaseMs'> {
  db: Db
  clock: Clock
  secretKey: SecretKey
  cellToken: string | null
  mode: Mode
  /** The address of this cell. */
  publicUrl: string
}

interface Order {
  clientId: number
  name: string
  actor: string
}

/** Moves clients from this cell to others. */
export function openMoves(parts: MovesParts) {
  return {
    /** Begins a move and carries it out. */
    begin: (order: Order, to: string): Promise<Moved> =>
      alone(parts, order, async (owner) =>
        carryOn(parts, owner, await beginMove(parts, order, to), order),
      ),
    /** Carries on with a move whose command has ended. */
    resume: (order: Order): Promise<Moved> =>
      alone(parts, order, async (owner) => {
        const move = await underWay(parts, order)
        if (move.state === 'moved' && move.endedAt !== null)
          throw new Problem(`The client has moved to ${move.peerUrl} already.`)
        return carryOn(parts, owner, move, order)
      }),
    /** Gives a move up: the client works on here, and the other cell forgets it. */
    undo: (order: Order): Promise<void> =>
      alone(parts, order, (owner) => undoMove(parts, owner, order)),
    find: (clientId: number) => findMove(parts.db, clientId, 'out'),
  }
}

/** Runs work as the only one that moves this client, with the connection of the owner. */
function alone<T>(
  { db }: MovesParts,
  { clientId }: Order,
  work: (owner: pg.Client) => Promise<T>,
): Promise<T> {
  return withClient({ url: db.access.url, name: 'passerelle move' }, async (owner) => {
    if (!(await lockMover(owner, clientId)))
      throw new Problem('Another command moves this client right now.')
    return work(owner)
  })
}

async function beginMove(parts: MovesParts, order: Order, to: string): Promise<MoveOut> {
  const { db, clock, mode } = parts
  const { clientId, name } = order
  const known = await findMove(db, clientId, 'out')
  if (known !== undefined && known.state !== 'undone')
    throw new Refusal('conflict', sentenceOf(known))
  const arrival = await findMove(db, clientId, 'in')
  if (arrival !== undefined && arrival.state !== 'active')
    throw new Refusal('conflict', 'The client has not arrived here yet')
  const id = newId(clock.now())
  const schema = await readSchemaVersion(db)
  await withPeer(parts, { id, peerUrl: to }, (peer) =>
    peer.ask('hello', { clientId, name, schema, mode }),
  )
  const move = { clientId, direction: 'out', id, state: 'copying', peerUrl: to } as const
  await insertMove(db, { ...move, now: clock.now() })
  await audit(parts, order, 'client.move_begin', { to, move: id })
  return underWay(parts, order)
}

async function carryOn(
  parts: MovesParts,
  owner: pg.Client,
  move: MoveOut,
  order: Order,
): Promise<Moved> {
  const { db } = parts
  return withPeer(parts, move, async (peer) => {
    if (move.state === 'moved') {
      await completeMove({ db, peer, move })
      return { comparedRows: 0, frozenMs: 0 }
    }
    await peer.ask('begin', { clientId: move.clientId, peerUrl: parts.publicUrl })
    const keys = { secretKey: parts.secretKey, transitKey: transitKey(tokenOf(parts)) }
    const shapes = await readShapes(db)
    const moved = await moveClient({ ...parts, ...keys, owner, peer, shapes, move })
    await audit(parts, order, 'client.move', { to: move.peerUrl, move: move.id })
    return moved
  })
}

async function undoMove(parts: MovesParts, owner: pg.Client, order: Order): Promise<void> {
  const { db } = parts
  const { clientId } = order
  const move = await findMove(db, clientId, 'out')
  if (move === undefined) throw new Problem('No move of this client is under way.')
  const from = ['copying', 'draining', 'frozen', 'undone']
  if (!(await changeState(db, { clientId, id: move.id, from, to: 'undone' })))
    throw new Problem(
      `The client has moved to ${move.peerUrl}: that is not undone, but --resume completes it.`,
    )
  await watchClients(owner, await readShapes(db), await readWatched(db))
  await deleteAllChanges(db, clientId)
  await withPeer(parts, move, (peer) => peer.ask('undo', { clientId }))
  await audit(parts, order, 'client.move_undo', { to: move.peerUrl, move: move.id })
}

/** The move of a client that is under way, or decided and not completed. */
async function underWay({ db }: MovesParts, { clientId }: Order): Promise<MoveOut> {
  const move = await findMove(db, clientId, 'out')
  if (move === undefined || move.state === 'undone')
    throw new Problem('No move of this client is under way.')
  return move
}

function tokenOf({ cellToken }: MovesParts): string {
  if (cellToken === null)
    throw new Problem('CELL_TOKEN is not set: both cells need the same one to move a client.')
  return cellToken
}

async function withPeer<T>(
  parts: MovesParts,
  { id, peerUrl }: Pick<MoveOut, 'id' | 'peerUrl'>,
  work: (peer: Peer) => Promise<T>,
): Promise<T> {
  const peer = openPeer({ url: peerUrl, token: tokenOf(parts), moveId: id })
  try {
    return await work(peer)
  } finally {
    peer.close()
  }
}

async function audit(
  { db, clock }: MovesParts,
  { clientId, actor }: Order,
  action: string,
  details: Record<string, unknown>,
): Promise<void> {
  const record = { at: clock.now(), actor, action, clientId, details }
  await db.transaction((tx) => recordAudit(tx, record))
}

function sentenceOf({ state, peerUrl }: MoveOut): string {
  return state === 'moved'
    ? `The client has moved to ${peerUrl}`
    : `A move of the client to ${peerUrl} is under way: use --resume or --undo`
}
