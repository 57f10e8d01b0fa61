import type { Order, OrderBook } from './order.ts'
import type { Body, Mount } from './router.ts'
import { ordinary } from './scenarios.ts'
import { type Reason, scriptOf } from './script.ts'

/*
 * The lines of the journal:
 *   ["order", order]                  an order as it was accepted
 *   ["steps", id, progress, script?]  how far it has come; the script only when it was replaced
 *   ["record", name, time, path, data]  what a protocol keeps beside orders
 * Delays depend only on the seed and on the order's number, so that between two lines the steps of
 * an order can be worked out again.
 */

/** How far an order has come. */
export type Progress = Pick<
  Order,
  'cursor' | 'lastStepAt' | 'status' | 'paid' | 'executed' | 'completedAt'
> & { reason?: Reason | undefined }

/** Writes a new order to the journal. */
export function saveOrder({ journal }: OrderBook, order: Order): void {
  journal.append(['order', fieldsOf(order)])
}

/** Writes to the journal how far an order has come. */
export function saveProgress({ journal }: OrderBook, order: Order): void {
  const { id, script, savedScript } = order
  const steps = script === savedScript ? [] : [script.steps]
  journal.append(['steps', id, progressOf(order), ...steps])
  order.savedCursor = order.cursor
  order.savedScript = script
}

/** Keeps what a protocol has beside orders: returns the function that writes it to the journal. */
export function keepRecords<Data extends object>(
  { journal, restorers }: OrderBook,
  name: string,
  restore: (data: Data, mount: Mount) => void,
): (mount: Mount, data: Data) => void {
  restorers.set(name, (data, mount) => restore(data as Data, mount))
  return (mount, data) => journal.append(['record', name, Date.now(), mount.path, data])
}

function fieldsOf(order: Order): Body {
  const { mount, kind, original, script } = order
  return {
    id: order.id,
    number: order.number,
    path: mount.path,
    kind: kind.name,
    operation: order.operation,
    key: order.key,
    isKeyUnique: order.isKeyUnique,
    clientReference: order.clientReference,
    phone: order.phone,
    amount: order.amount,
    reference: order.reference,
    callbackUrl: order.callbackUrl,
    echo: order.echo,
    original: original?.id,
    createdAt: order.createdAt,
    steps: script === scriptOf(ordinary) ? undefined : script.steps,
  }
}

function progressOf(order: Order): Progress {
  const { cursor, lastStepAt, status, reason, paid, executed, completedAt } = order
  return { cursor, lastStepAt, status, reason, paid, executed, completedAt }
}
