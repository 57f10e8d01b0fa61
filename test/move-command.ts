import { openDb } from '../src/db/db.ts'
import { systemClock } from '../src/kit/clock.ts'
import { openMoves } from '../src/move/open.ts'
import type { KilledMove } from './cells.ts'

// A program that moves a client and stops at a step, where a test kills it (cells.ts).
const order = JSON.parse(process.argv[2] ?? '') as KilledMove
const { clientId, name } = order
const moves = openMoves({
  db: openDb({ url: order.databaseUrl, role: 'passerelle_app', planMode: 'custom' }),
  clock: systemClock,
  secretKey: Buffer.from(order.sealing, 'base64'),
  cellToken: 'a-token-of-both-cells-for-the-tests-0001',
  mode: 'sandbox',
  publicUrl: order.publicUrl,
  leaseMs: 1500,
  throwIfStopped: () => {},
  report: () => {},
  onStep: async (step) => {
    if (step !== order.stopAt) return
    await new Promise((resolve) => process.stdout.write(step, resolve))
    // Nothing of this process goes on, not even the renewal of its lease.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  },
})
const asked = { clientId, name, actor: 'test' }
await (order.isResumed ? moves.resume(asked) : moves.begin(asked, order.to))
