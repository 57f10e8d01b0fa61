import type { Party } from '#backoffice/recon/import/statement.ts'
import type { Language } from '#base/kit/language.ts'
import { providerWord } from '#doors/dashboard/frame/kinds.ts'
import { services } from '#merchants/catalog/services.ts'

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
