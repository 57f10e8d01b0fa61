import { type Reason, reason } from '#base/kit/refusal.ts'
import type { TableRow } from '#formats/tables/table.ts'
import type { ColumnField, Mapping } from './mapping.ts'
import { readFrancs } from './read-francs.ts'
import { momentReader } from './read-moment.ts'
import { kindWords, labelWords, signWords, statusWords, titleWords } from './title-words.ts'
import { folded } from './words.ts'

/** A mapping to begin with, and what a person has to decide before it can be used. */
export interface Guess {
  mapping: Mapping
  undecided: Reason[]
}

type Columns = Mapping['columns']

/**
 * Proposes a mapping by the titles of a file and the values under them. What may mean two things
 * is left to a person; undefined: no row has titles.
 */
export function guessMapping(rows: TableRow[]): Guess | undefined {
  const header = rows.map(titlesOf).find((one) => one !== undefined)
  if (header === undefined) return undefined
  const { columns, places } = header
  const below = rows.filter(({ line }) => line > header.line)
  const lines = below.filter(({ cells }) => !cells.some((cell) => isLabel(cell)))
  const valuesOf = (field: ColumnField) =>
    (places.get(field) ?? [])
      .flatMap((place) => lines.map(({ cells }) => (cells[place] ?? '').trim()))
      .filter((cell) => cell !== '')
  const undecided: Reason[] = []
  const mapping: Mapping = {
    version: 1,
    columns,
    ...guessDates(columns, lines, places, undecided),
    ...guessAmounts(valuesOf, undecided),
    ...guessWords(columns, valuesOf, undecided),
    ...guessRules(rows),
  }
  return { mapping: withOrder(mapping, lines, places), undecided }
}

interface Titles {
  line: number
  columns: Columns
  places: Map<ColumnField, number[]>
}

/** The columns that a row seems to name: at least a date, an amount and one more. */
function titlesOf({ line, cells }: TableRow): Titles | undefined {
  const places: Titles['places'] = new Map()
  cells.forEach((cell, place) => {
    const title = folded(cell)
      .replaceAll(/[^a-z0-9]+/g, ' ')
      .trim()
    const field = titleWords.find(([, words]) => words.test(title))?.[0]
    if (field === undefined || (places.has(field) && field !== 'fees')) return
    places.set(field, [...(places.get(field) ?? []), place])
  })
  const hasSides = places.has('debit') && places.has('credit')
  if (hasSides) places.delete('amount')
  else for (const side of ['debit', 'credit'] as const) places.delete(side)
  if (!places.has('at') || !(hasSides || places.has('amount')) || places.size < 3) return undefined
  const nameOf = (place: number) => nameAt(cells, place)
  const fees = places.get('fees')?.map(nameOf)
  const others = [...places].filter(([field]) => field !== 'fees')
  const named = Object.fromEntries(others.map(([field, [place = 0]]) => [field, nameOf(place)]))
  return { line, columns: { ...named, ...(fees && { fees }) } as Columns, places }
}

/** A title that comes more than once is named with its number. */
function nameAt(cells: string[], place: number): string {
  const own = folded(cells[place] ?? '')
  const same = cells.flatMap((cell, index) => (folded(cell) === own ? [index] : []))
  const name = (cells[place] ?? '').trim()
  return same.length > 1 ? `${name}#${same.indexOf(place) + 1}` : name
}

function isLabel(cell: string): boolean {
  const text = folded(cell)
  return Object.values(labelWords).some((words) => words.test(text))
}

const days = ['dd/MM/yyyy', 'MM/dd/yyyy', 'yyyy-MM-dd', 'dd-MM-yyyy', 'dd.MM.yyyy', 'yyyy/MM/dd']
const moreDays = ['d/M/yyyy', 'M/d/yyyy', 'dd/MM/yy', 'dd-MMM-yyyy', 'dd MMM yyyy', 'yyyyMMdd']
const times = ['', ' HH:mm:ss', ' HH:mm', ' HH:mm:ss.SSS', ' hh:mm:ss a', ' hh:mm a', "'T'HH:mm:ss"]
const formats = [
  'iso',
  'yyyyMMddHHmmss',
  ...[...days, ...moreDays].flatMap((day) => times.map((time) => `${day}${time}`)),
  'excel',
]

function guessDates(
  columns: Columns,
  lines: TableRow[],
  places: Titles['places'],
  undecided: Reason[],
): Pick<Mapping, 'dates'> {
  const samples = lines.map((row) => momentText(row, columns, places)).filter((text) => text !== '')
  if (samples.length === 0) return {}
  const fitting = formats.filter((format) => {
    const read = momentReader([format], 'UTC')
    return samples.every((text) => read(text) !== undefined)
  })
  const [first, ...rest] = fitting
  if (first === undefined) {
    undecided.push(reason('dates: say how {text} is written', { text: samples[0] ?? '' }))
    return {}
  }
  // dd/MM and d/M read the same texts as the same days, MM/dd reads others.
  const read = momentReader([first], 'UTC')
  const other = rest.find((format) => {
    const readOther = momentReader([format], 'UTC')
    return samples.some((text) => readOther(text)?.getTime() !== read(text)?.getTime())
  })
  if (other === undefined) return { dates: [first] }
  undecided.push(
    reason('dates: {text} may be {format} or {other}; keep one of them', {
      text: samples[0] ?? '',
      format: first,
      other,
    }),
  )
  return { dates: [first, other] }
}

function momentText({ cells }: TableRow, columns: Columns, places: Titles['places']): string {
  const cellOf = (field: ColumnField) => (cells[places.get(field)?.[0] ?? -1] ?? '').trim()
  return columns.time === undefined ? cellOf('at') : `${cellOf('at')} ${cellOf('time')}`.trim()
}

type ValuesOf = (field: ColumnField) => string[]
type AmountFields = 'decimal' | 'sign' | 'feeSign' | 'debitSign'

function guessAmounts(valuesOf: ValuesOf, undecided: Reason[]): Pick<Mapping, AmountFields> {
  const amounts = (['amount', 'debit', 'credit', 'fees', 'balance'] as const).flatMap(valuesOf)
  const unclear = amounts.filter((text) => readFrancs(text) === 'ambiguous')
  const fitting = (['.', ','] as const).filter((decimal) =>
    amounts.every((text) => typeof readFrancs(text, decimal) !== 'string'),
  )
  if (unclear.length > 0 && fitting.length !== 1)
    undecided.push(
      reason('decimal: say whether . or , stands before cents in {text}', {
        text: unclear[0] ?? '',
      }),
    )
  const decimal = unclear.length > 0 && fitting.length === 1 ? fitting[0] : undefined
  const isNegative = (field: ColumnField) =>
    valuesOf(field).some((text) => {
      const read = readFrancs(text, decimal)
      return typeof read !== 'string' && read.isNegative && read.amount > 0
    })
  return {
    ...(decimal && { decimal }),
    ...(isNegative('amount') && { sign: 'amount' as const }),
    ...(isNegative('fees') && { feeSign: '-' as const }),
    ...(isNegative('debit') && { debitSign: '-' as const }),
  }
}

const wordsMax = 50

function guessWords(columns: Columns, valuesOf: ValuesOf, undecided: Reason[]) {
  const meanings = <T extends string>(field: ColumnField, known: [meaning: T, words: RegExp][]) => {
    const words = new Map(valuesOf(field).map((text) => [folded(text), text]))
    const found: [string, T][] = []
    for (const [plain, word] of [...words].slice(0, wordsMax)) {
      const meaning = known.find(([, pattern]) => pattern.test(plain))?.[0]
      if (meaning === undefined)
        undecided.push(reason('{field}: say what {word} means', { field, word: word.slice(0, 60) }))
      else found.push([word.slice(0, 200), meaning])
    }
    return Object.fromEntries(found) as Record<string, T>
  }
  const isColumn = (field: 'kind' | 'status' | 'sign') => columns[field] !== undefined
  return {
    ...(isColumn('kind')
      ? { kinds: meanings('kind', kindWords) }
      : { always: { in: 'collect' as const, out: 'disburse' as const } }),
    ...(isColumn('status') && { statuses: meanings('status', statusWords) }),
    ...(isColumn('sign') && { signs: meanings('sign', signWords) }),
  }
}

function guessRules(rows: TableRow[]): Pick<Mapping, 'skip' | 'balances'> {
  const cells = rows.flatMap((row) => row.cells.filter((cell) => isLabel(cell)))
  const labelOf = (which: keyof typeof labelWords) => {
    const cell = cells.find((one) => labelWords[which].test(folded(one)))
    return cell?.replace(/[:\d].*$/s, '').trim()
  }
  const [opening, closing, total] = [labelOf('opening'), labelOf('closing'), labelOf('total')]
  return {
    ...(total && { skip: [{ begins: [total] }] }),
    ...((opening || closing) && {
      balances: { ...(opening && { opening }), ...(closing && { closing }) },
    }),
  }
}

/** Running balances need the order of lines. */
function withOrder(mapping: Mapping, lines: TableRow[], places: Titles['places']): Mapping {
  if (mapping.columns.balance === undefined || mapping.dates?.length !== 1) return mapping
  const read = momentReader(mapping.dates, 'UTC')
  const moments = lines.map((row) => read(momentText(row, mapping.columns, places)))
  const [first, last] = [moments[0], moments.at(-1)]
  if (first === undefined || last === undefined || first <= last) return mapping
  return { ...mapping, order: 'newest_first' }
}
