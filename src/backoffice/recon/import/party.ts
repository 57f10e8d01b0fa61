import { Refusal, reason } from '#base/kit/refusal.ts'
import { countries } from '#merchants/catalog/countries.ts'
import { services } from '#merchants/catalog/services.ts'
import type { Party } from './statement.ts'

/** A provider of the catalogue; refuses any other. */
export function checkParty({ provider, country }: Party): void {
  if (!services.some((one) => one.provider === provider && one.country === country))
    throw new Refusal(
      'not_found',
      reason('There is no provider {provider} in {country}', { provider, country }),
    )
}

/** The francs of a provider's account, and where its days begin and end. */
export function partyFacts({ provider, country }: Party) {
  const found = services.find((one) => one.provider === provider && one.country === country)
  if (found === undefined) throw new Error(`no service of ${provider} ${country}`)
  return { currency: found.currency, timeZone: countries[found.country].timeZone }
}

/** The codes of a provider's services. */
export function codesOf({ provider, country }: Party): string[] {
  return services
    .filter((one) => one.provider === provider && one.country === country)
    .map(({ code }) => code)
}
