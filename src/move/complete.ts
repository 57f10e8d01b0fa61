import type { Db } from '../db/db.ts'
import { finishMove } from './freeze-store.ts'
import type { Peer } from './peer.ts'
import { openPeer } from './peer.ts'
import { readAuditCargo } from './people-store.ts'
import type { MoveOut } from './state-store.ts'
import { readDecided } from './state-store.ts'

interface CompletionParts {
  db: Db
  peer: Peer
  move: Pick<MoveOut, 'clientId' | 'id'>
}

/**
 * Completes a move that is decided: the other cell begins to work for the client, and this one
 * stops looking at it. Can be done twice, by whoever finds it undone.
 */
export async function completeMove({ db, peer, move }: CompletionParts): Promise<void> {
  const { clientId } = move
  const audit = await readAuditCargo(db, clientId)
  await peer.ask('activate', { clientId }, audit)
  await finishMove(db, move)
}

/**
 * Completes moves whose command ended between the decision and its end: the gateway itself tells
 * the other cell, so that the client does not wait for a person.
 */
export async function completeDecided(db: Db, cellToken: string | null): Promise<void> {
  if (cellToken === null) return
  for (const move of await readDecided(db)) {
    const peer = openPeer({ url: move.peerUrl, token: cellToken, moveId: move.id, triesMax: 1 })
    try {
      await completeMove({ db, peer, move })
    } finally {
      peer.close()
    }
  }
}
