import { breaksLine, oneLine } from '#base/kit/one-line.ts'
import type { Reason } from '#base/kit/refusal.ts'
import { toStorable } from '#data/db/storable-text.ts'
import type { TableRow } from '#formats/tables/table.ts'
import type { Currency } from '#merchants/catalog/countries.ts'
import { Cells } from './cells.ts'
import type { Header } from './header.ts'
import type { Mapping } from './mapping.ts'
import { grossOf, readAmount, readBalance, readFees } from './read-amounts.ts'
import { exampleOf, type MomentReader } from './read-moment.ts'
import type { LineKind, LineStatus, StatementLine } from './statement.ts'
import { knownWords, type SignedKind, type Vocabulary } from './vocabulary.ts'
import { folded } from './words.ts'

/** What the lines of a file are read with. */
export interface LineParts {
  mapping: Mapping
  header: Header
  vocabulary: Vocabulary
  readMoment: MomentReader
  isDay(text: string): boolean
  /** Of the account; undefined: either of the two francs. */
  currency: Currency | undefined
}

/** A row as a line of the statement, or everything that is wrong with it. */
export function readLine(row: TableRow, parts: LineParts): StatementLine | Reason[] {
  const cells = new Cells(row, parts.header)
  cells.checkWidth()
  const moment = readAt(cells, parts)
  const written = readKind(cells, parts)
  const moved = readAmount(cells, parts, written)
  const fee = readFees(cells, parts)
  const status = readStatus(cells, parts)
  const balance = readBalance(cells, parts)
  const { always } = parts.mapping
  const kind = written?.kind ?? (moved?.sign === 1 ? always?.in : always?.out)
  const reference = readReference(cells, 'reference')
  const ourReference = readReference(cells, 'ourReference')
  if (reference === null && ourReference === null) checkNamed(cells, parts, kind)
  checkCurrency(cells, parts)
  const amount = moved === undefined ? undefined : grossOf(cells, parts, moved, fee)
  if (cells.problems.length > 0 || !moment || !moved || !kind || !status || amount === undefined)
    return cells.problems
  const phone = oneLine(toStorable(cells.text('phone')), 40) || null
  const { sign } = moved
  const { line } = row
  const named = { reference, ourReference, kind, phone }
  return { line, ...moment, ...named, amount, sign, fee, status, balance }
}

function readAt(
  cells: Cells,
  { mapping, readMoment, isDay }: LineParts,
): Pick<StatementLine, 'at' | 'isDay'> | undefined {
  const day = cells.text('at')
  const formats = mapping.dates ?? ['iso']
  const example = exampleOf(formats[0] ?? 'iso')
  if (day === '') return cells.refuse('at', 'empty', { example })
  const text = cells.has('time') ? `${day} ${cells.text('time')}` : day
  const value = oneLine(text, 60)
  const at = readMoment(text)
  if (at === undefined)
    return cells.refuse('at', 'noDate', { value, formats: formats.join(', '), example })
  return isDay(text) ? { at, isDay: true } : { at }
}

function readKind(cells: Cells, { vocabulary }: LineParts): SignedKind | undefined {
  if (!cells.has('kind')) return undefined
  const known = vocabulary.kinds.get(folded(cells.text('kind')))
  return known ?? cells.refuse('kind', 'noKind', { known: knownWords(vocabulary.kinds) })
}

function readStatus(cells: Cells, { mapping, vocabulary }: LineParts): LineStatus | undefined {
  if (!cells.has('status')) return mapping.always?.status ?? 'succeeded'
  const known = vocabulary.statuses.get(folded(cells.text('status')))
  return known ?? cells.refuse('status', 'noStatus', { known: knownWords(vocabulary.statuses) })
}

const referenceLengthMax = 200
// 1.23457E+17: what a spreadsheet program makes of a long number.
const exponent = /^\d([.,]\d+)?e\+\d+$/i

function readReference(cells: Cells, field: 'reference' | 'ourReference'): string | null {
  const text = cells.text(field)
  if (text === '') return null
  if (cells.isInexact(field) || exponent.test(text)) cells.refuse(field, 'shortened')
  else if (text.length > referenceLengthMax || breaksLine(text) || toStorable(text) !== text)
    cells.refuse(field, 'noReference', { lengthMax: referenceLengthMax })
  return text
}

const payments = new Set<LineKind>(['collect', 'disburse', 'reverse', 'top_up', 'bill'])

/** A payment that nothing names could never be found again. */
function checkNamed(cells: Cells, { mapping }: LineParts, kind: LineKind | undefined): void {
  if (kind === undefined || !payments.has(kind)) return
  const field = (['reference', 'ourReference'] as const).find(
    (one) => cells.has(one) && !mapping.mayBeEmpty?.includes(one),
  )
  if (field !== undefined) cells.refuse(field, 'empty', { example: 'MP261116.1030.A12345' })
}

const francs = /^(f|cfa|f ?cfa)$/

function checkCurrency(cells: Cells, { currency }: LineParts): void {
  if (!cells.has('currency')) return
  const text = folded(cells.text('currency'))
  const known = currency === undefined ? ['XOF', 'XAF'] : [currency]
  if (!francs.test(text) && !known.some((one) => one.toLowerCase() === text))
    cells.refuse('currency', 'otherCurrency', { known: known.join(', ') })
}
