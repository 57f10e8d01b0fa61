import type { Html, Piece } from '../../kit/html.ts'
import { html } from '../../kit/html.ts'

export interface Column<Row> {
  name: string
  cell(row: Row): Piece
  /** Right-aligned figures. */
  isNumeric?: boolean
  /** The heading of the card on a phone. */
  isTitle?: boolean
}

interface TableOptions<Row> {
  caption: string
  /** An id for each row, for updates. */
  idOf?: (row: Row) => string
  bodyId?: string
}

/** A table; on a phone each row is a card. */
export function table<Row>(
  rows: Row[],
  columns: Column<Row>[],
  { caption, idOf, bodyId }: TableOptions<Row>,
): Html {
  return html`<div class="rows"><table><caption class="unseen">${caption}</caption>
<thead><tr>${columns.map(
    ({ name, isNumeric }) =>
      html`<th scope="col"${isNumeric && html` class="figure"`}>${name}</th>`,
  )}</tr></thead>
<tbody${bodyId !== undefined && html` id="${bodyId}"`}>${rows.map((row) =>
    tableRow(row, columns, idOf),
  )}</tbody></table></div>`
}

/** One row, also for an update of a page that is open. */
export function tableRow<Row>(row: Row, columns: Column<Row>[], idOf?: (row: Row) => string): Html {
  return html`<tr${idOf !== undefined && html` id="${idOf(row)}"`}>${columns.map(
    ({ name, cell, isNumeric, isTitle }) =>
      html`<td data-name="${name}" class="${[isNumeric && 'figure', isTitle && 'title']
        .filter(Boolean)
        .join(' ')}">${cell(row)}</td>`,
  )}</tr>`
}
