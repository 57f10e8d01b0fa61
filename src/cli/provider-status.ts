import { services } from '../catalog/services.ts'
import { after } from '../kit/clock.ts'
import { nameOf } from '../providers/bindings.ts'
import { readPauses } from '../providers/pause-store.ts'
import { readReports } from '../providers/report-store.ts'
import type { BreakerState } from '../providers/reports.ts'
import { combineReports, reportValidMs } from '../providers/reports.ts'
import { readOpenOrders, readRecentOutcomes } from '../transactions/provider-figures-store.ts'
import type { Session } from './session.ts'
import { tableOf } from './terminal.ts'

const hourMs = 3_600_000

/** Every provider as payers meet it now, from the reports of all processes and the orders. */
export async function readProviderStates({ db, clock }: Pick<Session, 'db' | 'clock'>) {
  const now = clock.now()
  const [open, outcomes, pauses, reports] = await Promise.all([
    readOpenOrders(db),
    readRecentOutcomes(db, after(now, -hourMs)),
    readPauses(db),
    readReports(db, after(now, -reportValidMs)),
  ])
  const providers = allProviders().map(({ provider, country }) => {
    const name = nameOf({ provider, country })
    const orders = rowOf(open, name)
    const { succeeded = 0, failed = 0, failedOutside = 0 } = rowOf(outcomes, name) ?? {}
    const judged = succeeded + failed
    const pause = rowOf(pauses, name)
    return {
      provider,
      country,
      isPaused: pause !== undefined,
      pausedSince: pause?.since ?? null,
      ...combineReports(reports, name),
      succeeded,
      failed,
      failedOutside,
      successRate: judged === 0 ? null : succeeded / judged,
      open: orders?.open ?? 0,
      oldestOpenAt: orders?.oldestAt ?? null,
    }
  })
  const processes = reports.map(({ host, pid, role, at }) => ({ host, pid, role, at }))
  return { providers, processes }
}

function rowOf<Row extends { provider: string; country: string }>(rows: Row[], name: string) {
  return rows.find((row) => nameOf(row) === name)
}

/** The lines of the table, with a line about the processes that reported. */
export function providerTable({
  providers,
  processes,
}: Awaited<ReturnType<typeof readProviderStates>>): string[] {
  const table = tableOf(providers, {
    Provider: (one) => one.provider,
    Country: (one) => one.country,
    Orders: (one) => (one.isPaused ? 'paused' : ordersUnder[one.breaker.state]),
    Breaker: ({ breaker }) => breakerText(breaker),
    Since: ({ isPaused, pausedSince, breaker }) =>
      (isPaused ? pausedSince : breaker.since)?.toISOString() ?? '',
    p95: (one) => (one.p95Ms === null ? '' : `${one.p95Ms} ms`),
    Success: (one) =>
      one.successRate === null ? '' : `${Math.floor(1000 * one.successRate) / 10} %`,
    Succeeded: (one) => one.succeeded,
    Failed: (one) => one.failed,
    'By payers': (one) => one.failedOutside,
    Open: (one) => one.open,
    'Oldest open': (one) => one.oldestOpenAt?.toISOString() ?? '',
  })
  const names = processes.map(({ host, pid, role }) => `${host} ${pid} (${role})`)
  const from = names.length === 0 ? 'no process: is the gateway running?' : names.join(', ')
  return [...table, '', `Breakers and p95 from ${from}`]
}

const ordersUnder: Record<BreakerState['state'], string> = {
  closed: 'taken',
  half_open: 'tried',
  open: 'refused',
  unknown: 'unknown',
}

function breakerText({ state, processes, openIn }: BreakerState): string {
  const isMixed = openIn > 0 && openIn < processes
  return state.replace('_', '-') + (isMixed ? ` in ${openIn} of ${processes}` : '')
}

function allProviders(): { provider: string; country: string }[] {
  const seen = new Map(
    services.map(({ provider, country }) => [`${provider} ${country}`, { provider, country }]),
  )
  return [...seen.values()]
}
