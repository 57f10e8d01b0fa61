import { delayAfter, sleep } from './back-off.ts'
import { type Line, part, pickFrom, type Request } from './exchange.ts'
import type { TransactionDetailAnswer } from './interface.ts'
import { fromDetail, type Payment } from './records.ts'

// The second: the first request with the same Idempotency-Key is still running.
const passingCodes = new Set<string>(['RATE_LIMITED', 'REQUEST_IN_PROGRESS'])

/**
 * Asks until there is an answer with what is wanted: for requests that may be sent any number of
 * times.
 */
export async function read<Item>(
  { exchange, tries }: Line,
  request: Request,
  pick: (body: never) => Item | undefined,
  signal?: AbortSignal,
): Promise<Item> {
  for (let round = 0; ; round += 1) {
    const outcome = pickFrom(await exchange(request, signal), pick)
    if (outcome.kind === 'success') return outcome.item
    const { error } = outcome
    if (outcome.kind === 'lost') signal?.throwIfAborted()
    const isPassing = outcome.kind === 'lost' || passingCodes.has(outcome.error.code)
    const delayMs = isPassing && round < tries - 1 ? delayAfter(round, error) : undefined
    if (delayMs === undefined) throw error
    await sleep(delayMs, signal)
  }
}

/** A payment by our id or the caller's. */
export async function lookUpPayment(
  line: Line,
  id: string,
  signal: AbortSignal | undefined,
): Promise<Payment> {
  const request = { method: 'GET', path: `/transaction/${part(id)}` } as const
  return read(line, request, paymentOf, signal)
}

function paymentOf({ transaction }: TransactionDetailAnswer): Payment {
  return fromDetail(transaction, 'answer')
}

/** One page of a list; `next` is the `after` of the next one, undefined on the last. */
export interface Page<Item> {
  items: Item[]
  next: string | undefined
}

/** The items of all pages from one on. */
export async function* items<Filter extends { after?: string }, Item>(
  filter: Filter,
  pageOf: (filter: Filter) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  for (let page = filter; ; ) {
    const { items, next } = await pageOf(page)
    yield* items
    if (next === undefined) return
    page = { ...page, after: next }
  }
}

/** A header by which the gateway knows a request that is sent again. */
export function onlyOnce() {
  return { headers: { 'idempotency-key': crypto.randomUUID() } }
}
