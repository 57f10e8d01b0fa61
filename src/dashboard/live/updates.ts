import { html } from '../../kit/html.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import type { Change } from '../../transactions/watch.ts'
import { tableRow } from '../frame/table.ts'
import { manyNew } from '../transactions/many-new.ts'
import type { RowReader, ShopNames } from '../transactions/rows.ts'
import { newestRows, rowId, transactionColumns } from '../transactions/rows.ts'

/**
 * New rows on top of the newest ones, and changed rows in their places. Of more than a person can
 * follow only a notice is sent: reading pages again each second would cost a page for each reader.
 */
export function writeUpdates(reader: RowReader, shops: ShopNames, change: Change): string {
  const { created, moved, isPartial } = change
  if (isPartial) return String(manyNew.update(reader.language))
  const columns = transactionColumns(reader, shops)
  const update = (action: string, target: string, one: Transaction) =>
    html`<turbo-stream action="${action}" target="${target}"><template>${tableRow(
      one,
      columns,
      rowId,
    )}</template></turbo-stream>`
  return [
    ...created.map((one) => update('prepend', newestRows, one)),
    ...moved.map((one) => update('replace', rowId(one), one)),
  ].join('')
}
