import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Gauge, type Registry } from '@prometheus-io/client'
import { countBacklog } from '#backoffice/webhooks/operate-store.ts'
import type { Config } from '#base/config/config.ts'
import { after } from '#base/kit/clock.ts'
import { makeFolders } from '#base/kit/folders.ts'
import type { Log } from '#base/log/log.ts'
import { closeAuditChain } from '#data/db/audit-chain.ts'
import type { DbParts } from '#data/db/db.ts'
import { type Sweeper, startSweeper } from '#data/db/due.ts'
import type { Domain } from '#domain.ts'
import { answersKeptMs } from '#edge/idempotency/claims.ts'
import { forgetOldKeys } from '#edge/idempotency/store.ts'
import { emptyNextSlot } from '#edge/requests/store.ts'
import { services } from '#merchants/catalog/services.ts'
import { startMailSweeper } from '#merchants/mail/queue.ts'
import { countUnsentMails } from '#merchants/mail/store.ts'
import { stateOf } from '#money/float/state.ts'
import { readFloats } from '#money/float/store.ts'
import { makeAnchor } from '#money/ledger/anchor.ts'
import { nameOf } from '#money/providers/bindings.ts'
import { type OpenOrders, readOpenOrders } from '#money/transactions/provider-figures-store.ts'
import { countTroubles } from '#money/transactions/timeline-store.ts'
import { countRecentBreaks } from '#operations/verify/ledger-store.ts'
import { backupGauges } from './backup-metrics.ts'
import { figuresAge } from './figures-age.ts'
import { countedGauge, secondsSince } from './gauges.ts'
import { healthFigures } from './health-figures.ts'
import { retentionFigures } from './retention-figures.ts'

interface WorkerParts extends DbParts {
  domain: Pick<
    Domain,
    | 'transactions'
    | 'links'
    | 'batches'
    | 'approvals'
    | 'reports'
    | 'people'
    | 'recon'
    | 'limits'
    | 'floats'
    | 'providers'
    | 'retention'
  >
  config: Config
  log: Log
  registry: Registry
}

const minuteMs = 60_000
const dayMs = 86_400_000

/** Starts the background work: sweepers of due rows, and checks that run once a minute. */
export async function startWorker(parts: WorkerParts): Promise<{ stop(): Promise<void> }> {
  const { db, clock, registry, config } = parts
  const { mode } = config
  const hasSmtp = config.smtpUrl !== null
  const { providers } = parts.domain
  const ofMails = await mailSweepers(parts)
  const counted = figuresAge(clock, registry)
  const sweepers = [
    parts.domain.transactions.startSweeper(),
    parts.domain.links.startSweeper(),
    parts.domain.batches.startSweeper(),
    parts.domain.reports.startSummaries(),
    parts.domain.recon.startFileSweeper(),
    parts.domain.recon.startSweeper(),
    parts.domain.retention.startSweeper(),
    ...ofMails,
    runEvery(parts, 1000, 'audit chain', async () => void (await closeAuditChain(parts.db))),
    runEachMinute(parts, 'ledger watch', counted(ledgerCheck(parts))),
    runEachMinute(parts, 'troubles', counted(troubleCount(parts))),
    runEachMinute(
      parts,
      'health figures',
      counted(healthFigures({ db, mode, hasSmtp, providers }, registry)),
    ),
    runEachMinute(parts, 'retention figures', counted(retentionFigures(parts))),
    runEachMinute(parts, 'old requests', async (now) => void (await emptyNextSlot(parts.db, now))),
    runEachMinute(
      parts,
      'approvals',
      async (now) => void (await parts.domain.approvals.expire(now)),
    ),
    runEachMinute(parts, 'old answers', (now) => deleteOldAnswers(parts, now)),
    runEachMinute(parts, 'old counts', parts.domain.limits.sweep),
    runEachMinute(parts, 'floats', counted(floatSamples(parts))),
    runEachMinute(parts, 'backup', counted(backupGauges(db, registry))),
    runEachMinute(parts, 'old sessions', parts.domain.people.sweep),
  ]
  return {
    stop: async () => {
      await Promise.all(sweepers.map((sweeper) => sweeper.stop()))
    },
  }
}

/** The sweeper of mails; none without a mail server, and then mails stay in the queue. */
async function mailSweepers({ db, clock, log, config }: WorkerParts): Promise<Sweeper[]> {
  const { smtpUrl } = config
  if (smtpUrl !== null) {
    // Imported here: loading it takes a tenth of a second.
    const { openSmtp } = await import('#merchants/mail/smtp.ts')
    return [startMailSweeper({ db, clock, log, smtp: openSmtp({ ...config, smtpUrl }) })]
  }
  if (config.mode === 'live') log.warn('SMTP_URL is not set: emails are kept, not sent')
  return []
}

function runEachMinute(
  parts: WorkerParts,
  name: string,
  task: (now: Date) => Promise<void>,
): Sweeper {
  return runEvery(parts, minuteMs, name, task)
}

function runEvery(
  { clock, log }: WorkerParts,
  idleMs: number,
  name: string,
  task: (now: Date) => Promise<void>,
): Sweeper {
  return startSweeper({
    name,
    claim: async (now) => [now],
    work: async ([now]) => {
      if (now !== undefined) await task(now)
    },
    // A claim returns one item, less than a full batch: the sweeper then waits for `idleMs`.
    batchMax: 2,
    idleMs,
    clock,
    log,
  })
}

// A posting may be committed this long after its date, and so after the check of that time.
// One of its statements may wait for a minute (`statement_timeout`).
const lateCommitMs = 75_000
// A break is reported by every check for this long.
const alarmMs = 3_600_000

/** Checks the postings since the last check, and anchors the ledger. */
function ledgerCheck(parts: WorkerParts): (now: Date) => Promise<void> {
  const show = countedGauge(
    parts.registry,
    'ledger_breaks',
    'Postings that do not balance and accounts adrift from their entries; must be 0',
  )
  let since = after(parts.clock.now(), -2 * minuteMs)
  return async (now) => {
    const breakCount = await countBreaksAndAnchor(parts, since)
    show(breakCount)
    since = nextSince(since, now, breakCount)
  }
}

/** The time from which the next check reads, after one that found this many breaks. */
export function nextSince(since: Date, now: Date, breakCount: number): Date {
  if (breakCount === 0) return after(now, -lateCommitMs)
  const earliest = after(now, -alarmMs)
  return since < earliest ? earliest : since
}

/** Counts what needs a person or waits for a retry, for alarms. */
function troubleCount({ db, registry }: WorkerParts): (now: Date) => Promise<void> {
  const gauge = (name: string, help: string) => countedGauge(registry, name, help)
  const parked = gauge('parked', 'Transactions whose outcome cannot be found out')
  const conflicts = gauge(
    'conflicts',
    'Facts that contradict what was decided, and that no operator has closed',
  )
  const suspense = gauge('suspense', 'Francs that nobody has explained yet')
  const openOrders = openOrderGauges(registry)
  const pending = gauge('webhooks_pending', 'Deliveries that wait for an attempt')
  const oldest = gauge('webhooks_oldest_pending_seconds', 'Age of the oldest such delivery')
  const exhausted = gauge('webhooks_exhausted', 'Deliveries given up in the last day')
  const mails = new Gauge({
    name: 'passerelle_mails',
    help: 'Emails that were not sent: kept, waiting for an attempt, given up',
    labelNames: ['state'],
    registers: [registry],
  })
  return async (now) => {
    const troubles = await countTroubles(db)
    const backlog = await countBacklog(db, after(now, -dayMs))
    pending(backlog.pending)
    oldest(secondsSince(backlog.oldestAt, now))
    exhausted(backlog.exhausted)
    openOrders(await readOpenOrders(db), now)
    for (const [state, count] of Object.entries(await countUnsentMails(db)))
      mails.set({ state }, count)
    parked(troubles.parked)
    conflicts(troubles.conflicts)
    suspense(troubles.suspense)
  }
}

/** Asks what providers hold for us, and shows it. */
function floatSamples({ db, domain, registry }: WorkerParts): (now: Date) => Promise<void> {
  const common = { labelNames: ['provider'], registers: [registry] }
  const balance = new Gauge({
    name: 'passerelle_float',
    help: 'Francs that a provider holds for us',
    ...common,
  })
  const low = new Gauge({
    name: 'passerelle_float_low',
    help: '2 while a float is below its alarm or a payout was declined for it, 1 below its warning',
    ...common,
  })
  const age = new Gauge({
    name: 'passerelle_float_age_seconds',
    help: 'Age of what is known of a float',
    ...common,
  })
  const untold = new Gauge({
    name: 'passerelle_float_untold',
    help: '1 while a provider does not tell its balance',
    ...common,
  })
  return async (now) => {
    await domain.floats.sample(now)
    for (const float of await readFloats(db)) {
      // One that was taken out of the configuration is asked no more.
      if (domain.providers.all().every(({ name }) => name !== nameOf(float))) continue
      const provider = nameOf(float)
      const state = stateOf(float, now)
      if (float.balance !== null) balance.set({ provider }, float.balance)
      low.set({ provider }, state === 'alarm' ? 2 : state === 'warning' ? 1 : 0)
      untold.set({ provider }, float.problem === null && float.knownAt !== null ? 0 : 1)
      if (float.knownAt !== null) age.set({ provider }, secondsSince(float.knownAt, now))
    }
  }
}

/** Gauges of the orders that have not ended: how many there are, and the age of the oldest. */
function openOrderGauges(registry: Registry): (orders: OpenOrders[], now: Date) => void {
  const labelNames = ['provider']
  const common = { labelNames, registers: [registry] }
  const open = new Gauge({
    name: 'passerelle_open_orders',
    help: 'Orders that have not ended',
    ...common,
  })
  const oldest = new Gauge({
    name: 'passerelle_oldest_open_order_seconds',
    help: 'Age of the oldest order that has not ended, 0 without one',
    ...common,
  })
  return (orders, now) => {
    const known = new Map(orders.map((one) => [nameOf(one), one]))
    for (const provider of new Set(services.map(nameOf))) {
      open.set({ provider }, known.get(provider)?.open ?? 0)
      oldest.set({ provider }, secondsSince(known.get(provider)?.oldestAt ?? null, now))
    }
  }
}

const deletedAtOnce = 5000

async function deleteOldAnswers({ db }: WorkerParts, now: Date): Promise<void> {
  const before = after(now, -answersKeptMs)
  while ((await forgetOldKeys(db, before, deletedAtOnce)) === deletedAtOnce);
}

async function countBreaksAndAnchor(parts: WorkerParts, since: Date): Promise<number> {
  const { db, clock, log, config } = parts
  const { unbalanced, adrift } = await countRecentBreaks(db, since)
  if (unbalanced + adrift > 0)
    log.fatal({ unbalanced, adrift }, 'the ledger is broken: run passerelle verify')
  const anchor = await makeAnchor({ db, clock })
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
