import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Break } from '#operations/verify/break.ts'
import { rules } from '../../../deploy/watching.ts'
import {
  judgeGateway,
  judgeProvider,
  type Level,
  type ProviderState,
  type Readings,
  worst,
} from './judge.ts'

const now = new Date('2026-11-16T03:00:00Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
const broken: Break = { promise: 'balance', clientId: 1, where: 'available', what: 'differs' }
const quiet: Readings = {
  now,
  closures: [],
  providers: [],
  processes: [{ host: 'a', pid: 1, role: 'all', at: now }],
  queues: { ordersDueAt: null, webhooksDueAt: null, mailsDueAt: null },
  mails: { kept: 3, pending: 0, failed: 0 },
  hasSmtp: false,
  troubles: { parked: 0, conflicts: 0, suspense: 0 },
  approvals: 0,
  approvers: 2,
  proof: { endedAt: ago(3600), breaks: [] },
  backup: { isOn: false, archivedAt: null, failedFile: null, failedAt: null, drill: undefined },
  mode: 'sandbox',
  statements: [],
  merchants: [],
}
const drilled: NonNullable<Readings['backup']['drill']> = {
  startedAt: ago(3700),
  endedAt: ago(3600),
  moment: null,
  backupAt: ago(9000),
  lastTransactionAt: ago(3800),
  problems: [],
}
const backup: Readings['backup'] = {
  isOn: true,
  archivedAt: ago(30),
  failedFile: null,
  failedAt: null,
  drill: drilled,
}
const provider: ProviderState = {
  provider: 'WALLETA',
  country: 'SN',
  isConfigured: true,
  isPaused: false,
  pausedSince: null,
  pauseReason: null,
  breaker: { state: 'closed', since: ago(9000), processes: 2, openIn: 0 },
  p95Ms: 300,
  succeeded: 0,
  failed: 0,
  failedOutside: 0,
  successRate: null,
  open: 0,
  parked: 0,
  oldestOpenAt: null,
  float: 5000,
  floatState: 'fine',
  floatProblem: null,
}

// Of these the page of health tells nothing, or not in a line of its own.
const elsewhere = [
  'CallbacksForged',
  'DatabaseConnectionsShort',
  'DatabaseDown',
  'DatabaseFailoverPaused',
  'DatabaseMemberMissing',
  'GatewayMissing',
  'InternalErrors',
  'LedgerBroken',
  'LogLinesDropped',
  'LookupsSlow',
  'ProviderSlow',
  'RequestsTurnedAway',
  'RetentionBehind',
  'WebhookBacklog',
  'WebhooksGivenUp',
]
const told = new Set<string>()
const severities = { good: undefined, watch: 'warning', act: 'critical' }

/** What is red here wakes somebody; what is yellow waits for the morning. */
function assertTold(level: Level, alert: string | undefined): void {
  if (level === 'act') assert.ok(alert, 'what is red has an alert')
  if (alert === undefined) return
  told.add(alert)
  const rule = rules.find((one) => one.alert === alert)
  assert.equal(rule?.labels.severity, severities[level], alert)
}

describe('the gateway', () => {
  it('is good in all points when nothing waits', () => {
    for (const { name, level } of judgeGateway(quiet)) assert.equal(level, 'good', name)
  })

  // what, change, check, level, the alert that tells people of it
  const rows: [string, Partial<Readings>, string, Level, string?][] = [
    ['a service closed', { closures: [closed(null)] }, 'maintenance', 'watch', 'ServicesClosed'],
    [
      'all payments closed',
      { closures: [closed(null, 'payments')] },
      'maintenance',
      'act',
      'PaymentsClosed',
    ],
    [
      'a maintenance beyond its end',
      { closures: [closed(ago(60))] },
      'maintenance',
      'act',
      'MaintenanceOverdue',
    ],
    ['no process', { processes: [] }, 'processes', 'act', 'GatewayDown'],
    [
      'nobody who works in the background',
      { processes: [{ host: 'a', pid: 1, role: 'api', at: now }] },
      'processes',
      'act',
      'NoBackgroundWork',
    ],
    [
      'nobody who serves',
      { processes: [{ host: 'a', pid: 1, role: 'worker', at: now }] },
      'processes',
      'act',
      'GatewayDown',
    ],
    ['an order due just now', { queues: due({ ordersDueAt: ago(5) }) }, 'orders-due', 'good'],
    ['an order due later', { queues: due({ ordersDueAt: ago(-60) }) }, 'orders-due', 'good'],
    ['an order due for 40 s', { queues: due({ ordersDueAt: ago(40) }) }, 'orders-due', 'watch'],
    [
      'an order due for 3 min',
      { queues: due({ ordersDueAt: ago(180) }) },
      'orders-due',
      'act',
      'OrdersOverdue',
    ],
    [
      'a webhook due',
      { queues: due({ webhooksDueAt: ago(180) }) },
      'webhooks-due',
      'act',
      'WebhooksOverdue',
    ],
    ['a mail due', { queues: due({ mailsDueAt: ago(40) }) }, 'mails-due', 'watch'],
    ['no two who could decide', { approvers: 0 }, 'approvers', 'watch'],
    ['two who could decide', { approvers: 2 }, 'approvers', 'good'],
    ['no limit above which two decide', { approvers: null }, 'approvers', 'good'],
    [
      'a mail due for 3 min',
      { queues: due({ mailsDueAt: ago(180) }) },
      'mails-due',
      'act',
      'MailsOverdue',
    ],
    [
      'no mail server, live',
      { mode: 'live', ...archived({}) },
      'mail-server',
      'watch',
      'MailServerMissing',
    ],
    ['a mail given up', { mails: { failed: 1 } }, 'mails-failed', 'watch', 'MailsGivenUp'],
    [
      'a parked transaction',
      { troubles: { ...quiet.troubles, parked: 1 } },
      'parked',
      'act',
      'TransactionsParked',
    ],
    [
      'a conflict',
      { troubles: { ...quiet.troubles, conflicts: 1 } },
      'conflicts',
      'act',
      'Conflicts',
    ],
    [
      'money in suspense',
      { troubles: { ...quiet.troubles, suspense: -5 } },
      'suspense',
      'act',
      'MoneyInSuspense',
    ],
    ['no proof', { proof: undefined }, 'proof', 'watch', 'ProofOld'],
    [
      'a proof of last week',
      { proof: { endedAt: ago(600_000), breaks: [] } },
      'proof',
      'watch',
      'ProofOld',
    ],
    ['a break', { proof: { endedAt: ago(60), breaks: [broken] } }, 'proof', 'act', 'ProofFailed'],
    [
      'a statement of last week',
      { statements: [{ provider: 'WALLETA', country: 'SN', toAt: ago(600_000) }] },
      'statements',
      'watch',
      'StatementsOld',
    ],
    [
      'payments of a provider without a statement',
      { statements: [{ provider: 'WALLETA', country: 'SN', toAt: null }] },
      'statements',
      'watch',
      'StatementsOld',
    ],
    ['no backup, live', { mode: 'live', hasSmtp: true }, 'backup', 'watch', 'BackupMissing'],
    ['a backup', archived({}), 'backup', 'good'],
    [
      'drills, and no log handed over here',
      archived({ isOn: false, archivedAt: null }),
      'backup',
      'good',
    ],
    [
      'an archive 10 min behind',
      archived({ archivedAt: ago(600) }),
      'backup',
      'watch',
      'BackupBehind',
    ],
    [
      'an archive an hour behind',
      archived({ archivedAt: ago(3600) }),
      'backup',
      'act',
      'BackupFarBehind',
    ],
    [
      'a drill that failed',
      archived({ drill: { ...drilled, problems: ['gap'] } }),
      'backup',
      'act',
      'DrillFailed',
    ],
    [
      'a log that cannot be handed over',
      archived({ failedFile: '00000001000000000000000A', failedAt: ago(5) }),
      'backup',
      'watch',
    ],
    [
      'an old backup',
      archived({ drill: { ...drilled, backupAt: ago(200_000) } }),
      'backup',
      'watch',
      'BackupOld',
    ],
    [
      'an old drill',
      archived({ drill: { ...drilled, endedAt: ago(200_000) } }),
      'backup',
      'watch',
      'DrillOld',
    ],
    ['no drill', archived({ drill: undefined }), 'backup', 'watch', 'DrillMissing'],
    ['an open proposal', { approvals: 2 }, 'approvals', 'watch', 'ApprovalsWait'],
  ]
  for (const [what, change, check, level, alert] of rows)
    it(`with ${what} is ${level} in ${check}, and good in all else`, () => {
      assertTold(level, alert)
      const judged = judgeGateway({ ...quiet, ...change })
      const bad = judged.filter((one) => one.level !== 'good')
      assert.deepEqual(
        bad.map((one) => [one.name, one.level]),
        level === 'good' ? [] : [[check, level]],
      )
    })

  it('counts what is closed beyond its planned end, and since when', () => {
    const later = { ...closed(ago(-60)), since: ago(7200) }
    const [check] = judgeGateway({ ...quiet, closures: [later, closed(ago(60))] })
    assert.deepEqual(check, { name: 'maintenance', level: 'act', value: 1, since: ago(3600) })
  })

  function closed(until: Date | null, scope = 'WALLETA_SN'): Readings['closures'][number] {
    return { scope, reason: '', since: ago(3600), until, notice: null }
  }

  function archived(change: Partial<Readings['backup']>): Partial<Readings> {
    return { backup: { ...backup, ...change } }
  }

  function due(change: Partial<Readings['queues']>): Readings['queues'] {
    return { ...quiet.queues, ...change }
  }
})

describe('a provider', () => {
  const isOpen = { breaker: { ...provider.breaker, state: 'open' } } as const
  // what, change, level, the alert that tells people of it
  const rows: [string, Partial<ProviderState>, Level, string?][] = [
    ['without any order', {}, 'good'],
    ['paused', { isPaused: true }, 'watch', 'ProviderPaused'],
    ['paused while its breaker is open', { isPaused: true, ...isOpen }, 'watch', 'ProviderPaused'],
    ['whose breaker is open', isOpen, 'act', 'ProviderDown'],
    ['whose breaker tries', { breaker: { ...provider.breaker, state: 'half_open' } }, 'watch'],
    ['with 90 % success', { succeeded: 18, failed: 2, successRate: 0.9 }, 'watch', 'ProviderFails'],
    [
      'with 50 % success',
      { succeeded: 10, failed: 10, successRate: 0.5 },
      'act',
      'ProviderFailsOften',
    ],
    ['with 0 % success of few', { failed: 3, successRate: 0 }, 'good'],
    ['with an order open for 20 min', { open: 1, oldestOpenAt: ago(1200) }, 'watch'],
    ['that no process reports', { breaker: { ...provider.breaker, state: 'unknown' } }, 'watch'],
    ['that was never asked', { float: null, floatState: 'unknown' }, 'watch', 'FloatUntold'],
    ['with an old float', { floatState: 'old' }, 'watch', 'FloatUntold'],
    ['that does not tell its balance', { floatProblem: 'HTTP 502' }, 'watch', 'FloatUntold'],
    ['with little money of ours', { float: 5000, floatState: 'warning' }, 'watch', 'FloatLow'],
    ['with too little money of ours', { float: 5, floatState: 'alarm' }, 'act', 'FloatTooLow'],
    ['with an order open for 2 h', { open: 1, oldestOpenAt: ago(7200) }, 'act', 'OrdersOpenLong'],
  ]
  for (const [what, change, level, alert] of rows)
    it(`${what} is ${level}`, () => {
      assertTold(level, alert)
      assert.equal(judgeProvider({ ...provider, ...change }, now), level)
    })
})

it('the worst of several levels counts', () => {
  assert.equal(worst([]), 'good')
  assert.equal(worst(['good', 'act', 'watch']), 'act')
  assert.equal(worst(['watch', 'good']), 'watch')
})

it('every alert tells of something that is judged here, or stands among the others', () => {
  const named = rules.map(({ alert }) => alert)
  assert.deepEqual([...told, ...elsewhere].toSorted(), named.toSorted())
})
