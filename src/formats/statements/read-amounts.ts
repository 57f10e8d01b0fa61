import type { Cells } from './cells.ts'
import type { ColumnField, Mapping } from './mapping.ts'
import { type Francs, readFrancs } from './read-francs.ts'
import { knownWords, type SignedKind, type Vocabulary } from './vocabulary.ts'
import { folded } from './words.ts'

/** An amount above zero, and which way it went. */
export interface Moved {
  amount: number
  sign: 1 | -1
}

interface Parts {
  mapping: Mapping
  vocabulary: Vocabulary
}

/** The amount of a line as written; undefined: it is none, which is noted. */
export function readAmount(
  cells: Cells,
  parts: Parts,
  kind: SignedKind | undefined,
): Moved | undefined {
  if (cells.has('debit') || cells.has('credit')) return readSides(cells, parts)
  const francs = readCell(cells, parts, 'amount')
  if (francs === undefined) return undefined
  if (francs.amount === 0) return cells.refuse('amount', 'zero')
  const { amount, isNegative } = francs
  const sign = signOf(cells, parts, isNegative ? -1 : 1, kind)
  if (sign === undefined) return undefined
  return isNegative && sign === 1 ? cells.refuse('amount', 'againstSign') : { amount, sign }
}

/** The direction by a column of signs, by the sign of the amount, or by the kind of the line. */
function signOf(
  cells: Cells,
  { mapping, vocabulary }: Parts,
  own: 1 | -1,
  kind: SignedKind | undefined,
): 1 | -1 | undefined {
  if (cells.has('sign')) {
    const known = vocabulary.signs.get(folded(cells.text('sign')))
    return known ?? cells.refuse('sign', 'noSign', { known: knownWords(vocabulary.signs) })
  }
  if (mapping.sign === 'amount') return own
  // A kind that is not known has had its own sentence.
  return kind === undefined ? undefined : (kind.sign ?? own)
}

function readSides(cells: Cells, parts: Parts): Moved | undefined {
  const debit = readSide(cells, parts, 'debit', parts.mapping.debitSign === '-')
  const credit = readSide(cells, parts, 'credit', false)
  if (debit === undefined || credit === undefined) return undefined
  if (debit > 0 && credit > 0) return cells.refuse('credit', 'twoSides')
  if (debit === 0 && credit === 0) return cells.refuse('credit', 'noSide')
  return debit > 0 ? { amount: debit, sign: -1 } : { amount: credit, sign: 1 }
}

/** An empty cell is nothing on that side. */
function readSide(
  cells: Cells,
  parts: Parts,
  field: 'debit' | 'credit',
  isNegative: boolean,
): number | undefined {
  if (cells.text(field) === '') return 0
  return amountOf(cells, parts, { field, index: 0, isNegative })
}

/** All fees of a line together; 0 for what is not readable, which is noted. */
export function readFees(cells: Cells, parts: Parts): number {
  const isNegative = parts.mapping.feeSign === '-'
  const mayBeEmpty = parts.mapping.mayBeEmpty?.includes('fees') ?? false
  let sum = 0
  for (let index = 0; index < cells.count('fees'); index += 1)
    if (!mayBeEmpty || cells.text('fees', index) !== '')
      sum += amountOf(cells, parts, { field: 'fees', index, isNegative }) ?? 0
  return sum
}

interface Place {
  field: ColumnField
  index: number
  /** Whether such amounts are written below zero. */
  isNegative: boolean
}

function amountOf(cells: Cells, parts: Parts, { field, index, isNegative }: Place) {
  const francs = readCell(cells, parts, field, index)
  if (francs === undefined) return undefined
  if (francs.amount === 0 || francs.isNegative === isNegative) return francs.amount
  return cells.refuse(field, isNegative ? 'notNegative' : 'negative', {}, index)
}

/** What the provider holds after the line; null: the file does not tell. */
export function readBalance(cells: Cells, parts: Parts): number | null {
  if (!cells.has('balance')) return null
  const balance = readCell(cells, parts, 'balance')
  return balance === undefined ? null : signed(balance)
}

/** An amount with its sign. */
export function signed({ amount, isNegative }: Francs): number {
  return isNegative && amount > 0 ? -amount : amount
}

function readCell(
  cells: Cells,
  { mapping }: Parts,
  field: ColumnField,
  index = 0,
): Francs | undefined {
  const text = cells.text(field, index)
  if (text === '') return cells.refuse(field, 'empty', { example: '15000' }, index)
  const francs = cells.isInexact(field, index) ? 'cents' : readFrancs(text, mapping.decimal)
  return typeof francs === 'string' ? cells.refuse(field, francs, {}, index) : francs
}

/** What was ordered, where a file has what was left of it, or what was taken with the fees. */
export function grossOf(cells: Cells, { mapping }: Parts, moved: Moved, fee: number) {
  if (mapping.isNet !== true || fee === 0) return moved.amount
  const gross = moved.amount + moved.sign * fee
  return gross > 0 ? gross : cells.refuse('amount', 'feesAbove', { fee })
}
