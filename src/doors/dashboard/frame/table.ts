import { type Html, html, type Piece } from '#base/kit/html.ts'
import { hrefWith } from './components.ts'
import type { AnyVisit } from './visit.ts'
import { frameWords } from './words.ts'

export interface Column<Row> {
  name: string
  cell(row: Row): Piece
  /** Right-aligned figures. */
  isNumeric?: boolean
  /** The heading of the card on a phone. */
  isTitle?: boolean
  /** A name in lower case, by which the column can be hidden. */
  key?: string
}

interface TableOptions<Row> {
  caption: string
  /** An id for each row, by which an open page knows it again. */
  idOf?: (row: Row) => string
  /** The keys of columns that are not shown. */
  hidden?: string[]
  /** On a phone only the title and what is under amount, status, moment and item, on two lines. */
  isBrief?: boolean
}

/** A table; on a phone each row is a card. */
export function table<Row>(
  rows: Row[],
  columns: Column<Row>[],
  { caption, idOf, hidden = [], isBrief = false }: TableOptions<Row>,
): Html {
  const without = hidden.map((key) => ` without-${key}`)
  return html`<div class="rows${without}"><table${
    isBrief && html` class="brief"`
  }><caption class="unseen">${caption}</caption>
<thead><tr>${columns.map((column) =>
    // A heading without text is none.
    column.name === ''
      ? html`<td></td>`
      : html`<th scope="col" class="${classOf(column)}">${column.name}</th>`,
  )}</tr></thead>
<tbody>${rows.map((row) => tableRow(row, columns, idOf))}</tbody></table></div>`
}

function tableRow<Row>(row: Row, columns: Column<Row>[], idOf?: (row: Row) => string): Html {
  const begun = beginCells(columns)
  return html`<tr${idOf !== undefined && html` id="${idOf(row)}"`}>${columns.map(
    (column, index) => html`${begun[index]}${column.cell(row)}</td>`,
  )}</tr>`
}

const begunCells = new WeakMap<object, Html[]>()

/** How the cells of columns begin, written once for all rows. */
function beginCells<Row>(columns: Column<Row>[]): Html[] {
  const begun =
    begunCells.get(columns) ??
    columns.map((column) => html`<td data-name="${column.name}" class="${classOf(column)}">`)
  begunCells.set(columns, begun)
  return begun
}

function classOf({ isNumeric, isTitle, key }: Omit<Column<never>, 'cell'>): string {
  return [isNumeric && 'figure', isTitle && 'title', key !== undefined && `is-${key}`]
    .filter(Boolean)
    .join(' ')
}

interface PagerOptions {
  /** Of the address; a page with two lists has two. */
  parameter?: string
  /** Not newest first: by number, by name, or oldest first. */
  isAscending?: boolean
}

/** Leads to the next page of a list, and back to its beginning. */
export function pager(
  visit: AnyVisit,
  next: string | null,
  { parameter = 'after', isAscending = false }: PagerOptions = {},
): Piece {
  const { older, newest, following, beginning } = frameWords[visit.language]
  const isLater = visit.query[parameter] !== undefined
  if (next === null && !isLater) return null
  const way = (after: string | null, text: string) =>
    html`<a class="button second" href="${hrefWith(visit, { [parameter]: after })}">${text}</a>`
  return html`<p class="ways">${isLater && way(null, isAscending ? beginning : newest)}${
    next !== null && way(next, isAscending ? following : older)
  }</p>`
}
