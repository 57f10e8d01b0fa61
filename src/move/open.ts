import type pg from 'pg'
import { Refusal } from '../catalog/refusal.ts'
import type { Mode } from '../config/config.ts'
import { recordAudit } from '../db/audit-log.ts'
import { withClient } from '../db/client.ts'
import type { Db } from '../db/db.ts'
import type { Clock } from '../kit/clock.ts'
import { newId } from '../kit/ids.ts'
import { Problem } from '../kit/problem.ts'
import type { SecretKey } from '../kit/seal.ts'
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
  const { db, clock } = parts

  function tokenOf(): string {
    if (parts.cellToken === null)
      throw new Problem('CELL_TOKEN is not set: both cells need the same one to move a client.')
    return parts.cellToken
  }

  /** Runs work as the only one that moves this client, with the connection of the owner. */
  function alone<T>(clientId: number, work: (owner: pg.Client) => Promise<T>): Promise<T> {
    return withClient({ url: db.access.url, name: 'passerelle move' }, async (owner) => {
      if (!(await lockMover(owner, clientId)))
        throw new Problem('Another command moves this client right now.')
      return work(owner)
    })
  }

  async function withPeer<T>(move: MoveOut, work: (peer: Peer) => Promise<T>): Promise<T> {
    const peer = openPeer({ url: move.peerUrl, token: tokenOf(), moveId: move.id })
    try {
      return await work(peer)
    } finally {
      peer.close()
    }
  }

  async function carryOn(owner: pg.Client, move: MoveOut, order: Order): Promise<Moved> {
    return withPeer(move, async (peer) => {
      const { clientId } = move
      if (move.state === 'moved') {
        await completeMove({ db, peer, move })
        return { comparedRows: 0, frozenMs: 0 }
      }
      await peer.ask('begin', { clientId, peerUrl: parts.publicUrl })
      const shapes = await readShapes(db)
      const keys = { secretKey: parts.secretKey, transitKey: transitKey(tokenOf()) }
      const moved = await moveClient({ ...parts, ...keys, owner, peer, shapes, move })
      await audit(order, 'client.move', { to: move.peerUrl, move: move.id })
      return moved
    })
  }

  async function audit({ clientId, actor }: Order, action: string, details: object) {
    const record = { at: clock.now(), actor, action, clientId, details: { ...details } }
    await db.transaction((tx) => recordAudit(tx, record))
  }

  /** The move of a client that is under way, or decided and not completed. */
  async function underWay(clientId: number): Promise<MoveOut> {
    const move = await findMove(db, clientId, 'out')
    if (move === undefined || move.state === 'undone')
      throw new Problem('No move of this client is under way.')
    return move
  }

  return {
    /** Begins a move and carries it out. */
    begin: (order: Order, to: string): Promise<Moved> =>
      alone(order.clientId, async (owner) => {
        const { clientId, name } = order
        const known = await findMove(db, clientId, 'out')
        if (known !== undefined && known.state !== 'undone')
          throw new Refusal('conflict', sentenceOf(known))
        const arrival = await findMove(db, clientId, 'in')
        if (arrival !== undefined && arrival.state !== 'active')
          throw new Refusal('conflict', 'The client has not arrived here yet')
        const id = newId(clock.now())
        const peer = openPeer({ url: to, token: tokenOf(), moveId: id })
        try {
          const schema = await readSchemaVersion(db)
          await peer.ask('hello', { clientId, name, schema, mode: parts.mode })
        } finally {
          peer.close()
        }
        const move = { clientId, direction: 'out', id, state: 'copying', peerUrl: to } as const
        await insertMove(db, { ...move, now: clock.now() })
        await audit(order, 'client.move_begin', { to, move: id })
        return carryOn(owner, await underWay(clientId), order)
      }),
    /** Carries on with a move whose command has ended. */
    resume: (order: Order): Promise<Moved> =>
      alone(order.clientId, async (owner) => {
        const move = await underWay(order.clientId)
        if (move.state === 'moved' && move.endedAt !== null)
          throw new Problem(`The client has moved to ${move.peerUrl} already.`)
        return carryOn(owner, move, order)
      }),
    /** Gives a move up: the client works on here, and the other cell forgets it. */
    undo: (order: Order): Promise<void> =>
      alone(order.clientId, async (owner) => {
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
        await withPeer(move, (peer) => peer.ask('undo', { clientId }))
        await audit(order, 'client.move_undo', { to: move.peerUrl, move: move.id })
      }),
    find: (clientId: number) => findMove(db, clientId, 'out'),
  }
}

function sentenceOf({ state, peerUrl }: MoveOut): string {
  return state === 'moved'
    ? `The client has moved to ${peerUrl}`
    : `A move of the client to ${peerUrl} is under way: use --resume or --undo`
}
