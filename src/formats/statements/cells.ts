import { oneLine } from '#base/kit/one-line.ts'
import { type Reason, reason } from '#base/kit/refusal.ts'
import type { TableRow } from '#formats/tables/table.ts'
import { type Header, titleOf } from './header.ts'
import type { ColumnField } from './mapping.ts'
import { sentences } from './sentences.ts'

/** The cells of a row by what they hold, and all that is wrong with them. */
export class Cells {
  readonly problems: Reason[] = []
  readonly #row: TableRow
  readonly #header: Header

  constructor(row: TableRow, header: Header) {
    this.#row = row
    this.#header = header
  }

  has(field: ColumnField): boolean {
    return this.#header.places.has(field)
  }

  /** How many columns hold such a value: fees may have several. */
  count(field: ColumnField): number {
    return this.#header.places.get(field)?.length ?? 0
  }

  text(field: ColumnField, index = 0): string {
    const place = this.#place(field, index)
    return place === undefined ? '' : (this.#row.cells[place] ?? '').trim()
  }

  /** Whether a spreadsheet has a number here that is not whole, or that lost some of its digits. */
  isInexact(field: ColumnField, index = 0): boolean {
    const { inexact } = this.#row
    const place = this.#place(field, index)
    return inexact !== undefined && place !== undefined && inexact.includes(place)
  }

  /** Notes what is wrong with a cell. */
  refuse(
    field: ColumnField,
    sentence: keyof typeof sentences,
    values: Reason['values'] = {},
    index = 0,
  ): undefined {
    const column = titleOf(this.#header, this.#place(field, index) ?? 0)
    const value = oneLine(this.text(field, index), 60)
    this.problems.push(
      reason(sentences[sentence], { line: this.#row.line, column, value, ...values }),
    )
    return undefined
  }

  /** A cell beyond the titles is mostly a separator within a text, which moves all that follows. */
  checkWidth(): void {
    const { cells, line } = this.#row
    const { titles } = this.#header
    if (titles.length === 0 || cells.length <= titles.length) return
    const values = { line, count: cells.length, titles: titles.length }
    if (cells.slice(titles.length).some((cell) => cell.trim() !== ''))
      this.problems.push(reason(sentences.tooWide, values))
  }

  #place(field: ColumnField, index: number): number | undefined {
    return this.#header.places.get(field)?.[index]
  }
}
