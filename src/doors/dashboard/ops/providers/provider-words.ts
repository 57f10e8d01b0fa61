import type { Html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { label, percentText } from '#doors/dashboard/frame/components.ts'
import type { Fact } from '#doors/dashboard/frame/reviewed.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { nameOf } from '#money/providers/bindings.ts'
import type { ProviderState } from '#operations/health/judge.ts'
import type { ProviderStates } from '#operations/health/provider-states.ts'

/** What the screens about providers say of each. */
export const providerWords = inBoth({
  fr: {
    title: 'Prestataires',
    provider: 'Prestataire',
    orders: 'Ordres',
    since: 'Depuis',
    success: fr`Taux de réussite, 1 h`,
    p95: fr`95 % des réponses en`,
    open: 'Ouverts',
    oldest: 'Le plus ancien',
    sinceWhen: 'depuis',
    states: {
      closed: fr`Acceptés`,
      half_open: fr`En test`,
      open: fr`Refusés`,
      unknown: 'Inconnu',
      paused: 'En pause',
      unconfigured: fr`Non configuré`,
    },
    inSome: (openIn: number, processes: number) => fr`dans ${openIn} processus sur ${processes}`,
    ms: (count: number) => fr`${count}\u00a0ms`,
    ofAll: (succeeded: number, judged: number) => fr`${succeeded} sur ${judged}`,
  },
  en: {
    title: 'Providers',
    provider: 'Provider',
    orders: 'Orders',
    since: 'Since',
    success: 'Success rate, 1 h',
    p95: '95% answered within',
    open: 'Open',
    oldest: 'Oldest',
    sinceWhen: 'since',
    states: {
      closed: 'Accepted',
      half_open: 'Testing',
      open: 'Refused',
      unknown: 'Unknown',
      paused: 'Paused',
      unconfigured: 'Not configured',
    },
    inSome: (openIn: number, processes: number) => `in ${openIn} of ${processes} processes`,
    ms: (count: number) => `${count}\u00a0ms`,
    ofAll: (succeeded: number, judged: number) => `${succeeded} of ${judged}`,
  },
})

const shapes = {
  closed: ['good', 'check'],
  half_open: ['calm', 'clock'],
  open: ['bad', 'cross'],
  unknown: ['quiet', 'dash'],
  paused: ['calm', 'pause'],
  unconfigured: ['quiet', 'dash'],
} as const

/** Whether a provider gets orders now: it has a connector, its pause, its circuit breakers. */
export function providerState({ language }: OpsVisit, one: ProviderState): Html {
  const state = !one.isConfigured ? 'unconfigured' : one.isPaused ? 'paused' : one.breaker.state
  return label(shapes[state], providerWords[language].states[state])
}

/** Since when it is so. */
export function stateSince({ isPaused, pausedSince, breaker }: ProviderState): Date | null {
  return isPaused ? pausedSince : breaker.since
}

/** The share of orders that succeeded, without those that payers or others ended. */
export function successText({ language }: OpsVisit, { successRate }: ProviderState): string {
  return percentText(language, successRate === null ? null : Math.floor(1000 * successRate))
}

export function providerHref(one: { provider: string; country: string }): string {
  return `/dashboard/ops/providers/${nameOf(one)}`
}

/** The provider of an address, such as WALLETA_SN; undefined: there is none. */
export function providerOf(
  visit: OpsVisit,
  { providers }: ProviderStates,
): ProviderState | undefined {
  return providers.find((one) => nameOf(one) === visit.part('provider'))
}

/** What the forms about a provider show of it. */
export function seenOfProvider({ language }: OpsVisit, one: ProviderState): Fact[] {
  const { provider, orders, states } = providerWords[language]
  const show = (value: Fact['value']) => states[value === true ? 'paused' : one.breaker.state]
  return [
    { name: 'provider', label: provider, value: nameOf(one) },
    { name: 'isPaused', label: orders, value: one.isPaused, show },
  ]
}
