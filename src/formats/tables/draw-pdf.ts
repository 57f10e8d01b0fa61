/*
 * Draws a PDF, in a thread of `writePdf`: its library and fonts take a quarter of a second to load,
 * and each text some tenths of a millisecond.
 */
import { type Language, locales } from '#base/kit/language.ts'
import { formatCount } from '#base/kit/money.ts'
import { checkWhole, type OutputColumn, type Row, readRow, type Value } from './output.ts'
import { canDraw, Paper, page } from './pdf-paper.ts'
import type { PrintedHead } from './write-pdf.ts'

const margin = 40
const contentWidth = page.width - 2 * margin
const half = contentWidth / 2
const right = margin + contentWidth
const footerY = page.height - margin + 6
const rowsEndY = footerY - 8
const cellPadding = 3
const rowHeight = 12.2
const logoMax: [width: number, height: number] = [150, 44]
const colours = { quiet: '#5c625e', rule: '#d9dcd6', band: '#f1f2ee' }

const cell = { size: 7.5 }
const strongCell = { size: 7.5, weight: 'bold' } as const
const note = { size: 7.5, colour: colours.quiet }
const fact = { size: 9 }
const quietFact = { size: 9, colour: colours.quiet }
const strongFact = { size: 9, weight: 'bold' } as const
// Of the number of pages: three digits.
const countWidth = 14

const words = {
  fr: { unit: 'Montants en F CFA', page: (number: number) => `Page ${number} sur` },
  en: { unit: 'Amounts in F CFA', page: (number: number) => `Page ${number} of` },
}

const momentStyles: Record<Language, Intl.DateTimeFormatOptions> = {
  fr: { dateStyle: 'short', timeStyle: 'short' },
  en: { dateStyle: 'medium', timeStyle: 'short' },
}
// In September, whose short name is the longest in English.
const longMoment = new Date('2026-09-28T20:28:00Z')

/** The blocks of a file, about one for each page. */
export async function* drawPdf(
  batches: AsyncIterable<Row[]>,
  asked: PrintedHead,
): AsyncGenerator<Uint8Array> {
  const head = await withSoundLogo(asked)
  const { title, language, issuer, timeZone = 'UTC' } = head
  const paper = new Paper({ title, language, author: issuer?.name ?? '' })
  const moments = new Intl.DateTimeFormat(locales[language], {
    timeZone,
    ...momentStyles[language],
  })
  const momentWidth = paper.widthOf(moments.format(longMoment), strongCell) + 2 * cellPadding
  const columns = placed(head.columns, Math.ceil(momentWidth))
  let [pages, y] = [0, 0]
  const addPage = () => {
    paper.addPage()
    pages += 1
    drawFoot(paper, head, pages)
    y = margin
  }
  addPage()
  y = drawTop(paper, head)
  if (columns.length > 0) y = drawHeader(paper, columns, y)
  for await (const rows of batches)
    for (const row of rows) {
      if (y + rowHeight > rowsEndY) {
        addPage()
        y = drawHeader(paper, columns, y)
      }
      y = drawRow(paper, columns, row, { y, moments })
      const block = paper.take()
      if (block !== null) yield block
    }
  const countPlace = { left: right - countWidth, top: footerY, width: countWidth }
  yield* paper.end(() => paper.text(String(pages), countPlace, note))
}

async function withSoundLogo(head: PrintedHead): Promise<PrintedHead> {
  const { issuer } = head
  const isSound = issuer === undefined || issuer.logo === null || (await canDraw(issuer.logo))
  return isSound ? head : { ...head, issuer: { ...issuer, logo: null } }
}

/** Whose paper it is on the left, what it is on the right, and figures below. */
function drawTop(paper: Paper, head: PrintedHead): number {
  const { title, subtitles, issuer, columns, language } = head
  const hasIssuer = issuer !== undefined
  let ownY = margin
  if (hasIssuer) {
    if (issuer.logo !== null) {
      paper.picture(issuer.logo, margin, ownY, logoMax)
      ownY += logoMax[1] + 6
    }
    const place = { left: margin, width: half - 20, lines: 2 }
    ownY = paper.text(issuer.name, { ...place, top: ownY }, { size: 11, weight: 'bold' })
    for (const line of issuer.lines)
      ownY = paper.text(line, { ...place, top: ownY }, { size: 8, colour: colours.quiet }) + 1
  }
  const place = hasIssuer
    ? { left: margin + half, width: half, isRight: true }
    : { left: margin, width: contentWidth }
  let titleY = paper.text(title, { ...place, top: margin - 5 }, { size: 16, weight: 'bold' })
  for (const text of subtitles) titleY = paper.text(text, { ...place, top: titleY + 1 }, fact)
  const y = drawFigures(paper, head, Math.max(ownY, titleY) + 10)
  if (!columns.some(({ kind }) => kind === 'money')) return y
  const unit = { left: margin, top: y - 4, width: contentWidth, isRight: true }
  return paper.text(words[language].unit, unit, note)
}

function drawFigures(paper: Paper, { figure, summary, columns }: PrintedHead, top: number): number {
  let y = top
  const isList = columns.length === 0
  const width = isList ? contentWidth : half
  if (figure !== undefined) {
    const place = { left: margin, top: y, width: contentWidth }
    y = paper.text(figure, place, { size: 24, weight: 'bold' }) + 10
  }
  for (const [label, value] of summary) {
    paper.rule(margin, y, width, colours.rule)
    paper.text(label, { left: margin, top: y + 2, width: 165 }, quietFact)
    const left = margin + (isList ? 170 : 100)
    const place = { left, top: y + 2, width: margin + width - left, isRight: !isList }
    y = paper.text(value, place, strongFact) + 3
  }
  if (summary.length === 0) return y
  paper.rule(margin, y, width, colours.rule)
  return y + 14
}

function drawHeader(paper: Paper, columns: PlacedColumn[], y: number): number {
  const height = rowHeight + 3
  paper.band(margin, y, [contentWidth, height], colours.band)
  for (const { title, ...place } of columns)
    paper.text(title, { ...place, top: y + 2.5 }, strongCell)
  return y + height
}

function drawRow(
  paper: Paper,
  columns: PlacedColumn[],
  row: Row,
  { y, moments }: { y: number; moments: Intl.DateTimeFormat },
): number {
  const { cells, isTotal } = readRow(row)
  columns.forEach(({ kind, ...place }, index) => {
    const text = shown(cells[index] ?? null, kind, moments)
    paper.text(text, { ...place, top: y + 1 }, isTotal ? strongCell : cell)
  })
  paper.rule(margin, y + rowHeight, contentWidth, colours.rule)
  return y + rowHeight
}

function drawFoot(
  paper: Paper,
  { title, language, issuer, subtitles }: PrintedHead,
  number: number,
) {
  const about = [issuer?.name, title, subtitles[0]].filter((one) => one !== undefined)
  paper.text(about.join(' · '), { left: margin, top: footerY, width: contentWidth * 0.75 }, note)
  const width = 100
  const left = right - countWidth - 2 - width
  paper.text(words[language].page(number), { left, top: footerY, width, isRight: true }, note)
}

function shown(value: Value, kind: OutputColumn['kind'], moments: Intl.DateTimeFormat): string {
  if (value === null) return ''
  if (typeof value === 'string') return value
  if (value instanceof Date) return moments.format(value)
  const number = checkWhole(value)
  // The narrow space of this font is hard to see in small type.
  return kind === 'money' ? formatCount(number).replaceAll('\u202f', '\u00a0') : String(number)
}

type PlacedColumn = OutputColumn & { left: number; isRight: boolean }

/** Columns share the width of the page as they need it; a moment is never cut. */
function placed(columns: OutputColumn[], momentWidth: number): PlacedColumn[] {
  const others = columns.filter(({ kind }) => kind !== 'moment')
  const total = others.reduce((sum, { width }) => sum + width, 0)
  const shared = contentWidth - (columns.length - others.length) * momentWidth
  let left = margin
  return columns.map((column) => {
    const { kind } = column
    const width = kind === 'moment' ? momentWidth : (shared * column.width) / total
    const one = { left: left + cellPadding, width: width - 2 * cellPadding }
    left += width
    return { ...column, ...one, isRight: kind === 'money' || kind === 'whole' }
  })
}
