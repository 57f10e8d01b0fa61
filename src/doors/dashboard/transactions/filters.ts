import { isUuid } from '#base/kit/ids.ts'
import { readAmount } from '#base/kit/money.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import { possiblePhones, withoutPunctuation } from '#merchants/catalog/phone-forms.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import { isSubMerchantId } from '#merchants/sub-merchants/sub-merchant.ts'
import { anyTransaction } from '#money/transactions/list.ts'
import type { TransactionFilter } from '#money/transactions/list-store.ts'
import { operations, transactionStatuses } from '#money/transactions/transaction.ts'
import type { Problems } from '../frame/fields.ts'
import { readRange } from '../frame/ranges.ts'
import type { AnyVisit } from '../frame/visit.ts'
import { hiddenByDefault, optionalColumns } from './rows.ts'

/** The names of the filters in the address, in the order of the form. */
export const filterNames = [
  'status',
  'kind',
  'service',
  'from',
  'to',
  'min',
  'max',
  'number',
  'shop',
] as const

export type FilterName = (typeof filterNames)[number] | 'client'

/** What the address of a list asks for. */
export interface Asked {
  search: string
  filter: TransactionFilter
  range: { from: Date | null; to: Date | null }
  after: string | null
  /** The columns that are not shown. */
  hidden: string[]
  /** The filters as they were typed; only those that are set. */
  typed: Partial<Record<FilterName, string>>
  problems: Problems
}

const words = inBoth({
  fr: {
    number: fr`Écrivez les chiffres d'un numéro, par exemple 77 123 45 67.`,
    choice: fr`Choisissez une valeur de la liste.`,
    search: fr`Cherchez un texte de 128 caractères au plus.`,
    amount: fr`Écrivez un montant en francs, par exemple 15 000.`,
    order: fr`Le montant le plus haut est sous le plus bas.`,
  },
  en: {
    number: 'Write the digits of a number, for example 77 123 45 67.',
    choice: 'Choose a value from the list.',
    search: 'Search for a text of at most 128 characters.',
    amount: 'Write an amount in francs, for example 15 000.',
    order: 'The highest amount is below the lowest.',
  },
})

/** Reads the address of a list with these filters. What is wrong has a sentence. */
export function readFilters(
  visit: Pick<AnyVisit, 'query' | 'language' | 'zone'>,
  names: readonly FilterName[] = filterNames,
): Asked {
  const { query, language } = visit
  const sentences = words[language]
  const typed = Object.fromEntries(
    names
      .map((name) => [name, (query[name] ?? '').trim()] as const)
      .filter(([, value]) => value !== ''),
  ) as Asked['typed']
  const problems: Problems = {}
  const read = <T>(name: FilterName, parse: (text: string) => T | undefined, sentence: string) => {
    const text = typed[name]
    if (text === undefined) return null
    const value = parse(text)
    if (value === undefined) problems[name] = sentence
    return value ?? null
  }
  const filter: TransactionFilter = {
    ...anyTransaction,
    statuses: read('status', someOf(transactionStatuses), sentences.choice),
    operation: read('kind', oneOf(operations), sentences.choice),
    serviceCode: read('service', (code) => parseServiceCode(code)?.code, sentences.choice),
    amountMin: read('min', readAmount, sentences.amount),
    amountMax: read('max', readAmount, sentences.amount),
    phone: read('number', readNumber, sentences.number),
    subMerchantId: read('shop', (id) => (isSubMerchantId(id) ? id : undefined), sentences.choice),
  }
  const { amountMin = null, amountMax = null } = filter
  if (amountMin !== null && amountMax !== null && amountMax < amountMin)
    problems.max = sentences.order
  const days = readRange(visit)
  Object.assign(problems, days.problems)
  const search = (query.q ?? '').trim()
  if (search.length > 128) problems.q = sentences.search
  const after = query.after ?? ''
  return {
    search,
    filter,
    range: { from: days.from, to: days.to },
    after: isUuid(after) ? after : null,
    hidden: hiddenBy(query.hide),
    typed,
    problems,
  }
}

/** The columns that `?hide=` names; `none` shows all of them. */
function hiddenBy(hide: string | undefined): string[] {
  if (hide === undefined) return hiddenByDefault
  return optionalColumns.filter((key) => hide.split(',').includes(key))
}

/** What `?hide=` says so that these columns are not shown; null: nothing, as by default. */
export function hideOf(hidden: string[]): string | null {
  const isDefault = hidden.toSorted().join() === hiddenByDefault.toSorted().join()
  return isDefault ? null : hidden.join(',') || 'none'
}

/** Several values, as a list with commas. */
function someOf<T extends string>(values: readonly T[]): (text: string) => T[] | undefined {
  return (text) => {
    const asked = text.split(',')
    const known = values.filter((value) => asked.includes(value))
    return asked.every((one) => known.some((value) => value === one)) ? known : undefined
  }
}

function oneOf<T extends string>(values: readonly T[]): (text: string) => T | undefined {
  return (text) => values.find((value) => value === text)
}

/** A number as the interface has it; the number of a meter as it is. */
function readNumber(text: string): string | undefined {
  const digits = withoutPunctuation(text).replace(/^\+/, '')
  if (!/^[0-9]{4,20}$/.test(digits)) return undefined
  return possiblePhones(text)[0] ?? digits
}
