import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { thresholds } from '#operations/health/judge.ts'
import { testInstallation } from '#test/installation.ts'
import { missing } from '#test/needs.ts'
import { startGateway } from '#test/program.ts'
import { usualTest as it, slowTest } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import { dashboardQueries, namedMetrics, ruleQueries, rules, rulesPath } from './watching.ts'

const noPromtool = missing('promtool')

type Series = Record<string, string>
const up = 'up{job="passerelle",instance="a"}'
const gauge = (name: string, bad: number, labels = 'instance="a"') =>
  [{ [`passerelle_${name}{${labels}}`]: `${bad}x300` }, 0] as [Series, number]
const requests = (status: number) =>
  `passerelle_http_request_duration_seconds_count{instance="a",status="${status}"}`
const lookups = (le: string) =>
  `passerelle_http_request_duration_seconds_bucket{instance="a",le="${le}",` +
  'route="/api/v1/transaction/:transactionId"}'
const calls = (le: string) =>
  `passerelle_provider_call_duration_seconds_bucket{call="order",le="${le}",provider="WALLETA_SN"}`
const ended = (failure: string) =>
  `passerelle_transactions_ended_total{service="WALLETA_SN_CASHOUT",failure="${failure}"}`
const forged = 'passerelle_callbacks_total{connector="gsma",result="forged"}'
const logAge = 'passerelle_archived_log_age_seconds{instance="a"}'
const drillAge = 'passerelle_drill_age_seconds{instance="a"}'
const days = (count: number) => count * 86_400

// A gateway that is well; each line below replaces some of it. One sample is a minute.
const well: Series = {
  [up]: '1x300',
  'passerelle_database_up{instance="a"}': '1x300',
  'passerelle_database_connections{instance="a",state="waiting"}': '0x300',
  'passerelle_maintenance_overdue{instance="a"}': '0x300',
  'passerelle_figures_age_seconds{instance="a"}': '30x300',
  [requests(200)]: '0+600x300',
  'passerelle_http_turned_away_total{instance="a"}': '0x300',
  [lookups('0.5')]: '0+60x300',
  [lookups('1')]: '0+60x300',
  [lookups('+Inf')]: '0+60x300',
  'passerelle_log_lines_dropped_total{instance="a"}': '0x300',
  'passerelle_ledger_breaks{instance="a"}': '0x300',
  'passerelle_proof_breaks{instance="a"}': '0x300',
  'passerelle_proof_age_seconds{instance="a"}': '3600x300',
  'passerelle_parked{instance="a"}': '0x300',
  'passerelle_conflicts{instance="a"}': '0x300',
  'passerelle_suspense{instance="a"}': '0x300',
  'passerelle_approvals_waiting{instance="a"}': '0x300',
  'passerelle_statements_old{instance="a"}': '0x300',
  'passerelle_provider_up{instance="a",provider="WALLETA_SN"}': '1x300',
  'passerelle_provider_paused{instance="a",provider="WALLETA_SN"}': '0x300',
  [ended('NONE')]: '0+60x300',
  [ended('PAYER_REFUSED')]: '0+60x300',
  [ended('PROVIDER_DECLINED')]: '0+1x300',
  [calls('2.5')]: '0+60x300',
  [calls('5')]: '0+61x300',
  [calls('+Inf')]: '0+61x300',
  'passerelle_oldest_open_order_seconds{instance="a",provider="WALLETA_SN"}': '60x300',
  [forged]: '0x300',
  'passerelle_overdue_seconds{instance="a",queue="orders"}': '1x300',
  'passerelle_overdue_seconds{instance="a",queue="webhooks"}': '1x300',
  'passerelle_overdue_seconds{instance="a",queue="mails"}': '1x300',
  'passerelle_float_low{instance="a",provider="WALLETA_SN"}': '0x300',
  'passerelle_float_untold{instance="a",provider="WALLETA_SN"}': '0x300',
  'passerelle_float_age_seconds{instance="a",provider="WALLETA_SN"}': '30x300',
  'passerelle_webhooks_oldest_pending_seconds{instance="a"}': '5x300',
  'passerelle_webhooks_exhausted{instance="a"}': '0x300',
  'passerelle_mails{instance="a",state="failed"}': '0x300',
  'passerelle_mail_server{instance="a"}': '1x300',
  ...Object.fromEntries(
    ['a', 'b', 'c'].flatMap((member) => {
      const isPrimary = member === 'a'
      const own = `{instance="${member}",job="patroni"}`
      return [
        [`patroni_postgres_running${own}`, '1x300'],
        [`patroni_replica${own}`, isPrimary ? '0x300' : '1x300'],
        [`patroni_xlog_location${own}`, isPrimary ? '5000000000+1000x300' : '0x300'],
        [`patroni_xlog_replayed_location${own}`, isPrimary ? '0x300' : '5000000000+1000x300'],
        [`patroni_is_paused${own}`, '0x300'],
      ]
    }),
  ),
  'passerelle_backup_age_seconds{instance="a"}': '3600x300',
  [logAge]: '1x300',
  [drillAge]: '3600x300',
  'passerelle_drill_problems{instance="a"}': '0x300',
  'passerelle_retention_age_seconds{instance="a",rule="mails"}': '3600x300',
}

// The fault, and for how many minutes it does not fire yet.
const faults: Record<string, [fault: Series, notAfterMinutes: number]> = {
  GatewayDown: [{ [up]: '0x300' }, 0],
  GatewayMissing: [{ [up]: '_x300' }, 4],
  DatabaseDown: gauge('database_up', 0),
  DatabaseConnectionsShort: [
    { 'passerelle_database_connections{instance="a",state="waiting"}': '3x300' },
    4,
  ],
  DatabaseMemberMissing: [{ 'patroni_postgres_running{instance="c",job="patroni"}': '0x300' }, 0],
  DatabaseFailoverPaused: [{ 'patroni_is_paused{instance="a",job="patroni"}': '1x300' }, 0],
  PaymentsClosed: gauge('maintenance_closed', 1, 'instance="a",scope="payments"'),
  ServicesClosed: gauge('maintenance_closed', 1, 'instance="a",scope="WALLETA_SN"'),
  MaintenanceOverdue: gauge('maintenance_overdue', 1),
  NoBackgroundWork: gauge('figures_age_seconds', 301),
  InternalErrors: [{ [requests(500)]: '_x30 1+1x300' }, 29],
  RequestsTurnedAway: [{ 'passerelle_http_turned_away_total{instance="a"}': '0+5x300' }, 4],
  LookupsSlow: [{ [lookups('0.5')]: '0+50x300' }, 9],
  LogLinesDropped: [{ 'passerelle_log_lines_dropped_total{instance="a"}': '0x30 1+1x300' }, 29],
  LedgerBroken: [{ 'passerelle_ledger_breaks{instance="a"}': '0x30 1x300' }, 29],
  ProofFailed: [{ 'passerelle_proof_breaks{instance="a"}': '0x30 2x300' }, 29],
  ProofOld: gauge('proof_age_seconds', days(2) + 1),
  TransactionsParked: gauge('parked', 1),
  Conflicts: [{ 'passerelle_conflicts{instance="a"}': '0x30 1x300' }, 29],
  MoneyInSuspense: gauge('suspense', 500),
  ApprovalsWait: gauge('approvals_waiting', 1),
  StatementsOld: gauge('statements_old', 1),
  ProviderDown: gauge('provider_up', 0, 'instance="a",provider="WALLETA_SN"'),
  ProviderPaused: [
    {
      'passerelle_provider_up{instance="a",provider="WALLETA_SN"}': '0x300',
      'passerelle_provider_paused{instance="a",provider="WALLETA_SN"}': '1x300',
    },
    59,
  ],
  ProviderFails: [{ [ended('PROVIDER_DECLINED')]: '0+10x300' }, 4],
  ProviderFailsOften: [{ [ended('PROVIDER_DECLINED')]: '0+30x300' }, 4],
  ProviderSlow: [{ [calls('2.5')]: '0+20x300' }, 4],
  OrdersOpenLong: gauge('oldest_open_order_seconds', 3601, 'instance="a",provider="WALLETA_SN"'),
  CallbacksForged: [{ [forged]: '0x30 20+20x300' }, 29],
  OrdersOverdue: gauge('overdue_seconds', 121, 'instance="a",queue="orders"'),
  FloatLow: gauge('float_low', 1, 'instance="a",provider="WALLETA_SN"'),
  FloatTooLow: gauge('float_low', 2, 'instance="a",provider="WALLETA_SN"'),
  FloatUntold: gauge('float_untold', 1, 'instance="a",provider="WALLETA_SN"'),
  WebhooksOverdue: gauge('overdue_seconds', 121, 'instance="a",queue="webhooks"'),
  WebhookBacklog: gauge('webhooks_oldest_pending_seconds', 901),
  WebhooksGivenUp: [{ 'passerelle_webhooks_exhausted{instance="a"}': '0x30 1x300' }, 29],
  MailsOverdue: gauge('overdue_seconds', 121, 'instance="a",queue="mails"'),
  MailServerMissing: gauge('mail_server', 0),
  MailsGivenUp: [{ 'passerelle_mails{instance="a",state="failed"}': '0x30 1x300' }, 29],
  BackupMissing: [{ [logAge]: '_x300', [drillAge]: '_x300' }, 29],
  BackupBehind: [{ [logAge]: '0x30 301x300' }, 29],
  BackupFarBehind: [{ [logAge]: '0x30 1801x300' }, 29],
  BackupOld: [{ 'passerelle_backup_age_seconds{instance="a"}': '0+3600x300' }, 50],
  DrillOld: [{ [drillAge]: '0+3600x300' }, 48],
  DrillMissing: [{ [drillAge]: '_x300' }, 2820],
  DrillFailed: [{ 'passerelle_drill_problems{instance="a"}': '0x30 1x300' }, 29],
  RetentionBehind: [
    { 'passerelle_retention_age_seconds{instance="a",rule="mails"}': '0+3600x300' },
    24,
  ],
}
// Waits for two days: looked at once an hour.
const slow = 'DrillMissing'
const quick = Object.keys(faults).filter((name) => name !== slow)

/** For how many minutes a rule waits. */
function waitOf(name: string): number {
  const [, count = '0', unit = 'm'] =
    /^(\d+)([mhd])$/.exec(rules.find(({ alert }) => alert === name)?.for ?? '') ?? []
  return Number(count) * { m: 1, h: 60, d: 1440 }[unit as 'm' | 'h' | 'd']
}

/** A file of `promtool test rules`: what fires at which minute, by name and labels alone. */
function unitTest(fault: Series, at: [minutes: number, firing: string[]][], interval = '1m') {
  const series = Object.entries({ ...well, ...fault }).map(([name, values]) => ({
    series: name,
    values,
  }))
  return {
    interval,
    input_series: series,
    promql_expr_test: at.map(([minutes, firing]) => ({
      expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
      eval_time: `${minutes}m`,
      exp_samples: firing.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
    })),
  }
}

/** All faults but the slow one, in as few groups as can be planted at once. */
function groupsWithoutSharedSeries(): string[][] {
  const groups: string[][] = []
  for (const name of quick) {
    const own = Object.keys(faultsOf([name]))
    const isFree = (group: string[]) => own.every((series) => !(series in faultsOf(group)))
    const group = groups.find(isFree)
    if (group === undefined) groups.push([name])
    else group.push(name)
  }
  return groups.map((group) => group.sort())
}

function faultsOf(names: string[]): Series {
  return Object.assign({}, ...names.map((name) => faults[name]?.[0]))
}

function testRules(tests: object[], interval = '1m'): Promise<string> {
  const rule_files = [resolve(rulesPath)]
  return runPromtool(['test', 'rules'], { rule_files, evaluation_interval: interval, tests })
}

async function runPromtool(command: string[], content: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-rules-'))
  try {
    // JSON is YAML.
    const file = join(folder, 'rules.yaml')
    await writeFile(file, JSON.stringify(content))
    const { stdout, stderr } = await promisify(execFile)('promtool', [...command, file])
    return stdout + stderr
  } catch (problem) {
    const { stdout, stderr } = problem as { stdout: string; stderr: string }
    return `FAILED ${stdout}${stderr}`
  } finally {
    await rm(folder, { recursive: true })
  }
}

describe('the alert rules', () => {
  it('have a fault in this file for each, a severity, and a runbook that exists', () => {
    assert.deepEqual(rules.map(({ alert }) => alert).sort(), Object.keys(faults).sort())
    for (const { alert, labels, annotations } of rules) {
      assert.match(labels.severity, /^(critical|warning)$/, alert)
      const [, name = ''] =
        /^\/dashboard\/ops\/runbooks\/([a-z-]+)$/.exec(annotations.runbook) ?? []
      assert.ok(existsSync(`docs/runbooks/${name}.md`), `${alert}: ${annotations.runbook}`)
      assert.ok(annotations.summary.length > 10, alert)
    }
  })

  // What the page of health shows, a person is told at the same moment.
  const {
    success,
    judgedMin,
    behind,
    openOrder,
    archive,
    proofValidMs,
    backupValidMs,
    drillValidMs,
  } = thresholds
  const shared: [alert: string, ms: number][] = [
    ['OrdersOverdue', behind.actMs],
    ['WebhooksOverdue', behind.actMs],
    ['MailsOverdue', behind.actMs],
    ['OrdersOpenLong', openOrder.actMs],
    ['ProofOld', proofValidMs],
    ['DrillOld', drillValidMs],
    ['BackupOld', backupValidMs],
    ['BackupBehind', archive.watchMs],
    ['BackupFarBehind', archive.actMs],
  ]
  for (const [alert, ms] of shared)
    it(`have the threshold of the page of health: ${alert}`, () => {
      const { expr = '' } = rules.find((rule) => rule.alert === alert) ?? {}
      assert.equal(Number(/> (\d+)/.exec(expr)?.[1]) * 1000, ms)
    })

  it('have the rates of success of the page of health', () => {
    const exprOf = (name: string) => rules.find(({ alert }) => alert === name)?.expr.trim() ?? ''
    const [watch, act] = [success.watch, success.act].map((part) => (1 - part).toFixed(2))
    assert.match(
      exprOf('ProviderFails'),
      new RegExp(`>= ${judgedMin}\\)\n> ${watch} <= ${Number(act)}$`),
    )
    assert.match(exprOf('ProviderFailsOften'), new RegExp(`>= ${judgedMin}\\)\n> ${Number(act)}$`))
  })

  it('stand in docs/metrics.md, each once', () => {
    const [, list = ''] =
      /^\| Alerts \| When \|\n([^]*?)\n\n/m.exec(readFileSync('docs/metrics.md', 'utf8')) ?? []
    const named = list.split('\n').flatMap((line) => line.split(' | ')[0]?.match(/\w{5,}/g) ?? [])
    assert.deepEqual(named.toSorted(), rules.map(({ alert }) => alert).toSorted())
  })

  it('are accepted by promtool', { skip: noPromtool }, async () => {
    const text = await runPromtool(['check', 'rules'], parse(readFileSync(rulesPath, 'utf8')))
    assert.match(text, new RegExp(`SUCCESS: ${rules.length} rules found`))
  })

  it('fire on their faults, and on nothing else', { skip: noPromtool }, async () => {
    const groups = groupsWithoutSharedSeries()
    assert.ok(groups.length < 5)
    const text = await testRules([
      unitTest({}, [[90, []]]),
      ...groups.map((names) => unitTest(faultsOf(names), [[250, names]])),
      unitTest(
        {
          'patroni_xlog_replayed_location{instance="c",job="patroni"}': '3000000000x300',
        },
        [[30, ['DatabaseMemberMissing']]],
      ),
      // The first of all, whose series has no increase, and its end.
      unitTest({ [requests(500)]: '_x30 1x300', [forged]: '_x30 20x300' }, [
        [31, ['CallbacksForged', 'InternalErrors']],
        [60, []],
      ]),
    ])
    assert.match(text, /SUCCESS/, text)
  })

  slowTest('fire each alone and not before its time', { skip: noPromtool }, async () => {
    const tests = quick.map((name) => {
      const [fault, notAfter] = faults[name] ?? [{}, 0]
      return unitTest(fault, [
        [notAfter, []],
        [notAfter + waitOf(name) + 2, [name]],
      ])
    })
    const text = await testRules(tests)
    assert.match(text, /SUCCESS/, text)
  })

  slowTest('waits for two days for the first drill', { skip: noPromtool }, async () => {
    const [fault, notAfter] = faults[slow] ?? [{}, 0]
    const moments: [number, string[]][] = [
      [notAfter, []],
      [notAfter + 120, [slow]],
    ]
    const text = await testRules([unitTest(fault, moments, '1h')], '1h')
    assert.match(text, /SUCCESS/, text)
  })
})

/** The series of a gateway that rules ask for, as samples of promtool that never change. */
function samplesOf(metrics: string): Series {
  const asked = new Set(rules.flatMap(({ expr }) => expr.match(/\bpasserelle_\w+/g) ?? []))
  const lines = [...metrics.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)]
  return Object.fromEntries(
    lines
      .filter(([, name = '']) => asked.has(name))
      .map(([, name, labels = '', value]) => {
        const all = ['instance="a"', 'job="passerelle"', ...(labels === '' ? [] : [labels])]
        return [`${name}{${all.join()}}`, `${value}x100`]
      }),
  )
}

describe('a new gateway', async () => {
  const { environment } = await testInstallation()
  const gateway = await startGateway(environment)
  const read = async () => (await fetch(`${gateway.url}/metrics`)).text()
  const counted = ['ledger_breaks', 'suspense', 'float_low', 'overdue_seconds', 'statements_old']
  await eventually('a worker has counted', async () => {
    const metrics = await read()
    return counted.every((name) => new RegExp(`^passerelle_${name}\\b`, 'm').test(metrics))
  })
  const series = samplesOf(await read())
  await gateway.stop()
  const missing = ['BackupMissing', 'DrillMissing', 'ProofOld']

  it('shows nothing of what was never done, where a rule waits for it to be absent', () => {
    const names = new Set(Object.keys(series).map((one) => one.split('{')[0]))
    const absent = rules.filter(({ expr }) => {
      const [, name] = /\babsent\((passerelle_\w+)\)/.exec(expr) ?? []
      return name !== undefined && !names.has(name)
    })
    assert.deepEqual(absent.map(({ alert }) => alert).sort(), missing)
  })

  it('has no backup and no proof, and nothing else', { skip: noPromtool }, async () => {
    const test = {
      ...unitTest({}, [[60 * 60, missing]], '1h'),
      input_series: Object.entries({ ...series, [up]: '1x100' }).map(([name, values]) => ({
        series: name,
        values,
      })),
    }
    const text = await testRules([test], '1h')
    assert.match(text, /SUCCESS/, text)
  })
})

describe('the Grafana dashboard', () => {
  it('shows all that the rules ask for', () => {
    const shown = new Set(namedMetrics(dashboardQueries()))
    assert.deepEqual(
      namedMetrics(ruleQueries()).filter((name) => !shown.has(name)),
      [],
    )
    const patroni = /\bpatroni_\w+/g
    const asked = new Set(ruleQueries().flatMap((expr) => expr.match(patroni) ?? []))
    const told = new Set(dashboardQueries().flatMap((expr) => expr.match(patroni) ?? []))
    assert.deepEqual(
      [...asked].filter((name) => !told.has(name)),
      [],
    )
  })

  it('asks queries that Prometheus understands', { skip: noPromtool }, async () => {
    const queries = dashboardQueries()
    assert.ok(queries.length > 40)
    const asked = queries.map((expr, index) => ({ record: `panel:${index}`, expr }))
    const text = await runPromtool(['check', 'rules'], {
      groups: [{ name: 'panels', rules: asked }],
    })
    assert.match(text, /SUCCESS/, text)
  })
})
