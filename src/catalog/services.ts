import type { Country, Currency } from './countries.ts'
import { countries } from './countries.ts'

export type Operation = 'CASHOUT' | 'CASHIN' | 'AIRTIME' | 'BILL'
export type ServiceType = 'MOBILEMONEY' | 'AIRTIME' | 'BILL'

/** Something a merchant can use: one operation of one provider in one country. */
export interface Service {
  code: string
  /** What people are shown. */
  name: string
  type: ServiceType
  country: Country
  /** Neutral token of the wallet, operator or biller. */
  provider: string
  operation: Operation
  currency: Currency
  /** Whether the merchant pays: its money is held before the provider is asked. */
  isDebit: boolean
  /** Whether it tops up a meter by an amount of the customer's choice. */
  isPrepaid: boolean
}

// provider, country, operations: the whole offer on one page.
const offer: [string, Country, Operation[]][] = [
  ['WALLETA', 'SN', ['CASHIN', 'CASHOUT']],
  ['WALLETB', 'SN', ['CASHIN', 'CASHOUT']],
  ['WALLETC', 'SN', ['CASHIN', 'CASHOUT']],
  ['WALLETD', 'SN', ['CASHIN', 'CASHOUT']],
  ['WALLETA', 'ML', ['CASHOUT']],
  ['WALLETE', 'ML', ['CASHOUT']],
  ['WALLETB', 'ML', ['CASHOUT']],
  ['WALLETA', 'CI', ['CASHIN', 'CASHOUT']],
  ['WALLETB', 'CI', ['CASHIN', 'CASHOUT']],
  ['WALLETF', 'CI', ['CASHIN', 'CASHOUT']],
  ['WALLETE', 'CI', ['CASHIN', 'CASHOUT']],
  ['WALLETG', 'CI', ['CASHOUT']],
  ['WALLETA', 'CM', ['CASHOUT']],
  ['WALLETF', 'CM', ['CASHOUT']],
  ['OPERATOR1', 'SN', ['AIRTIME']],
  ['OPERATOR2', 'SN', ['AIRTIME']],
  ['OPERATOR3', 'SN', ['AIRTIME']],
  ['OPERATOR4', 'SN', ['AIRTIME']],
  ['WATER', 'SN', ['BILL']],
  ['ELEC', 'SN', ['BILL']],
  ['PREPAID', 'SN', ['BILL']],
]

const typeOf: Record<Operation, ServiceType> = {
  CASHOUT: 'MOBILEMONEY',
  CASHIN: 'MOBILEMONEY',
  AIRTIME: 'AIRTIME',
  BILL: 'BILL',
}

const operationNames: Record<Operation, string> = {
  CASHOUT: 'Cash Out',
  CASHIN: 'Cash In',
  AIRTIME: 'Airtime',
  BILL: 'Bill',
}

const billerNames: Record<string, string> = {
  WATER: 'Water bill',
  ELEC: 'Electricity bill',
  PREPAID: 'Prepaid electricity top-up',
}

/** Every service there is, in the order of the offer. */
export const services: readonly Service[] = offer.flatMap(([provider, country, operations]) =>
  operations.map((operation) => describe(provider, country, operation)),
)

const byCode = new Map(services.map((service) => [service.code, service]))

/** The service of a code, or undefined for anything else, whatever its case or shape. */
export function parseServiceCode(code: string): Service | undefined {
  return byCode.get(code)
}

function describe(provider: string, country: Country, operation: Operation): Service {
  return {
    code: `${provider}_${country}_${operation}`,
    name: `${providerName(provider, operation)} ${countries[country].name}`,
    type: typeOf[operation],
    country,
    provider,
    operation,
    currency: countries[country].currency,
    isDebit: operation !== 'CASHOUT',
    isPrepaid: provider === 'PREPAID',
  }
}

function providerName(provider: string, operation: Operation): string {
  const biller = billerNames[provider]
  if (biller !== undefined) return biller
  const spaced = provider.replace(/^(WALLET|OPERATOR)(.)$/, (_, kind: string, which: string) =>
    kind === 'WALLET' ? `Wallet ${which}` : `Operator ${which}`,
  )
  return `${spaced} ${operationNames[operation]}`
}
