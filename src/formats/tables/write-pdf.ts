import type { Language } from '#base/kit/language.ts'
import { runApart } from './apart.ts'
import type { OutputTable, Row } from './output.ts'
import { openTurns } from './turns.ts'

/** Whose paper it is. */
export interface Letterhead {
  name: string
  /** Such as address and tax number. */
  lines: string[]
  /** A PNG or JPEG picture. */
  logo: Uint8Array | null
}

/** A table to print, with what stands above it on the first page. */
export interface PrintedTable extends OutputTable {
  issuer?: Letterhead
  /** Of which time, and what else is to be known of it: a line each. */
  subtitles: string[]
  /** In large type above everything else. */
  figure?: string
  /** Figures above the table, such as the opening balance; all there is without columns. */
  summary: [label: string, value: string][]
  language: Language
}

export type PrintedHead = Omit<PrintedTable, 'rows'>

// A thread keeps some ten megabytes until its file is read. Nobody is refused here.
const turns = openTurns({
  runningMax: 4,
  waitingMax: Number.POSITIVE_INFINITY,
  ownMax: Number.POSITIVE_INFINITY,
})
let files = 0

/**
 * Writes a table as PDF, page by page: A4, a line for each row, the titles on every page, page
 * numbers at the foot. It is drawn in a thread of its own.
 */
export function writePdf({ rows, columns, ...head }: PrintedTable): AsyncGenerator<Buffer> {
  const plain = columns.map(({ title, kind, width }) => ({ title, kind, width }))
  const module = new URL('draw-pdf.ts', import.meta.url).href
  const work = { module, name: 'drawPdf', args: [{ ...head, columns: plain }] }
  files += 1
  return turns(String(files), async function* () {
    for await (const { buffer, byteOffset, length } of runApart<Uint8Array>(work, batches(rows)))
      yield Buffer.from(buffer, byteOffset, length)
  })
}

const rowsAtOnce = 200

async function* batches(rows: PrintedTable['rows']): AsyncGenerator<Row[]> {
  let some: Row[] = []
  for await (const row of rows) {
    some.push(row)
    if (some.length < rowsAtOnce) continue
    yield some
    some = []
  }
  yield some
}
