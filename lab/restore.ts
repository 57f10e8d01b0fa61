import { noJournal, openJournal, readJournal } from './journal.ts'
import type { Order, OrderBook, Status } from './order.ts'
import { enterOrder, findById } from './order-book.ts'
import type { Progress } from './order-journal.ts'
import type { Body, Mount } from './router.ts'
import { ordinary } from './scenarios.ts'
import { type Step, scriptOf } from './script.ts'

interface SavedOrder {
  id: number
  fields: Body
  progress: Progress | undefined
  steps: Step[] | undefined
}

/** What a journal says. */
interface Contents {
  records: unknown[][]
  orders: Map<number, SavedOrder>
}

// What is not bounded grows for ever: what is older, or beyond the newest, is forgotten at a start.
const keptMs = 7 * 86_400_000
const keptOrdersMax = 100_000

/**
 * Reads the journal of a folder and opens it for more. `restore` puts what it said into an empty
 * book; the steps that are due have not run then. Without a folder nothing is kept.
 */
export async function openBooks(folder: string | undefined) {
  if (folder === undefined) return { journal: noJournal, restore: () => {} }
  const contents = await readContents(readJournal(folder))
  const journal = await openJournal(folder, linesOf(contents))
  const restore = (book: OrderBook, mountOf: (path: string) => Mount | undefined) =>
    restoreContents(book, contents, mountOf)
  return { journal, restore }
}

/** Reads a journal. Ended orders and records that are too old, or too many, are left out. */
async function readContents(lines: AsyncIterable<unknown[]>): Promise<Contents> {
  const { records, orders }: Contents = { records: [], orders: new Map() }
  const oldest = Date.now() - keptMs
  for await (const line of lines) {
    const [type, first, second, third] = line
    if (type === 'record' && Number(second) >= oldest) records.push(line)
    if (type === 'order') {
      const fields = first as Body
      orders.set(Number(fields.id), {
        id: Number(fields.id),
        fields,
        progress: undefined,
        steps: fields.steps as Step[] | undefined,
      })
    }
    const order = type === 'steps' ? orders.get(Number(first)) : undefined
    if (order === undefined) continue
    order.progress = second as Progress
    order.steps = (third as Step[] | undefined) ?? order.steps
  }
  let surplus = orders.size - keptOrdersMax
  for (const { id, fields, progress } of orders.values()) {
    const isEnded = progress !== undefined && progress.status !== 'pending'
    if (!isEnded || (surplus <= 0 && Number(fields.createdAt) >= oldest)) continue
    orders.delete(id)
    surplus--
  }
  return { records, orders }
}

/** The lines of a journal that says no more than this. */
function* linesOf({ records, orders }: Contents): Generator<unknown[]> {
  yield* records
  for (const { id, fields, progress, steps } of orders.values()) {
    yield ['order', { ...fields, steps }]
    if (progress !== undefined) yield ['steps', id, progress]
  }
}

function restoreContents(
  book: OrderBook,
  { records, orders }: Contents,
  mountOf: (path: string) => Mount | undefined,
): void {
  for (const [, name, , path, data] of records) {
    const mount = mountOf(String(path))
    if (mount !== undefined) book.restorers.get(String(name))?.(data as Body, mount)
  }
  for (const saved of orders.values()) {
    const mount = mountOf(String(saved.fields.path))
    const kind = book.kinds.get(String(saved.fields.kind))
    if (mount !== undefined && kind !== undefined) restoreOrder(book, saved, { mount, kind })
  }
}

function restoreOrder(
  book: OrderBook,
  { id, fields, progress, steps }: SavedOrder,
  found: Pick<Order, 'mount' | 'kind'>,
): void {
  const { original, createdAt } = fields
  const script = scriptOf(steps ?? ordinary)
  const refunded = original === undefined ? undefined : findById(book, Number(original))
  const order = {
    ...fields,
    ...found,
    original: refunded,
    status: 'pending' as Status,
    reason: undefined,
    paid: 0,
    executed: 0,
    reversed: 0,
    completedAt: 0,
    script,
    searches: 0,
    cursor: 0,
    lastStepAt: createdAt,
    delayEndsAt: 0,
    savedScript: script,
    savedCursor: progress?.cursor ?? 0,
    timer: undefined,
    releaseAnswer: undefined,
    delivery: undefined,
    lastCallback: undefined,
    ...progress,
  } as unknown as Order
  book.restored.set(id, order)
  // Ids must not repeat, even if the clock was set back.
  book.firstId = Math.max(book.firstId, id + 1)
  enterOrder(book, order)
  if (order.status === 'succeeded') order.kind.execute?.(order)
}
