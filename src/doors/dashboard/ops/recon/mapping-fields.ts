import type { FeeTerms } from '#backoffice/recon/import/mapping.ts'
import type { Language } from '#base/kit/language.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { ColumnField, Mapping } from '#formats/statements/mapping.ts'

/** What a column can hold, in the order of the form. */
export const columnFields: readonly ColumnField[] = [
  'at',
  'time',
  'reference',
  'ourReference',
  'kind',
  'phone',
  'amount',
  'debit',
  'credit',
  'sign',
  'fees',
  'status',
  'balance',
  'currency',
]

const fieldWords = inBoth<Record<ColumnField, string>>({
  fr: {
    at: 'Date, ou date et heure',
    time: 'Heure, si elle est à part',
    reference: fr`Référence du prestataire`,
    ourReference: fr`Notre référence`,
    kind: fr`Opération`,
    phone: fr`Numéro`,
    amount: 'Montant',
    debit: fr`Débit`,
    credit: fr`Crédit`,
    sign: 'Sens',
    fees: 'Frais',
    status: fr`Résultat`,
    balance: fr`Solde après la ligne`,
    currency: 'Devise',
  },
  en: {
    at: 'Date, or date and time',
    time: 'Time, if it stands apart',
    reference: 'Provider’s reference',
    ourReference: 'Our reference',
    kind: 'Operation',
    phone: 'Number',
    amount: 'Amount',
    debit: 'Debit',
    credit: 'Credit',
    sign: 'Direction',
    fees: 'Fees',
    status: 'Result',
    balance: 'Balance after the line',
    currency: 'Currency',
  },
})

export function fieldWord(language: Language, field: ColumnField): string {
  return fieldWords[language][field]
}

/** A mapping as the fields of its form, all of them texts. */
export type Typed = Record<string, string>

const plainNames = ['timeZone', 'decimal', 'sign', 'feeSign', 'debitSign', 'order'] as const
const wordNames = ['kinds', 'statuses', 'signs'] as const
const emptyNames = ['reference', 'ourReference', 'fees'] as const

/** What the form shows of a mapping. */
export function typedOf(mapping: Mapping | null, fees: FeeTerms | null): Typed {
  const typed: Typed = { fees: feesText(fees ?? {}) }
  if (mapping === null) return typed
  for (const name of columnFields)
    typed[`columns.${name}`] = [mapping.columns[name] ?? []].flat().join('\n')
  for (const name of plainNames) typed[name] = mapping[name] ?? ''
  for (const name of wordNames) typed[name] = pairsText(mapping[name] ?? {})
  for (const name of emptyNames)
    typed[`empty.${name}`] = mapping.mayBeEmpty?.includes(name) ? 'yes' : ''
  const { always = {}, balances = {}, separator = '', dates = [], skip } = mapping
  return {
    ...typed,
    separator: separator === '\t' ? 'tab' : separator,
    untitled: mapping.titles === false ? 'yes' : '',
    isNet: mapping.isNet === true ? 'yes' : '',
    dates: dates.join('\n'),
    'always.in': always.in ?? '',
    'always.out': always.out ?? '',
    'always.status': always.status ?? '',
    'balances.opening': balances.opening ?? '',
    'balances.closing': balances.closing ?? '',
    skip: skip === undefined ? '' : JSON.stringify(skip, null, 1),
  }
}

/**
 * The mapping that was typed, as plain data: whether it is one is checked where it is kept. Without
 * any column there is none, and files are understood by themselves.
 */
export function mappingOf(typed: Typed): unknown {
  const get = (name: string) => (typed[name] ?? '').trim()
  const columns = Object.fromEntries(
    columnFields
      .map((name): [string, string | string[]] => {
        const text = get(`columns.${name}`)
        return [name, name === 'fees' && text !== '' ? linesOf(text) : text]
      })
      .filter(([, text]) => text.length > 0),
  )
  if (Object.keys(columns).length === 0) return null
  const empty = emptyNames.filter((name) => get(`empty.${name}`) === 'yes')
  const separator = get('separator')
  return withoutEmpty({
    version: 1,
    separator: separator === 'tab' ? '\t' : separator,
    titles: get('untitled') === 'yes' ? false : '',
    columns,
    dates: linesOf(get('dates')),
    ...Object.fromEntries(plainNames.map((name) => [name, get(name)])),
    ...Object.fromEntries(wordNames.map((name) => [name, pairsOf(get(name))])),
    always: withoutEmpty({
      in: get('always.in'),
      out: get('always.out'),
      status: get('always.status'),
    }),
    isNet: get('isNet') === 'yes' ? true : '',
    balances: withoutEmpty({ opening: get('balances.opening'), closing: get('balances.closing') }),
    skip: jsonOf(get('skip')),
    mayBeEmpty: empty,
  })
}

/** The fees that were typed: a line each, such as `collect = 100 + 0`. */
export function feeTermsOf(typed: Typed): FeeTerms | null {
  const pairs = Object.entries(pairsOf((typed.fees ?? '').trim()))
  if (pairs.length === 0) return null
  return Object.fromEntries(
    pairs.map(([kind, text]) => {
      const [basisPoints = '', fixed = '0'] = text.split('+').map((part) => part.trim())
      return [kind, { basisPoints: wholeOf(basisPoints), fixed: wholeOf(fixed) }]
    }),
  )
}

function wholeOf(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
}

function feesText(fees: FeeTerms): string {
  return Object.entries(fees)
    .map(([kind, { basisPoints, fixed }]) => `${kind} = ${basisPoints} + ${fixed}`)
    .join('\n')
}

function pairsText(pairs: Record<string, string>): string {
  return Object.entries(pairs)
    .map(([word, meaning]) => `${word} = ${meaning}`)
    .join('\n')
}

/** A line each: a word of the file, and what it means. */
function pairsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    linesOf(text).map((line) => {
      // A word may have an equals sign, a meaning has none.
      const place = line.lastIndexOf('=')
      const word = place < 0 ? line : line.slice(0, place)
      return [word.trim(), place < 0 ? '' : line.slice(place + 1).trim()]
    }),
  )
}

function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Data as it is written; a text that is none stays a text, and is then refused. */
function jsonOf(text: string): unknown {
  try {
    return text === '' ? '' : JSON.parse(text)
  } catch {
    return text
  }
}

function withoutEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => {
      if (value === '') return false
      return typeof value !== 'object' || value === null || Object.keys(value).length > 0
    }),
  )
}
