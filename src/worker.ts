import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Registry } from '@prometheus-io/client'
import { Gauge } from '@prometheus-io/client'
import type { Clock } from './kit/clock.ts'
import { after } from './kit/clock.ts'
import type { Db } from './kit/db.ts'
import { startSweeper } from './kit/due.ts'
import type { Log } from './kit/log.ts'
import { makeAnchor } from './ledger/anchor.ts'
import { countRecentBreaks } from './ledger/verify-store.ts'

interface WorkerParts {
  db: Db
  clock: Clock
  log: Log
  dataDir: string
  registry: Registry
}

const minuteMs = 60_000

/**
 * What goes on beside requests: once a minute the ledger's last minutes are checked and anchored.
 */
export function startWorker(parts: WorkerParts): { stop(): Promise<void> } {
  const breaks = new Gauge({
    name: 'passerelle_ledger_breaks',
    help: 'Postings that do not balance and accounts adrift from their entries; must be 0',
    registers: [parts.registry],
  })
  return startSweeper({
    name: 'ledger watch',
    claim: async (now) => [now],
    work: async ([now]) => {
      if (now !== undefined) breaks.set(await watchLedger(parts, now))
    },
    // Claims one and never finds more waiting: a minute's rest after each look.
    batchMax: 2,
    idleMs: minuteMs,
    clock: parts.clock,
    log: parts.log,
  })
}

async function watchLedger({ db, clock, log, dataDir }: WorkerParts, now: Date): Promise<number> {
  // Twice the rest, so that what was committed late is still looked at.
  const { unbalanced, adrift } = await countRecentBreaks(db, after(now, -2 * minuteMs))
  if (unbalanced + adrift > 0)
    log.fatal({ unbalanced, adrift }, 'the ledger is broken: run passerelle verify')
  const anchor = await makeAnchor(db, clock)
  if (anchor !== undefined) {
    const { number, hash, createdAt } = anchor
    await mkdir(dataDir, { recursive: true })
    await appendFile(
      join(dataDir, 'anchors.ndjson'),
      `${JSON.stringify({ number, hash, createdAt })}\n`,
    )
    log.info({ number, hash }, 'ledger anchor')
  }
  return unbalanced + adrift
}
