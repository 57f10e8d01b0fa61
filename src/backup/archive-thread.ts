/*
 * A thread that keeps the archive: neither compressing and encrypting nor checking delays what the
 * process does for requests.
 */
import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { Access } from '../db/db.ts'
import { openDb } from '../db/db.ts'
import { systemClock as clock } from '../kit/clock.ts'
import { openLog } from '../log/log.ts'
import type { ArchiverOrder } from './archiver.ts'
import { runArchiver } from './archiver.ts'

/** What the thread is given. */
export interface ThreadOrder
  extends Omit<ArchiverOrder, 'db' | 'clock' | 'log' | 'signal' | 'key'> {
  key: Uint8Array
  access: Access
  logLevel: string
}

// On Linux this is of the calling thread alone; elsewhere it would slow the whole process down.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)

const { access, logLevel, key, ...order } = workerData as ThreadOrder
const db = openDb({ ...access, connectionsMax: 1, name: 'passerelle archive' })
const stopping = new AbortController()
// The only message is that it should stop.
parentPort?.once('message', () => stopping.abort())
const parts = { db, clock, log: openLog(logLevel), signal: stopping.signal }
await runArchiver({ ...order, ...parts, key: Buffer.from(key) })
await db.close()
