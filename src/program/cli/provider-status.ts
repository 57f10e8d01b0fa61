import type { BreakerState } from '#money/providers/reports.ts'
import type { ProviderStates } from '#operations/health/provider-states.ts'
import { tableOf } from './terminal.ts'

/** The lines of the table, with a line about the processes that reported. */
export function providerTable({ providers, processes }: ProviderStates): string[] {
  const table = tableOf(providers, {
    Provider: (one) => one.provider,
    Country: (one) => one.country,
    Orders: ordersText,
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

function ordersText({ isConfigured, isPaused, breaker }: ProviderStates['providers'][number]) {
  if (!isConfigured) return 'not configured'
  return isPaused ? 'paused' : ordersUnder[breaker.state]
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
