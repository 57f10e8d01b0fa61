import type { Party } from '#backoffice/recon/import/statement.ts'
import { type Html, html } from '#base/kit/html.ts'
import type { Language } from '#base/kit/language.ts'
import { dayOf, startOfDay } from '#base/kit/zoned-days.ts'
import { dayText, moment } from '#doors/dashboard/frame/components.ts'
import { providerWord } from '#doors/dashboard/frame/kinds.ts'
import type { OpsVisit } from '#doors/dashboard/frame/visit.ts'
import { type Country, countries } from '#merchants/catalog/countries.ts'
import { parseServiceCode, services } from '#merchants/catalog/services.ts'

/** Every provider in a country, as addresses and forms name it: WALLETA_SN. */
export const partyNames: readonly string[] = [
  ...new Set(services.map(({ provider, country }) => `${provider}_${country}`)),
]

/** The provider of a name; undefined: there is none. */
export function partyOf(name: string): Party | undefined {
  const [provider = '', country = ''] = name.split('_')
  return partyNames.includes(name) ? { provider, country } : undefined
}

export function nameOf({ provider, country }: Party): string {
  return `${provider}_${country}`
}

export function partyWord(language: Language, party: Party): string {
  return providerWord(language, nameOf(party))
}

/** For a field in which one is chosen. */
export function partyOptions(language: Language): [value: string, text: string][] {
  return partyNames.map((name) => [name, providerWord(language, name)])
}

/** A visit that shows times as the statements of a provider tell them: in its country. */
export function inParty(visit: OpsVisit, { country }: Pick<Party, 'country'>): OpsVisit {
  return { ...visit, zone: countries[country as Country].timeZone }
}

/** The same for a service. */
export function inCountryOf(visit: OpsVisit, serviceCode: string): OpsVisit {
  const country = parseServiceCode(serviceCode)?.country
  return country === undefined ? visit : inParty(visit, { country })
}

type Shown = Pick<OpsVisit, 'zone' | 'language'>

/** When something was that a statement tells: a day without a time is only that. */
export function toldAt(visit: Shown, at: Date, isDay = false): Html {
  return isDay ? html`${dayText(visit.language, dayOf(at, visit.zone))}` : moment(visit, at)
}

/** The time of a statement: whole days, or from one moment to another. */
export function spanOf(visit: Shown, from: Date, to: Date): Html {
  const isWhole = [from, to].every(
    (at) => startOfDay(dayOf(at, visit.zone), visit.zone).getTime() === at.getTime(),
  )
  if (!isWhole) return html`${moment(visit, from)} – ${moment(visit, to)}`
  const last = new Date(to.getTime() - 1)
  const [one, other] = [toldAt(visit, from, true), toldAt(visit, last, true)]
  return dayOf(from, visit.zone) === dayOf(last, visit.zone) ? one : html`${one} – ${other}`
}
