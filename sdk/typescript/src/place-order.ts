import { delayAfter, sleep } from './back-off.ts'
import type { ApiError, Refusal } from './errors.ts'
import { ConnectionError, DuplicateError, OutcomeUnknownError } from './errors.ts'
import type { Exchange, Outcome, Request } from './exchange.ts'
import { pickFrom } from './exchange.ts'
import type { DuplicateError as DuplicateBody } from './interface.ts'
import type { Link, Payment } from './records.ts'
import { fromExisting } from './records.ts'

/** An order that must be carried out once, whatever the network loses. */
export interface Order<Item extends Payment | Link> {
  externalTransactionId: string
  send: Request
  lookUp: Request
  /** The record in a successful answer; undefined when it has none. */
  readAnswer(body: never): Item | undefined
  readLookup(body: never): Item | undefined
  /** Whether a record under the same id is this order, and not another one. */
  isThis(record: Payment | Link): record is Item
}

export interface CallOptions {
  /** Ends the call. An order that has left then ends with an OutcomeUnknownError. */
  signal?: AbortSignal
}

export interface OrderOptions extends CallOptions {
  /** Is given the id, and waited for, before anything is sent: keep the id here. */
  beforeSend?: (externalTransactionId: string) => void | Promise<void>
}

/** How often to try, and the way to the gateway. */
export interface Line {
  exchange: Exchange
  tries: number
}

/**
 * Places an order. After a lost answer the id is looked up before the order is ever sent again:
 * sdk/README.md has the rules.
 */
export async function placeOrder<Item extends Payment | Link>(
  line: Line,
  order: Order<Item>,
  { signal, beforeSend }: OrderOptions,
): Promise<Item> {
  await beforeSend?.(order.externalTransactionId)
  const progress = { mayHaveArrived: false }
  try {
    return await untilAnswered(line, order, progress, signal)
  } catch (error) {
    const isAborted = signal?.aborted === true && error === signal.reason
    if (!isAborted || !progress.mayHaveArrived) throw error
    throw new OutcomeUnknownError(order.externalTransactionId, error)
  }
}

async function untilAnswered<Item extends Payment | Link>(
  { exchange, tries }: Line,
  order: Order<Item>,
  progress: { mayHaveArrived: boolean },
  signal: AbortSignal | undefined,
): Promise<Item> {
  let isToSend = true
  let refusal: ApiError | undefined
  let problem: ApiError | ConnectionError = new ConnectionError('Nothing was sent')
  for (let round = 0; round < tries; round += 1) {
    if (isToSend) {
      const sent = pickFrom(await exchange(order.send, signal), order.readAnswer)
      if (sent.kind === 'success') return sent.item
      if (sent.kind === 'refused' && sent.error.code === 'DUPLICATE_TRANSACTION')
        return resolveDuplicate(order, sent, progress.mayHaveArrived)
      problem = sent.error
      if (sent.kind === 'lost') progress.mayHaveArrived = true
      else if (sent.error.status !== tooManyRequests) refusal = sent.error
      // A refusal of the first request is the answer. After a lost one it says nothing about that.
      if (refusal !== undefined && !progress.mayHaveArrived) throw refusal
    }
    const isLast = round === tries - 1
    // What a refused second order became is asked at once.
    const isJustRefused = isToSend && refusal !== undefined
    if (!isJustRefused && (progress.mayHaveArrived || !isLast)) {
      const delayMs = delayAfter(round, problem)
      if (delayMs === undefined) break
      await sleep(delayMs, signal)
    }
    if (!progress.mayHaveArrived) continue
    const found = pickFrom(await exchange(order.lookUp, signal), order.readLookup)
    if (found.kind === 'success') return own(order, found.item, undefined)
    const isAbsent = found.kind === 'refused' && found.error.code === 'NOT_FOUND'
    if (isAbsent && refusal !== undefined) throw refusal
    if (!isAbsent) problem = found.error
    if (found.kind === 'refused' && !isAbsent && found.error.status !== tooManyRequests) break
    isToSend = isAbsent
  }
  if (progress.mayHaveArrived) throw new OutcomeUnknownError(order.externalTransactionId, problem)
  throw problem
}

const tooManyRequests = 429

/** 409 is this order if it was sent before and its answer was lost. */
function resolveDuplicate<Item extends Payment | Link>(
  order: Order<Item>,
  { error, body }: Extract<Outcome, { kind: 'refused' }>,
  wasSentBefore: boolean,
): Item {
  const record = fromExisting((body as DuplicateBody).transaction)
  if (record === undefined || !wasSentBefore) throw new DuplicateError(error, record)
  return own(order, record, error)
}

/** The record, if it is this order's. */
function own<Item extends Payment | Link>(
  order: Order<Item>,
  record: Payment | Link,
  error: ApiError | undefined,
): Item {
  if (order.isThis(record)) return record
  throw new DuplicateError(error ?? otherOrder, record)
}

const otherOrder: Refusal = {
  status: 409,
  code: 'DUPLICATE_TRANSACTION',
  messages: ['externalTransactionId already used by another order'],
  params: ['externalTransactionId'],
  requestId: '',
  retryAfterS: undefined,
}
