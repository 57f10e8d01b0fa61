import { type Html, html } from '#base/kit/html.ts'
import {
  groupPhone,
  likelyProvider,
  type PhoneReading,
  readPhone,
} from '#merchants/catalog/phone.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import type { PayerView, WalletChoice } from '#money/links/checkout.ts'
import type { Entry } from './notes.ts'

/** A number that was read, with its country. */
export interface Account {
  phone: string
  country: string
}

/** The countries of a link's wallets. */
export function countriesOf({ wallets }: PayerView): string[] {
  return [...new Set(wallets.map((wallet) => wallet.country))]
}

/** The country that is chosen unless the number or the payer says otherwise: the shop's. */
function usualCountry(view: PayerView): string {
  const offered = countriesOf(view)
  return offered.find((country) => country === view.country) ?? offered[0] ?? ''
}

/**
 * Reads the number of an entry. The usual country is preset, so that it may have been left alone:
 * what the number looks like counts more.
 */
export function readNumber(view: PayerView, { country, phone }: Entry): PhoneReading {
  const usual = usualCountry(view)
  return readPhone(phone, countriesOf(view), country === usual ? '' : country, usual)
}

/** The input to begin with: the number of the last try, else the customer's. */
export function suggestEntry(view: PayerView): Entry {
  const failed = lastFailureOf(view)
  if (failed !== null) return { ...failed, phone: groupPhone(failed.phone, failed.country) }
  const offered = countriesOf(view)
  const known = readPhone(view.customerPhone ?? '', offered)
  if (known.kind === 'phone')
    return {
      serviceCode: '',
      country: known.country,
      phone: groupPhone(known.phone, known.country),
    }
  // Of a number that may belong to several countries the payer chooses the country.
  const phone = known.problem === 'country' ? (view.customerPhone ?? '') : ''
  return { serviceCode: '', country: usualCountry(view), phone }
}

/** The wallets that an account may have. */
export function walletsOf({ wallets }: PayerView, { country }: Account): WalletChoice[] {
  return wallets.filter((wallet) => wallet.country === country)
}

/**
 * The wallet to preselect, which the payer sees and may change: the one that was sent, the one of
 * the last try with this number, the only one, or the one that the number's first digits suggest.
 */
export function suggestWallet(view: PayerView, account: Account, sent: string): string {
  const open = walletsOf(view, account).filter((wallet) => wallet.isAvailable)
  const failed = lastFailureOf(view)
  const isSame = failed?.phone === account.phone && failed.country === account.country
  // An operator that does not know the number is no suggestion.
  const isUnknownThere = isSame && failed.cause === 'payer_not_found'
  const likely = likelyProvider(account.phone, account.country)
  const [only, another] = open
  const suggested = [
    sent,
    ...(isSame && !isUnknownThere ? [failed.serviceCode] : []),
    ...(only !== undefined && another === undefined ? [only.serviceCode] : []),
    ...open
      .map((one) => one.serviceCode)
      .filter((code) => parseServiceCode(code)?.provider === likely),
  ].filter((code) => code === sent || !isUnknownThere || code !== failed.serviceCode)
  return suggested.find((code) => open.some((one) => one.serviceCode === code)) ?? ''
}

function lastFailureOf({ state }: PayerView) {
  return state.kind === 'choose' ? state.lastFailure : null
}

/** Hidden fields that pass the number on. */
export function hiddenAccount({ country, phone }: Account): Html {
  return html`<input type="hidden" name="country" value="${country}">
<input type="hidden" name="phone" value="${phone}">`
}
