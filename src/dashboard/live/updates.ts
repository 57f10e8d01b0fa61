import { html } from '../../kit/html.ts'
import type { Change } from '../../transactions/watch.ts'
import type { ListedTransaction } from '../../transactions/watch-store.ts'
import { tableRow } from '../frame/table.ts'
import type { RowReader, ShopNames } from '../transactions/rows.ts'
import { newestRows, rowId, transactionColumns } from '../transactions/rows.ts'

/** New rows on top of the newest ones, and changed rows in their places. */
export function writeUpdates(
  reader: RowReader,
  shops: ShopNames,
  { created }: Change,
  rows: ListedTransaction[],
): string {
  const columns = transactionColumns(reader, shops)
  const isNew = new Set(created)
  const update = (action: string, target: string, one: ListedTransaction) =>
    html`<turbo-stream action="${action}" target="${target}"><template>${tableRow(
      one,
      columns,
      rowId,
    )}</template></turbo-stream>`
  return [
    ...rows.filter(({ id }) => isNew.has(id)).map((one) => update('prepend', newestRows, one)),
    ...rows.filter(({ id }) => !isNew.has(id)).map((one) => update('replace', rowId(one), one)),
  ].join('')
}
