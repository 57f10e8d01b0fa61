import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Registry } from '@prometheus-io/client'
import { Gauge } from '@prometheus-io/client'
import type { Config } from '../config/config.ts'
import type { Db } from '../db/db.ts'
import type { Sweeper } from '../db/due.ts'
import { startSweeper } from '../db/due.ts'
import type { Domain } from '../domain.ts'
import { answersKeptMs } from '../http/idempotency.ts'
import { forgetOldKeys } from '../http/idempotency-store.ts'
import type { Clock } from '../kit/clock.ts'
import { after } from '../kit/clock.ts'
import { makeFolders } from '../kit/folders.ts'
import type { Log } from '../kit/log.ts'
import { makeAnchor } from '../ledger/anchor.ts'
import { startMailSweeper } from '../mail/queue.ts'
import { openSmtp } from '../mail/smtp.ts'
import { countUnsentMails } from '../mail/store.ts'
import type { Providers } from '../providers/open.ts'
import { countTroubles } from '../transactions/timeline-store.ts'
import { countRecentBreaks } from '../verify/ledger-store.ts'
import { countBacklog } from '../webhooks/operate-store.ts'

interface WorkerParts {
  domain: Pick<Domain, 'transactions' | 'links'>
  config: Config
  db: Db
  clock: Clock
  log: Log
  registry: Registry
}

const minuteMs = 60_000
const dayMs = 86_400_000

/** Starts the background work: sweepers of due rows, and the checks of each minute. */
export function startWorker(parts: WorkerParts): { stop(): Promise<void> } {
  const sweepers = [
    parts.domain.transactions.startSweeper(),
    parts.domain.links.startSweeper(),
    ...mailSweepers(parts),
    eachMinute(parts, 'ledger watch', ledgerWatch(parts)),
    eachMinute(parts, 'troubles', troubleWatch(parts)),
    eachMinute(parts, 'old answers', (now) => forgetOldAnswers(parts, now)),
  ]
  return {
    stop: async () => {
      await Promise.all(sweepers.map((sweeper) => sweeper.stop()))
    },
  }
}

/** None without a mail server: what waits goes on waiting. */
function mailSweepers({ db, clock, log, config }: WorkerParts): Sweeper[] {
  const { smtpUrl } = config
  if (smtpUrl !== null)
    return [startMailSweeper({ db, clock, log, smtp: openSmtp({ ...config, smtpUrl }) })]
  if (config.mode === 'live') log.warn('SMTP_URL is not set: mails are kept and not sent')
  return []
}

/** Shows which providers take orders from this process. */
export function watchProviders(providers: Providers, registry: Registry): void {
  new Gauge({
    name: 'passerelle_provider_up',
    help: '1 while a provider takes orders, 0 while it is down or paused',
    labelNames: ['provider'],
    registers: [registry],
    aggregator: 'min',
    collect() {
      for (const provider of providers.all())
        this.set({ provider: provider.name }, provider.isAvailable() ? 1 : 0)
    },
  })
}

function eachMinute(
  { clock, log }: WorkerParts,
  name: string,
  look: (now: Date) => Promise<void>,
): Sweeper {
  return startSweeper({
    name,
    claim: async (now) => [now],
    work: async ([now]) => {
      if (now !== undefined) await look(now)
    },
    // Claims one and never finds more waiting: a minute's rest after each look.
    batchMax: 2,
    idleMs: minuteMs,
    clock,
    log,
  })
}

// What is counted in the database: each process behind a port says the same, at its own minute.
const sameInAll = { aggregator: 'max' } as const

// What was dated before a look and committed after it is looked at by the next.
const lateMs = 15_000
// What was found broken is told again at every look for so long.
const alarmMs = 3_600_000

/** What was posted since the last look is checked, and the ledger anchored. */
function ledgerWatch(parts: WorkerParts): (now: Date) => Promise<void> {
  const breaks = new Gauge({
    name: 'passerelle_ledger_breaks',
    help: 'Postings that do not balance and accounts adrift from their entries; must be 0',
    registers: [parts.registry],
    ...sameInAll,
  })
  let since = after(parts.clock.now(), -2 * minuteMs)
  return async (now) => {
    const found = await watchLedger(parts, since)
    breaks.set(found)
    since = nextSince(since, now, found)
  }
}

/** From when on the next look has to look, after one that found so many breaks. */
export function nextSince(since: Date, now: Date, found: number): Date {
  if (found === 0) return after(now, -lateMs)
  const earliest = after(now, -alarmMs)
  return since < earliest ? earliest : since
}

/** What waits for a person is counted, for alarms. */
function troubleWatch({ db, registry }: WorkerParts): (now: Date) => Promise<void> {
  const registers = [registry]
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `passerelle_${name}`, help, registers, ...sameInAll })
  const parked = gauge('parked', 'Transactions whose outcome cannot be found out')
  const conflicts = gauge('conflicts', 'Facts that contradict what was decided')
  const suspense = gauge('suspense', 'Francs that nobody has explained yet')
  const pending = gauge('webhooks_pending', 'Deliveries that wait for a try')
  const exhausted = gauge('webhooks_exhausted', 'Deliveries given up in the last day')
  const mails = new Gauge({
    name: 'passerelle_mails',
    help: 'Mails that were not sent: kept, waiting for a try, given up',
    labelNames: ['state'],
    registers,
    ...sameInAll,
  })
  return async (now) => {
    const troubles = await countTroubles(db)
    const backlog = await countBacklog(db, after(now, -dayMs))
    pending.set(backlog.pending)
    exhausted.set(backlog.exhausted)
    for (const [state, count] of Object.entries(await countUnsentMails(db)))
      mails.set({ state }, count)
    parked.set(troubles.parked)
    conflicts.set(troubles.conflicts)
    suspense.set(troubles.suspense)
  }
}

const forgottenAtOnce = 5000

async function forgetOldAnswers({ db }: WorkerParts, now: Date): Promise<void> {
  const before = after(now, -answersKeptMs)
  while ((await forgetOldKeys(db, before, forgottenAtOnce)) === forgottenAtOnce);
}

async function watchLedger(parts: WorkerParts, since: Date): Promise<number> {
  const { db, clock, log, config } = parts
  const { unbalanced, adrift } = await countRecentBreaks(db, since)
  if (unbalanced + adrift > 0)
    log.fatal({ unbalanced, adrift }, 'the ledger is broken: run passerelle verify')
  const anchor = await makeAnchor(db, clock)
  if (anchor !== undefined) {
    const { number, hash, createdAt } = anchor
    await makeFolders(config.dataDir)
    await appendFile(
      join(config.dataDir, 'anchors.ndjson'),
      `${JSON.stringify({ number, hash, createdAt })}\n`,
    )
    log.info({ number, hash }, 'ledger anchor')
  }
  return unbalanced + adrift
}
