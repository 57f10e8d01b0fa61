import { delayAfter, sleep } from './back-off.ts'
import {
  ApiError,
  ConnectionError,
  DuplicateError,
  OutcomeUnknownError,
  type Refusal,
} from './errors.ts'
import { type Line, type Outcome, pickFrom, type Request } from './exchange.ts'
import type { DuplicateError as DuplicateBody } from './interface.ts'
import { lookUpPayment } from './read.ts'
import { fromExisting, type Link, type Payment } from './records.ts'

/** An order that must be carried out once, whatever the network loses. */
export interface Order<Item extends Payment | Link> {
  externalTransactionId: string
  send: Request
  lookUp: Request
  /** The record in a successful answer; undefined when it has none. */
  readAnswer(body: never): Item | undefined
  readLookup(body: never): Item | undefined
  /** Whether what the lookup found under the same id is this order, and not another one. */
  isThis(record: Item): boolean
  /** Of a refund: the payment that it sends back, by the gateway's id or the caller's. */
  originalId?: string
}

export interface CallOptions {
  /** Ends the call. An order that has left then ends with an OutcomeUnknownError. */
  signal?: AbortSignal
}

export interface OrderOptions extends CallOptions {
  /** Is given the id, and waited for, before anything is sent: keep the id here. */
  beforeSend?: (externalTransactionId: string) => void | Promise<void>
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
  line: Line,
  order: Order<Item>,
  progress: { mayHaveArrived: boolean },
  signal: AbortSignal | undefined,
): Promise<Item> {
  const { exchange, tries } = line
  let isToSend = true
  let refusal: ApiError | undefined
  let problem: ApiError | ConnectionError = new ConnectionError('Nothing was sent')
  for (let round = 0; round < tries; round += 1) {
    if (isToSend) {
      const sent = pickFrom(await exchange(order.send, signal), order.readAnswer)
      if (sent.kind === 'success') return sent.item
      problem = sent.error
      if (sent.kind === 'lost') progress.mayHaveArrived = true
      else if (sent.error.status !== tooManyRequests) refusal = refusalOf(sent)
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
    if (found.kind === 'success') return own(line, order, found.item, signal)
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

/** What the gateway refused by; a used id comes with the record that has it. */
function refusalOf({ error, body }: Extract<Outcome, { kind: 'refused' }>): ApiError {
  if (error.code !== 'DUPLICATE_TRANSACTION') return error
  return new DuplicateError(error, fromExisting((body as DuplicateBody).transaction))
}

/** The record, if it is this order's. */
async function own<Item extends Payment | Link>(
  line: Line,
  order: Order<Item>,
  record: Item,
  signal: AbortSignal | undefined,
): Promise<Item> {
  // An id of the gateway's own comes first in lookups: what has this id has not been seen.
  if (record.externalTransactionId !== order.externalTransactionId)
    throw new OutcomeUnknownError(
      order.externalTransactionId,
      new ConnectionError('The lookup found a record with another externalTransactionId'),
    )
  if (order.isThis(record) && (await isOfOriginal(line, order, record, signal))) return record
  throw new DuplicateError(otherOrder, record)
}

type Named = Pick<Order<Payment | Link>, 'originalId' | 'externalTransactionId'>

/** Whether a refund is of the payment that the order names, which may be by the caller's id. */
async function isOfOriginal(
  line: Line,
  { originalId, externalTransactionId }: Named,
  record: Payment | Link,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const of = 'originalTransactionId' in record ? record.originalTransactionId : undefined
  if (originalId === undefined || of === originalId) return true
  try {
    return (await lookUpPayment(line, originalId, signal)).transactionId === of
  } catch (error) {
    if (error instanceof ApiError && error.code === 'NOT_FOUND') return false
    throw new OutcomeUnknownError(externalTransactionId, error)
  }
}

const otherOrder: Refusal = {
  status: 409,
  code: 'DUPLICATE_TRANSACTION',
  messages: ['externalTransactionId already used by another order'],
  params: ['externalTransactionId'],
  requestId: '',
  retryAfterS: undefined,
}
