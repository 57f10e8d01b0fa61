import type { Mode } from '#base/config/config.ts'
import { isOver } from '#merchants/catalog/maintenance.ts'
import type { Closure } from '#merchants/catalog/store.ts'
import type { Troubles } from '#money/transactions/timeline-store.ts'
import type { ArchiveState } from '#operations/drill/store.ts'
import type { Proof } from '#operations/verify/proof-store.ts'
import type { ProviderStates } from './provider-states.ts'
import type { MerchantBacklog, Queues, StaleStatement } from './queues-store.ts'

/** `watch`: somebody should know. `act`: somebody should do something now. */
export type Level = 'good' | 'watch' | 'act'

/** What is checked of the gateway itself. */
export type CheckName =
  | 'maintenance'
  | 'processes'
  | 'orders-due'
  | 'webhooks-due'
  | 'mails-due'
  | 'mail-server'
  | 'mails-failed'
  | 'parked'
  | 'conflicts'
  | 'suspense'
  | 'approvals'
  | 'approvers'
  | 'proof'
  | 'statements'
  | 'backup'

export interface Check {
  name: CheckName
  level: Level
  /** How many, or how many francs. */
  value: number
  /** Since when the oldest of them waits. */
  since: Date | null
}

/** What was read of the gateway at one moment. */
export interface Readings {
  now: Date
  /** What is closed for maintenance. */
  closures: Closure[]
  providers: ProviderStates['providers']
  processes: ProviderStates['processes']
  queues: Queues
  mails: Record<string, number>
  hasSmtp: boolean
  troubles: Troubles
  approvals: number
  /** How many people may approve; null: no amount needs a second one. */
  approvers: number | null
  /** The last proof of all that is stored; undefined: there was none. */
  proof: Pick<Proof, 'endedAt' | 'breaks'> | undefined
  backup: Omit<ArchiveState, 'lastFile' | 'segmentBytes' | 'major'>
  mode: Mode
  /** Providers with payments of days ago that no statement tells of, the oldest first. */
  statements: StaleStatement[]
  merchants: (MerchantBacklog & { level: Level })[]
}

export type ProviderState = Readings['providers'][number]

const minuteMs = 60_000
/** How late something may be; the alerts (deploy/prometheus) say the same. */
export const thresholds = {
  // Sweepers look every half second, and a whole batch of orders takes some seconds.
  behind: { watchMs: 30_000, actMs: 2 * minuteMs },
  // An order without a callback is asked about within minutes.
  openOrder: { watchMs: 15 * minuteMs, actMs: 60 * minuteMs },
  // Every night, and one of them may be missed.
  proofValidMs: 48 * 60 * minuteMs,
  // A file of the log is handed over within a minute (archive_timeout).
  archive: { watchMs: 5 * minuteMs, actMs: 30 * minuteMs },
  // A backup, full or of what has changed, and a drill, each every day: one may be missed.
  backupValidMs: 50 * 60 * minuteMs,
  drillValidMs: 48 * 60 * minuteMs,
  // The part of the payments that end well. A rate of few says nothing.
  success: { watch: 0.95, act: 0.8 },
  judgedMin: 20,
}
const {
  behind,
  openOrder,
  archive,
  success,
  judgedMin,
  proofValidMs,
  backupValidMs,
  drillValidMs,
} = thresholds

/** What is to be said of the gateway itself, in the order of a screen. */
export function judgeGateway(readings: Readings): Check[] {
  const { processes, queues, mails, troubles, approvals } = readings
  const canServe = processes.some(({ role }) => role !== 'worker')
  const canSweep = processes.some(({ role }) => role !== 'api')
  const late = (name: CheckName, dueAt: Date | null): Check => {
    const ms = dueAt === null ? 0 : readings.now.getTime() - dueAt.getTime()
    const level = levelOf(ms, behind)
    return { name, level, value: 0, since: level === 'good' ? null : dueAt }
  }
  return [
    judgeMaintenance(readings),
    {
      name: 'processes',
      level: canServe && canSweep ? 'good' : 'act',
      value: processes.length,
      since: null,
    },
    late('orders-due', queues.ordersDueAt),
    late('webhooks-due', queues.webhooksDueAt),
    late('mails-due', queues.mailsDueAt),
    judgeMailServer(readings),
    counted('mails-failed', mails.failed ?? 0, 'watch'),
    counted('parked', troubles.parked, 'act'),
    counted('conflicts', troubles.conflicts, 'act'),
    counted('suspense', troubles.suspense, 'act'),
    counted('approvals', approvals, 'watch'),
    judgeApprovers(readings),
    judgeProof(readings),
    judgeStatements(readings),
    judgeBackup(readings),
  ]
}

/** Live, mails that are kept reach nobody: invitations, links, what waits for approval. */
function judgeMailServer({ mails, hasSmtp, mode }: Readings): Check {
  const level = mode === 'live' && !hasSmtp ? 'watch' : 'good'
  return { name: 'mail-server', level, value: mails.kept ?? 0, since: null }
}

const closesAll = new Set<Closure['scope']>(['all', 'payments'])

/** What is closed on purpose is closed all the same; past its planned end it was forgotten. */
function judgeMaintenance({ closures, now }: Readings): Check {
  const late = closures.filter((one) => isOver(one, now))
  const times = (late.length > 0 ? late : closures).map(({ since }) => since.getTime())
  const since = times.length === 0 ? null : new Date(Math.min(...times))
  const isUrgent = late.length > 0 || closures.some(({ scope }) => closesAll.has(scope))
  const level = closures.length === 0 ? 'good' : isUrgent ? 'act' : 'watch'
  return { name: 'maintenance', level, value: late.length, since }
}

/** One person alone cannot be two: what needs a second person waits for ever. */
function judgeApprovers({ approvers }: Readings): Check {
  const level = approvers !== null && approvers < 2 ? 'watch' : 'good'
  return { name: 'approvers', level, value: approvers ?? 0, since: null }
}

/** A break is somebody's to explain now; without a proof of the last days nobody knows. */
function judgeProof({ now, proof }: Readings): Check {
  const since = proof?.endedAt ?? null
  const value = proof?.breaks.length ?? 0
  const isOld = since === null || now.getTime() - since.getTime() > proofValidMs
  return { name: 'proof', level: value > 0 ? 'act' : isOld ? 'watch' : 'good', value, since }
}

/** An archive that is behind, or that no drill has restored, is none. */
function judgeBackup({ now, backup, mode }: Readings): Check {
  const name = 'backup'
  const { isOn, archivedAt, failedFile, drill } = backup
  // Without one, live money depends on one disk.
  if (!isOn && drill === undefined)
    return { name, level: mode === 'live' ? 'watch' : 'good', value: 0, since: null }
  const value = drill?.problems.length ?? 0
  const ageMs = (at: Date | null) => (at === null ? 0 : now.getTime() - at.getTime())
  const isDrilled = drill !== undefined && ageMs(drill.endedAt) <= drillValidMs
  const level = worst([
    value > 0 ? 'act' : 'good',
    failedFile === null ? 'good' : 'watch',
    levelOf(ageMs(archivedAt), archive),
    ageMs(drill?.backupAt ?? null) > backupValidMs ? 'watch' : 'good',
    isDrilled ? 'good' : 'watch',
  ])
  return { name, level, value, since: archivedAt ?? drill?.endedAt ?? null }
}

/** How old the newest statement of a provider with payments may be. */
export const statementValidMs = 48 * 60 * minuteMs

/** Nobody knows whether a provider agrees that sent no statement for days. */
function judgeStatements({ statements }: Readings): Check {
  const level = statements.length === 0 ? 'good' : 'watch'
  const since = statements.find(({ toAt }) => toAt !== null)?.toAt ?? null
  return { name: 'statements', level, value: statements.length, since }
}

/** A count of what should not be there. */
function counted(name: CheckName, value: number, level: Level): Check {
  return { name, level: value === 0 ? 'good' : level, value, since: null }
}

// An old or unknown value stops nothing, but nobody knows whether the provider can be reached.
const floatLevels: Record<ProviderState['floatState'], Level> = {
  fine: 'good',
  unknown: 'watch',
  old: 'watch',
  warning: 'watch',
  alarm: 'act',
}

const breakerLevels: Record<ProviderState['breaker']['state'], Level> = {
  closed: 'good',
  half_open: 'watch',
  open: 'act',
  unknown: 'watch',
}

/** Whether payers and payees of a provider are served. */
export function judgeProvider(one: ProviderState, now: Date): Level {
  const judged = one.succeeded + one.failed
  const rate = judged < judgedMin ? 1 : (one.successRate ?? 1)
  const openMs = one.oldestOpenAt === null ? 0 : now.getTime() - one.oldestOpenAt.getTime()
  return worst([
    // Without orders it cannot close: who paused it knows.
    one.isPaused ? 'watch' : breakerLevels[one.breaker.state],
    one.isPaused || one.floatProblem !== null ? 'watch' : 'good',
    rate < success.act ? 'act' : rate < success.watch ? 'watch' : 'good',
    levelOf(openMs, openOrder),
    floatLevels[one.floatState],
  ])
}

/** A merchant's address is the merchant's to mend: an operator can only tell. */
export function judgeMerchant({ waiting, givenUp }: MerchantBacklog): Level {
  return waiting + givenUp > 0 ? 'watch' : 'good'
}

const levels: Level[] = ['good', 'watch', 'act']

export function worst(of: Level[]): Level {
  return levels[Math.max(0, ...of.map((one) => levels.indexOf(one)))] ?? 'good'
}

function levelOf(ms: number, { watchMs, actMs }: { watchMs: number; actMs: number }): Level {
  if (ms >= actMs) return 'act'
  return ms >= watchMs ? 'watch' : 'good'
}
