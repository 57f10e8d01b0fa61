import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Registry } from '@prometheus-io/client'
import { Gauge } from '@prometheus-io/client'
import { after } from './kit/clock.ts'
import { startSweeper } from './kit/due.ts'
import { makeAnchor } from './ledger/anchor.ts'
import { countRecentBreaks } from './ledger/verify-store.ts'
import type { Engine } from './transactions/engine.ts'
import { startTransactionSweeper } from './transactions/sweep.ts'

interface WorkerParts {
  engine: Engine
  dataDir: string
  registry: Registry
}

const minuteMs = 60_000

/** What goes on beside requests: open transactions are followed up, and the ledger is watched. */
export function startWorker(parts: WorkerParts): { stop(): Promise<void> } {
  watchProviders(parts)
  const sweepers = [startTransactionSweeper(parts.engine), startLedgerWatch(parts)]
  return {
    stop: async () => {
      await Promise.all(sweepers.map((sweeper) => sweeper.stop()))
    },
  }
}

function watchProviders({ engine, registry }: WorkerParts): void {
  new Gauge({
    name: 'passerelle_provider_up',
    help: '1 while a provider takes orders, 0 while it is down or paused',
    labelNames: ['provider'],
    registers: [registry],
    collect() {
      for (const provider of engine.providers.all())
        this.set({ provider: provider.name }, provider.isAvailable() ? 1 : 0)
    },
  })
}

/** Once a minute the ledger's last minutes are checked and anchored. */
function startLedgerWatch(parts: WorkerParts) {
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
    clock: parts.engine.clock,
    log: parts.engine.log,
  })
}

async function watchLedger({ engine, dataDir }: WorkerParts, now: Date): Promise<number> {
  const { db, clock, log } = engine
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
