import { runApart } from '#formats/tables/apart.ts'
import { openTurns } from '#formats/tables/turns.ts'
import type { Mapping } from './mapping.ts'
import { previewStatement, type StatementPreview } from './preview.ts'
import { readStatement, type StatementOptions } from './read-statement.ts'
import type { StatementItem } from './statement.ts'

type Account = Pick<StatementOptions, 'currency' | 'timeZone'>

/** `readStatement` in a thread of low priority, which tells the format before the first item. */
export async function* readStatementApart(
  stream: AsyncIterable<Uint8Array>,
  mapping: Mapping | undefined,
  { onFormat, ...account }: Account & Pick<StatementOptions, 'onFormat'>,
): AsyncGenerator<StatementItem> {
  const work = {
    module: import.meta.url,
    name: itemsWithFormat.name,
    args: [mapping, account],
  }
  for await (const one of runApart<FormattedItem>(work, stream)) {
    if (one.format !== undefined) onFormat?.(one.format)
    if (one.item !== undefined) yield one.item
  }
}

// Imports have their turns by their leases.
const inTurn = openTurns({ runningMax: 1, waitingMax: 10, ownMax: 10 })

/** `previewStatement` in a thread of low priority, one at a time. */
export async function previewStatementApart(
  stream: AsyncIterable<Uint8Array>,
  mapping: Mapping | undefined,
  linesMax: number,
  options: Account,
): Promise<StatementPreview> {
  const work = {
    module: import.meta.url,
    name: onePreview.name,
    args: [mapping, linesMax, options],
  }
  const previews = inTurn('preview', () => runApart<StatementPreview>(work, stream))
  for await (const preview of previews) return preview
  throw new Error('a preview is always made')
}

interface FormattedItem {
  /** When it has become known, or has changed. */
  format: string | undefined
  item: StatementItem | undefined
}

/** For the thread of `readStatementApart`, which finds it by its name. */
export async function* itemsWithFormat(
  stream: AsyncIterable<Uint8Array>,
  mapping: Mapping | undefined,
  options: Account,
): AsyncGenerator<FormattedItem> {
  let format: string | undefined
  const onFormat = (found: string) => void (format = found)
  for await (const item of readStatement(stream, mapping, { ...options, onFormat })) {
    yield { format, item }
    format = undefined
  }
  if (format !== undefined) yield { format, item: undefined }
}

/** For the thread of `previewStatementApart`, which finds it by its name. */
export async function* onePreview(
  stream: AsyncIterable<Uint8Array>,
  mapping: Mapping | undefined,
  linesMax: number,
  options: Account,
): AsyncGenerator<StatementPreview> {
  yield await previewStatement(stream, mapping, linesMax, options)
}
