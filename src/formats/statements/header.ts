import { oneLine } from '#base/kit/one-line.ts'
import { type Reason, reason } from '#base/kit/refusal.ts'
import { columnName, type TableRow } from '#formats/tables/table.ts'
import { type ColumnField, columnsOf, type Mapping } from './mapping.ts'
import { sentences } from './sentences.ts'
import { folded } from './words.ts'

/** Where the columns of a mapping are in a file. */
export interface Header {
  /** The line of the titles; 0: the file has none. */
  line: number
  /** As written, for the sentences of problems. */
  titles: string[]
  /** Whether a row has the same titles again. */
  isAgain(row: TableRow): boolean
  places: Map<ColumnField, number[]>
  /** Of names in rules of the mapping that no field has. */
  placeOf(name: string): number | undefined
}

/** Finds the columns of a mapping in a line; what is wrong with them otherwise. */
export function findHeader(row: TableRow, mapping: Mapping): Header | Reason[] {
  const titles = row.cells.map((cell) => oneLine(cell, 60))
  const foldedTitles = row.cells.map(folded)
  const listed = oneLine(titles.filter((title) => title !== '').join(', '), 300)
  const problems: Reason[] = []
  const placeOf = (name: string) => {
    const found = placesOf(name, foldedTitles)
    const { line } = row
    const values = { line, title: name, count: found.length, titles: listed }
    if (found.length > 1) problems.push(reason(sentences.twoTitles, values))
    else if (found.length === 0) problems.push(reason(sentences.noTitle, values))
    return found[0]
  }
  const places = placesIn(mapping, placeOf)
  for (const { column } of mapping.skip ?? []) if (column !== undefined) placeOf(column)
  if (problems.length > 0) return problems
  const first = places.get('at')?.[0] ?? 0
  return {
    line: row.line,
    titles,
    isAgain: ({ cells }) =>
      folded(cells[first] ?? '') === foldedTitles[first] &&
      foldedTitles.every((title, index) => folded(cells[index] ?? '') === title),
    places,
    placeOf: (name) => placesOf(name, foldedTitles)[0],
  }
}

/** How many of the mapping's titles a line has. */
export function countTitles(row: TableRow, mapping: Mapping): number {
  const titles = row.cells.map(folded)
  return columnsOf(mapping).filter(([, name]) => placesOf(name, titles).length > 0).length
}

/** The columns of a file without titles, by their letters. */
export function letterHeader(mapping: Mapping): Header {
  return {
    line: 0,
    titles: [],
    isAgain: () => false,
    places: placesIn(mapping, columnIndex),
    placeOf: columnIndex,
  }
}

function placesIn(
  mapping: Mapping,
  placeOf: (name: string) => number | undefined,
): Header['places'] {
  const places: Header['places'] = new Map()
  for (const [field, name] of columnsOf(mapping)) {
    const place = placeOf(name)
    if (place !== undefined) places.set(field, [...(places.get(field) ?? []), place])
  }
  return places
}

/** Where a title stands; with #2 at the end of a name, the second of those. */
function placesOf(name: string, foldedTitles: string[]): number[] {
  const exact = indexesOf(folded(name), foldedTitles)
  if (exact.length > 0) return exact
  const [, title, number] = /^(.+)#(\d{1,2})$/.exec(name) ?? []
  if (title === undefined) return []
  const place = indexesOf(folded(title), foldedTitles)[Number(number) - 1]
  return place === undefined ? [] : [place]
}

function indexesOf(title: string, foldedTitles: string[]): number[] {
  return foldedTitles.flatMap((one, index) => (one === title ? [index] : []))
}

/** The index of a column by its letters; undefined: they are none. */
export function columnIndex(letters: string): number | undefined {
  if (!/^[A-Z]{1,2}$/i.test(letters)) return undefined
  return (
    Array.from(letters.toUpperCase()).reduce((sum, one) => sum * 26 + one.charCodeAt(0) - 64, 0) - 1
  )
}

/** A column as sentences name it: its title, or its letter where it has none. */
export function titleOf({ titles }: Header, place: number): string {
  return titles[place] || columnName(place)
}
