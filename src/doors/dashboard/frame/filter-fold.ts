import { type Html, html, type Piece } from '#base/kit/html.ts'
import type { Problems } from './fields.ts'
import type { AnyVisit } from './visit.ts'
import { frameWords } from './words.ts'

interface Filters {
  fields: Piece[]
  /** How many of them are set. */
  count: number
  problems: Problems
}

/**
 * A form of filters, folded so that a list begins on the first screen of a phone. It says how many
 * are set, and is open where one of them is wrong.
 */
export function filterFold(
  { language, path }: Pick<AnyVisit, 'language' | 'path'>,
  { fields, count, problems }: Filters,
): Html {
  const { filter, apply } = frameWords[language]
  const isOpen = Object.keys(problems).length > 0
  return html`<details class="card fold"${isOpen && html` open`}><summary>${filter}${
    count > 0 && ` (${count})`
  }</summary>
<form class="filters" method="get" action="${path}">${fields}
<button>${apply}</button></form></details>`
}

/** How many of these are set in the address of a page. */
export function countSet({ query }: Pick<AnyVisit, 'query'>, names: readonly string[]): number {
  return names.filter((name) => (query[name] ?? '') !== '').length
}
