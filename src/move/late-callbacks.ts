import type { IncomingHttpHeaders } from 'node:http'
import type { Db } from '../db/db.ts'
import { clientMoving, sqlStateOf } from '../db/errors.ts'
import { openOriginPools } from '../net/pool.ts'
import { sendRequest } from '../net/request.ts'
import type { SecretKey } from '../sealing/seal.ts'
import { keysFor, unseal } from '../sealing/seal.ts'
import type { Subject } from '../transactions/callback-address.ts'
import { isGenuineUnder } from '../transactions/callback-address.ts'
import { findCallbackKey } from './arrival-store.ts'
import { findMove } from './state-store.ts'
import { callbackKeyPurpose } from './wire.ts'

/** A callback as it came, to be sent on. */
export interface LateCallback {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
}

const deadlineMs = 10_000
// Our client writes these itself.
const unsent = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'expect'])

/** Callbacks that providers send to the cell that a client has left, or to its old addresses. */
export function openLateCallbacks({ db, secretKey }: { db: Db; secretKey: SecretKey }) {
  const keys = keysFor(secretKey, callbackKeyPurpose)
  const pools = openOriginPools({ connectionsMax: 4, idleMs: 5000 })
  return {
    /** Whether an address was made by the cell that its client came from. */
    isOfOldCell: async (subject: Subject, code: string): Promise<boolean> => {
      const sealed = await findCallbackKey(db, subject.clientId)
      if (sealed === undefined) return false
      const key = Buffer.from(unseal(keys, sealed, String(subject.clientId)), 'base64')
      return isGenuineUnder(key, subject, code)
    },
    /**
     * Sends a callback on to the cell where its client is now, after it could not be recorded for
     * a reason; true: that cell has taken it. Otherwise the provider must repeat it.
     */
    sendOn: async (problem: unknown, clientId: number, late: LateCallback): Promise<boolean> => {
      if (sqlStateOf(problem) !== clientMoving) return false
      const move = await findMove(db, clientId, 'out')
      const body = late.body.toString('utf8')
      if (move?.state !== 'moved' || !Buffer.from(body).equals(late.body)) return false
      const { origin, pathname } = new URL(move.peerUrl)
      const headers = Object.entries(late.headers).flatMap(([name, value]) =>
        typeof value !== 'string' || unsent.has(name) ? [] : [[name, value]],
      )
      const result = await sendRequest(pools.poolOf(origin), {
        method: late.method === 'PUT' ? 'PUT' : 'POST',
        path: pathname.replace(/\/+$/, '') + late.path,
        headers: Object.fromEntries(headers),
        body,
        deadlineMs,
        bodyBytesMax: 100_000,
        whenTooLong: 'truncate',
      })
      return result.kind === 'answered' && result.status < 300
    },
    close: () => pools.close(),
  }
}
