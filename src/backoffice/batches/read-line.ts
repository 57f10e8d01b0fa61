import { readAmount } from '#base/kit/money.ts'
import { nearest } from '#base/kit/nearest.ts'
import { breaksLine } from '#base/kit/one-line.ts'
import { type Reason, reason } from '#base/kit/refusal.ts'
import { toStorable } from '#data/db/storable-text.ts'
import { amountProblem } from '#edge/wire/amount.ts'
import { isOfOtherPath } from '#edge/wire/init.ts'
import type { TableRow } from '#formats/tables/table.ts'
import { type Country, countries } from '#merchants/catalog/countries.ts'
import { readPhone } from '#merchants/catalog/phone.ts'
import { parseServiceCode, type Service, services } from '#merchants/catalog/services.ts'
import type { Contract } from '#merchants/clients/contract.ts'
import { feeOn } from '#merchants/clients/fees.ts'
import type { BatchLine } from './batch.ts'
import { type Columns, type Field, plain } from './columns.ts'

const payouts = services.filter(({ operation }) => operation === 'CASHIN')
const payoutCountries = [...new Set(payouts.map(({ country }) => country))]

// A retry adds its number to the merchant's own id, which has 128 characters at most.
const externalIdLengthMax = 120
const textLengthMax = 200

type Cells = Record<Field, string>

/** A row of a file as a line of a batch, with everything that is wrong with it. */
export function readLine(row: TableRow, columns: Columns, contract: Contract): BatchLine {
  const cells = cellsOf(row, columns)
  const errors: Reason[] = []
  const note = <T>(read: T | Reason[]): T | null => {
    if (!Array.isArray(read)) return read
    errors.push(...read)
    return null
  }
  const service = note(readService(cells))
  const phone = note(readNumber(cells.number, service))
  const amount = note(amountOf(cells.amount))
  if (service !== null) errors.push(...termsProblems(service, amount, contract))
  errors.push(...textProblems(cells))
  if (isOfOtherPath(cells.externalId))
    errors.push(reason('The external id must not be {id}', { id: cells.externalId }, 'externalId'))
  const terms = service === null ? undefined : contract.terms.get(service.code)
  return {
    line: row.line,
    phone,
    serviceCode: service?.code ?? null,
    amount,
    fee: service && terms && amount !== null ? feeOn(service, terms, amount) : null,
    name: toStorable(cells.name),
    reference: toStorable(cells.reference),
    externalId: toStorable(cells.externalId) || null,
    given: errors.length === 0 ? null : cells,
    errors,
    warnings: [],
    state: errors.length === 0 ? 'waiting' : 'faulty',
    attempt: 1,
    transactionId: null,
    refusal: null,
  }
}

function cellsOf({ cells }: TableRow, columns: Columns): Cells {
  const textOf = (field: Field) => toStorable((cells[columns.get(field) ?? -1] ?? '').trim())
  return {
    number: textOf('number'),
    amount: textOf('amount'),
    service: textOf('service'),
    wallet: textOf('wallet'),
    country: textOf('country'),
    name: textOf('name'),
    reference: textOf('reference'),
    externalId: textOf('externalId'),
  }
}

/** The service that pays out to a wallet: by its code, or by wallet and country. */
function readService(cells: Cells): Service | Reason[] {
  if (cells.service !== '') return readCode(cells.service)
  if (cells.wallet === '') return [reason('The wallet is missing', {}, 'wallet')]
  if (parseServiceCode(cells.wallet) !== undefined) return readCode(cells.wallet)
  const wallet = plain(cells.wallet).toUpperCase()
  const own = payouts.filter(({ provider }) => provider === wallet)
  if (own.length === 0)
    return [
      reason('No payouts are made to the wallet {wallet}', { wallet: cells.wallet }, 'wallet'),
    ]
  const country = readCountry(cells, own)
  if (country === undefined)
    return [
      cells.country === ''
        ? reason('The country is missing: this wallet exists in several', {}, 'country')
        : reason('There is no country {country}', { country: cells.country }, 'country'),
    ]
  const found = own.find((service) => service.country === country)
  return (
    found ?? [
      reason('The wallet {wallet} has no payouts in {country}', { ...cells, country }, 'country'),
    ]
  )
}

function readCode(text: string): Service | Reason[] {
  const code = text.toUpperCase()
  const service = parseServiceCode(code)
  if (service?.operation === 'CASHIN') return service
  const codes = payouts.map((one) => one.code)
  // Most often the code of the collection of the same wallet.
  const meant = nearest(code.replace('_CASHOUT', '_CASHIN'), codes)
  return [
    meant === undefined
      ? reason('{sent} is not a service that pays out', { sent: text }, 'service')
      : reason(
          '{sent} is not a service that pays out: did you mean {code}?',
          { sent: text, code: meant },
          'service',
        ),
  ]
}

const countryByName = new Map(
  (Object.keys(countries) as Country[]).flatMap((code): [string, Country][] => [
    [plain(code), code],
    [plain(countries[code].name), code],
  ]),
).set(plain('Cameroun'), 'CM')

/** The country as written; else the only one of the wallet, or the one that the number names. */
function readCountry(cells: Cells, own: Service[]): Country | undefined {
  if (cells.country !== '') return countryByName.get(plain(cells.country))
  if (own.length === 1) return own[0]?.country
  const isInternational = /^\s*(\+|00)/.test(cells.number)
  const read = isInternational ? readPhone(cells.number, payoutCountries) : undefined
  return read?.kind === 'phone' ? (read.country as Country) : undefined
}

function readNumber(text: string, service: Service | null): string | Reason[] {
  if (text === '') return [reason('The number is missing', {}, 'number')]
  const offered = service === null ? payoutCountries : [service.country]
  const read = readPhone(text, offered, offered[0])
  if (read.kind === 'phone') return read.phone
  const country = service === null ? '' : countries[service.country].name
  return [
    read.problem === 'phone_country' && country !== ''
      ? reason('The number {number} is not one of {country}', { number: text, country }, 'number')
      : reason('{number} is not a phone number', { number: text }, 'number'),
  ]
}

function amountOf(text: string): number | Reason[] {
  if (text === '') return [reason('The amount is missing', {}, 'amount')]
  const amount = readAmount(text) ?? 0
  return amount > 0
    ? amount
    : [
        reason(
          '{amount} is not a whole amount in francs, such as 15000',
          { amount: text },
          'amount',
        ),
      ]
}

function termsProblems(service: Service, amount: number | null, { terms }: Contract): Reason[] {
  const { code } = service
  if (!terms.get(code)?.isEnabled)
    return [reason('The service {code} is not enabled for your account', { code }, 'service')]
  const problem = amount === null ? undefined : amountProblem(amount, terms.get(code))
  return problem === undefined
    ? []
    : [reason('The amount must be from {min} to {max} francs', problem.values, 'amount')]
}

function textProblems(cells: Cells): Reason[] {
  const limits: [Field, number][] = [
    ['name', textLengthMax],
    ['reference', textLengthMax],
    ['externalId', externalIdLengthMax],
  ]
  return limits.flatMap(([field, lengthMax]) => [
    ...(cells[field].length > lengthMax
      ? [reason('The text has more than {lengthMax} characters', { lengthMax }, field)]
      : []),
    ...(breaksLine(cells[field])
      ? [reason('The text must not have line breaks or control characters', {}, field)]
      : []),
  ])
}
