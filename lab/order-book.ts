import type { CallbackSender } from './callback-sender.ts'
import { lastNineDigits } from './fields.ts'
import type { Journal } from './journal.ts'
import type { Order, OrderBook, OrderKind, OrderRequest } from './order.ts'
import { saveOrder } from './order-journal.ts'
import { type Answer, closedSocket, htmlError, type Mount } from './router.ts'
import { runDueSteps } from './run-script.ts'
import { type Fault, faults, ordinary, scenarios } from './scenarios.ts'
import { type Reason, type Script, type Step, scriptOf } from './script.ts'
import { seededRandom } from './seeded-random.ts'

/** Opens an empty order book. */
export function openOrderBook(
  seed: number,
  pace: number,
  callbacks: CallbackSender,
  journal: Journal,
): OrderBook {
  return {
    seed,
    pace,
    callbacks,
    journal,
    kinds: new Map(),
    restorers: new Map(),
    isClosed: false,
    isIdempotent: true,
    orders: [],
    firstId: Date.now() * 1000,
    restored: new Map(),
    byKey: new Map(),
    refused: new Map(),
    scripts: new Map(),
    floats: new Map(),
    statementFees: new Map(),
    faultRate: 0,
    faultKinds: Object.keys(faults) as Fault[],
    draws: 0,
  }
}

/** Makes a kind of orders known, under which the journal finds it again. */
export function defineKind(book: OrderBook, kind: OrderKind): OrderKind {
  book.kinds.set(kind.name, kind)
  return kind
}

/** How a protocol answers an order, and a second one with the same key. */
export interface OrderAnswers {
  accepted: (order: Order) => Answer
  /** Default: the same as `accepted`. */
  repeated?: (first: Order) => Answer
  /** The answer to a repetition that is declined as a new order would be; default: `repeated`. */
  declined?: (reason: Reason) => Answer
}

/** Enters an order and starts its script; the answer is written when the script allows it. */
export function placeOrder(
  book: OrderBook,
  request: OrderRequest,
  { accepted, repeated = accepted, declined }: OrderAnswers,
): Answer | Promise<Answer> {
  const key = `${request.mount.path} ${request.key}`
  const first = request.isKeyUnique && request.key !== '' ? book.byKey.get(key) : undefined
  const reason = declineOfRepeats(first)
  if (reason !== undefined && declined !== undefined) return declined(reason)
  if (first !== undefined && book.isIdempotent) return repeated(runDueSteps(book, first))

  // Orders without a key are recognised by the customer's number.
  const refusalKey = request.key === '' ? `${key}${request.phone}` : key
  const refused = book.refused.get(refusalKey)
  const script = refused?.script ?? chooseScript(book, request)
  const httpStatus = script.refusals[refused?.times ?? 0]
  if (httpStatus !== undefined) {
    book.refused.set(refusalKey, { script, times: (refused?.times ?? 0) + 1 })
    return htmlError(httpStatus)
  }
  if (refused !== undefined) book.refused.delete(refusalKey)

  const order = newOrder(book, request, script)
  saveOrder(book, order)
  enterOrder(book, order)
  return answerWhenDue(book, order, accepted)
}

/** Runs the due steps of an order; its answer is written at once, or when its script says so. */
export function answerWhenDue(
  book: OrderBook,
  order: Order,
  write: (order: Order) => Answer,
): Answer | Promise<Answer> {
  if (!order.script.holdsAnswer) return write(runDueSteps(book, order))
  return new Promise((done) => {
    order.releaseAnswer = (step) => {
      order.releaseAnswer = undefined
      if (step.do === 'lose_answer') done(closedSocket)
      else done(step.do === 'status' ? htmlError(step.code) : write(order))
    }
    runDueSteps(book, order)
  })
}

function chooseScript(book: OrderBook, request: OrderRequest): Script {
  const number = lastNineDigits(request.phone)
  const replaced = book.scripts.get(number)
  const steps = replaced?.next.shift() ?? replaced?.always ?? scenarios[number]
  const script = scriptOf(steps ?? drawFault(book))
  return request.adaptScript?.(script) ?? script
}

/** The steps of a random fault for the configured share of orders, else of an ordinary order. */
function drawFault(book: OrderBook): Step[] {
  book.draws++
  if (book.faultRate === 0) return ordinary
  if (seededRandom(book.seed, book.draws, 1) >= book.faultRate) return ordinary
  const kind = Math.floor(seededRandom(book.seed, book.draws, 2) * book.faultKinds.length)
  return faults[book.faultKinds[kind] ?? 'lost_answer']
}

function newOrder(book: OrderBook, request: OrderRequest, script: Script): Order {
  const now = Date.now()
  const id = book.firstId + book.orders.length
  const { mount, kind, operation, key, isKeyUnique, clientReference, phone, amount } = request
  return {
    mount,
    kind,
    operation,
    key,
    isKeyUnique,
    clientReference,
    phone,
    amount,
    callbackUrl: request.callbackUrl ?? '',
    echo: request.echo,
    original: request.original,
    number: (book.orders.at(-1)?.number ?? 0) + 1,
    id,
    reference: `${request.prefix}${id}`,
    status: 'pending',
    reason: undefined,
    paid: 0,
    executed: 0,
    reversed: 0,
    createdAt: now,
    completedAt: 0,
    script,
    searches: 0,
    cursor: 0,
    lastStepAt: now,
    delayEndsAt: 0,
    savedScript: script,
    savedCursor: 0,
    timer: undefined,
    releaseAnswer: undefined,
    delivery: undefined,
    lastCallback: undefined,
  }
}

/** Puts an order into the book, new or from the journal. */
export function enterOrder(book: OrderBook, order: Order): void {
  const { mount, key, isKeyUnique, original, status } = order
  // Reserved at once, so that concurrent reversals cannot refund more than was paid.
  if (original !== undefined && status !== 'failed') original.reversed += order.amount
  book.orders.push(order)
  if (isKeyUnique && key !== '') book.byKey.set(`${mount.path} ${key}`, order)
  order.kind.entered?.(order)
}

/** Why a repetition of an order is declined; undefined: it is recognised as one. */
export function declineOfRepeats(first: Order | undefined): Reason | undefined {
  const step = first?.script.steps.find((one) => one.do === 'decline_repeats')
  return step?.do === 'decline_repeats' ? step.reason : undefined
}

/** Whether a query does not find an order yet; to be asked once for each. */
export function isHidden(order: Order): boolean {
  order.searches++
  return order.script.steps.some((one) => one.do === 'hide' && order.searches <= one.times)
}

/** The order with this id. */
export function findById(book: OrderBook, id: number): Order | undefined {
  return book.orders[id - book.firstId] ?? book.restored.get(id)
}

/** The order with this reference, if it was placed at this mount. */
export function findByReference(
  book: OrderBook,
  mount: Mount,
  reference: string,
): Order | undefined {
  const order = findById(book, Number(/\d{13,16}$/.exec(reference)?.[0]))
  if (order?.reference !== reference || order.mount !== mount) return undefined
  return runDueSteps(book, order)
}

/** The order with this key at this mount, as a query by the client's own id finds it. */
export function searchByKey(book: OrderBook, mount: Mount, key: string): Order | undefined {
  const order = findByKey(book, mount, key)
  return order === undefined || isHidden(order) ? undefined : order
}

/** The order with this key at this mount; the last one when there are several. */
export function findByKey(book: OrderBook, mount: Mount, key: string): Order | undefined {
  const order = book.byKey.get(`${mount.path} ${key}`)
  return order && runDueSteps(book, order)
}

/** The amount to show: what moved, or until then what was ordered. */
export function amountShown(order: Order): number {
  return order.executed > 0 ? order.paid : order.amount
}
