import { type Html, html } from '#base/kit/html.ts'
import { fr, inBoth } from '#base/kit/texts.ts'
import type { ListedTransaction } from '#money/transactions/marks-store.ts'
import { table } from '../frame/table.ts'
import {
  type LinksBehind,
  type RowReader,
  rowId,
  transactionColumns,
} from '../transactions/rows.ts'

const words = inBoth({
  fr: { title: fr`Dernières transactions`, all: 'Toutes les transactions' },
  en: { title: 'Latest transactions', all: 'All transactions' },
})

export const latestMax = 10
const left = new Set(['fee', 'ours', 'yours', 'shop'])

/** The newest transactions; empty while there are none. */
export function latestList(
  reader: RowReader,
  found: ListedTransaction[],
  links: LinksBehind,
): Html {
  const { title, all } = words[reader.language]
  const columns = transactionColumns(reader, { shops: new Map(), links }).filter(
    ({ key = '' }) => !left.has(key),
  )
  return html`<section id="latest" class="stack">${
    found.length > 0 &&
    html`<div class="head"><h2>${title}</h2>
<a href="/dashboard/transactions">${all}</a></div>
${table(found, columns, { caption: title, idOf: rowId, isBrief: true })}`
  }</section>`
}
