import type { Country } from '#merchants/catalog/countries.ts'
import { likelyProvider } from '#merchants/catalog/phone.ts'
import type { Operation, Service } from '#merchants/catalog/services.ts'
import type { DeclineCause } from '#money/providers/contract.ts'
import type { Draw } from './draw.ts'

// service, how often of a thousand payments: every wallet, operator and biller
const mix: [string, number][] = [
  ['WALLETA_SN_CASHOUT', 270],
  ['WALLETB_SN_CASHOUT', 190],
  ['WALLETC_SN_CASHOUT', 70],
  ['WALLETD_SN_CASHOUT', 40],
  ['WALLETA_CI_CASHOUT', 60],
  ['WALLETF_CI_CASHOUT', 50],
  ['WALLETE_CI_CASHOUT', 30],
  ['WALLETG_CI_CASHOUT', 25],
  ['WALLETA_ML_CASHOUT', 20],
  ['WALLETE_ML_CASHOUT', 15],
  ['WALLETF_CM_CASHOUT', 15],
  ['WALLETA_CM_CASHOUT', 10],
  ['WALLETA_SN_CASHIN', 40],
  ['WALLETB_SN_CASHIN', 30],
  ['WALLETF_CI_CASHIN', 15],
  ['OPERATOR1_SN_AIRTIME', 40],
  ['OPERATOR2_SN_AIRTIME', 20],
  ['OPERATOR3_SN_AIRTIME', 8],
  ['OPERATOR4_SN_AIRTIME', 7],
  ['PREPAID_SN_BILL', 25],
  ['ELEC_SN_BILL', 12],
  ['WATER_SN_BILL', 8],
]

/** The service of a payment. */
export function mixOf(draw: Draw): string {
  return draw.weighted(mix)
}

const prices: Record<Operation, [number, number][]> = {
  CASHOUT: [
    [1500, 8],
    [2500, 12],
    [3500, 10],
    [5000, 16],
    [7500, 14],
    [12_000, 12],
    [18_500, 8],
    [27_000, 5],
    [45_000, 3],
    [95_000, 1],
  ],
  CASHIN: [
    [5000, 5],
    [15_000, 6],
    [25_000, 4],
    [60_000, 2],
  ],
  AIRTIME: [
    [500, 6],
    [1000, 8],
    [2000, 4],
    [5000, 1],
  ],
  BILL: [
    [2000, 3],
    [5000, 5],
    [10_000, 4],
    [18_300, 2],
  ],
}

/** An amount that people pay: a price, give or take some coins. */
export function priceOf(draw: Draw, operation: Operation): number {
  const base = draw.weighted(prices[operation])
  return operation === 'AIRTIME' ? base : base + draw.below(8) * 25
}

// country, the first digits of its numbers as the interface has them
const prefixes: Record<Country, string[]> = {
  SN: ['77', '78', '76', '70'],
  CI: ['7', '5', '1'],
  ML: ['07', '06'],
  CM: ['67', '69', '65'],
}
const regulars = 90

/** The number of a customer of a wallet or operator; most of them come again. */
export function customerOf(
  draw: Draw,
  { country, provider }: Pick<Service, 'country' | 'provider'>,
): string {
  const digits = 987_654 + draw.below(regulars) * draw.below(3) * 13_577 + draw.below(5) * 1009
  const own = prefixes[country].filter(
    (prefix) => likelyProvider(prefix.padEnd(9, '0'), country) === provider,
  )
  const prefix = draw.one(own.length === 0 ? prefixes[country] : own)
  return `${prefix}${String(digits % 10_000_000).padStart(9 - prefix.length, '4')}`
}

/** The number of a meter or of a customer of a biller; the lab has none of these. */
export function meterOf(draw: Draw): string {
  return `3${String(10_000_000 + draw.below(40) * 173_311).padStart(8, '0')}`
}

const payerCauses: [DeclineCause, number][] = [
  ['balance_low', 36],
  ['payer_refused', 22],
  ['payer_timeout', 22],
  ['declined', 10],
  ['limit_reached', 6],
  ['payer_not_found', 4],
]
const orderCauses: [DeclineCause, number][] = [
  ['declined', 5],
  ['payer_not_found', 4],
  ['limit_reached', 2],
]
// Of a thousand: how many do not succeed.
const failing: Record<Operation, number> = { CASHOUT: 85, CASHIN: 35, AIRTIME: 20, BILL: 20 }

/** Why a payment failed; null: it succeeded. WALLETB has a bad hour each week. */
export function failureOf(draw: Draw, service: Service, isBadHour: boolean): DeclineCause | null {
  const isDown = isBadHour && service.provider === 'WALLETB'
  if (draw.below(1000) >= (isDown ? 600 : failing[service.operation])) return null
  if (isDown) return 'unavailable'
  // A biller refuses without a reason that we would know.
  if (service.operation === 'BILL') return 'declined'
  return draw.weighted(service.operation === 'CASHOUT' ? payerCauses : orderCauses)
}
