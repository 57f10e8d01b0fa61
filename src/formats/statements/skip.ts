import type { TableRow } from '#formats/tables/table.ts'
import type { Header } from './header.ts'
import type { Mapping, SkipRule } from './mapping.ts'
import { folded } from './words.ts'

/** Makes the test for lines that the mapping says are none; undefined: there are no such rules. */
export function skipTest(
  { skip = [] }: Mapping,
  header: Header,
): ((row: TableRow) => boolean) | undefined {
  const tests = skip.map((rule) => testOf(rule, header))
  return tests.length === 0 ? undefined : (row) => tests.some((test) => test(row))
}

function testOf({ column, is, begins, isEmpty }: SkipRule, header: Header) {
  const place = column === undefined ? undefined : header.placeOf(column)
  const words = is?.map(folded)
  const starts = begins?.map(folded)
  return ({ cells }: TableRow) => {
    const cell = place === undefined ? cells.find((one) => one.trim() !== '') : cells[place]
    const text = folded(cell ?? '')
    return (
      (words === undefined || words.includes(text)) &&
      (starts === undefined || starts.some((start) => text.startsWith(start))) &&
      (isEmpty === undefined || (text === '') === isEmpty)
    )
  }
}
