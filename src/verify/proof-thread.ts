/*
 * A thread that runs every check on connections of its own: neither its computing nor its
 * statements delay what the process does for requests.
 */
import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { Access } from '../db/db.ts'
import { openDb } from '../db/db.ts'
import { monotonicMs } from '../kit/clock.ts'
import type { Verdict } from './ledger.ts'
import { verifyAll } from './verify.ts'

/** What the thread tells: how far it is, and once what it came to. */
export type ThreadMessage = { done: number; total: number } | { verdict: Verdict }

// On Linux this is of the calling thread alone; elsewhere it would slow the whole process down.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW)

const tell = (message: ThreadMessage) => parentPort?.postMessage(message, [])
const tellMs = 200
// Two for the ledger's own check; the others take turns.
const connectionsMax = 4

const db = openDb({
  ...(workerData as Access),
  connectionsMax,
  planMode: 'custom',
  name: 'passerelle proof',
})
let toldMs = 0
const verdict = await verifyAll(db, [], (done, total) => {
  if (monotonicMs() - toldMs < tellMs) return
  toldMs = monotonicMs()
  tell({ done, total })
})
tell({ verdict })
await db.close()
