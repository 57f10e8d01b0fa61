import { type Country, type Currency, countries } from './countries.ts'

/** CASHOUT collects from a payer, CASHIN pays out to one; both are seen from the payer's wallet. */
export type Operation = 'CASHOUT' | 'CASHIN' | 'AIRTIME' | 'BILL'
export type ServiceType = 'MOBILEMONEY' | 'AIRTIME' | 'BILL'

/** One operation of one provider in one country. */
export interface Service {
  code: string
  /** The name that people see. */
  name: string
  type: ServiceType
  country: Country
  /** The wallet, operator or biller, under a neutral name. */
  provider: string
  operation: Operation
  currency: Currency
  /** Whether the merchant pays: its money is held before the order is sent. */
  isDebit: boolean
  /** Whether it tops up a prepaid meter by any amount, instead of paying a bill. */
  isPrepaid: boolean
}

// provider, country, operations
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

const operations: Record<Operation, { name: string } & Pick<Service, 'type' | 'isDebit'>> = {
  CASHOUT: { name: 'Cash Out', type: 'MOBILEMONEY', isDebit: false },
  CASHIN: { name: 'Cash In', type: 'MOBILEMONEY', isDebit: true },
  AIRTIME: { name: 'Airtime', type: 'AIRTIME', isDebit: true },
  BILL: { name: 'Bill', type: 'BILL', isDebit: true },
}

const billerNames: Record<string, string> = {
  WATER: 'Water bill',
  ELEC: 'Electricity bill',
  PREPAID: 'Prepaid electricity top-up',
}

/** Every service there is, in the order of the offer. */
export const services: readonly Service[] = offer.flatMap(([provider, country, offered]) =>
  offered.map((operation) => serviceOf(provider, country, operation)),
)

const byCode = new Map(services.map((service) => [service.code, service]))

/** The service of this exact code, or undefined. */
export function parseServiceCode(code: string): Service | undefined {
  return byCode.get(code)
}

function serviceOf(provider: string, country: Country, operation: Operation): Service {
  const { type, isDebit } = operations[operation]
  return {
    code: `${provider}_${country}_${operation}`,
    name: `${nameOf(provider, operation)} ${countries[country].name}`,
    type,
    country,
    provider,
    operation,
    currency: countries[country].currency,
    isDebit,
    isPrepaid: provider === 'PREPAID',
  }
}

function nameOf(provider: string, operation: Operation): string {
  const biller = billerNames[provider]
  if (biller !== undefined) return biller
  const spaced = provider.replace(/^(WALLET|OPERATOR)(.)$/, (_, kind: string, which: string) =>
    kind === 'WALLET' ? `Wallet ${which}` : `Operator ${which}`,
  )
  return `${spaced} ${operations[operation].name}`
}
