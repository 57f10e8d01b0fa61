import type { Courier, Message } from './callbacks.ts'
import type { Answer, Body, Mount } from './http.ts'
import { htmlError, lastNine, lost } from './http.ts'
import { play } from './play.ts'
import type { Fault, Reason, Script, Step } from './scenarios.ts'
import { faults, ordinary, scenarios, scriptOf } from './scenarios.ts'
import { draw } from './seed.ts'

/** What an order is for, seen from the client. */
export type Operation = 'collect' | 'disburse' | 'top_up' | 'bill' | 'reverse'
/** Where an order stands; only pending ones move. */
export type Status = 'pending' | 'succeeded' | 'failed'

/** What a callback says; `isForged` when it must look as if somebody else had sent it. */
export interface Claim {
  status: Status
  reason: Reason | undefined
  isForged: boolean
}

/** What a protocol asks the books to take. */
export interface Wish {
  mount: Mount
  operation: Operation
  /** The client's idempotency id; empty when it gave none. */
  key: string
  /** Whether a second order with the same key is turned away. */
  isKeyUnique: boolean
  clientReference: string
  /** The customer's number, or the subscriber's reference. */
  phone: string
  amount: number
  /** What the order's reference begins with; a number of its own follows. */
  prefix: string
  /** What the protocol wants to read back later. */
  echo: Body
  /** The collection that is sent back. */
  original?: Order
  /** How this protocol lives a scenario, where it does not live it as it is written. */
  adapt?: (script: Script) => Script
  /** How long the payer takes, where it is not about a second. */
  payerMs?: number
  /** Writes the callback; absent when there is no address to tell. */
  tell?: (order: Order, claim: Claim) => Message
  /** Asked when money is about to move; false: it cannot any more. */
  execute?: (order: Order) => boolean
}

/** An order in the books: the wish, and what has become of it. */
export interface Order extends Wish {
  number: number
  id: number
  reference: string
  status: Status
  reason: Reason | undefined
  /** What really moved. */
  paid: number
  executed: number
  /** How much of it was sent back, or is on its way. */
  reversed: number
  createdAt: number
  completedAt: number
  script: Script
  cursor: number
  /** When the last step was due, and when the next one is (0: not waiting). */
  playedAt: number
  dueAt: number
  timer: NodeJS.Timeout | undefined
  release: ((fate: Step) => void) | undefined
  delivery: Promise<void> | undefined
  lastMessage: Message | undefined
}

/** The books and everything that steers them; `/lab/reset` starts new ones. */
export interface Books {
  seed: number
  pace: number
  courier: Courier
  isClosed: boolean
  isIdempotent: boolean
  orders: Order[]
  /** References count from here, so that they never repeat after a restart. */
  firstId: number
  byKey: Map<string, Order>
  /** Keys that were turned away, with the script that waits for them. */
  turnedAway: Map<string, { script: Script; times: number }>
  /** Scripts that replace the table for a number. */
  scripts: Map<string, { next: Step[][]; always: Step[] | undefined }>
  faultRate: number
  faultKinds: Fault[]
  /** How many ordinary orders were asked for: the seed's draws count these. */
  draws: number
}

/** Opens empty books. */
export function openBooks(seed: number, pace: number, courier: Courier): Books {
  return {
    seed,
    pace,
    courier,
    isClosed: false,
    isIdempotent: true,
    orders: [],
    firstId: Date.now() * 1000,
    byKey: new Map(),
    turnedAway: new Map(),
    scripts: new Map(),
    faultRate: 0,
    faultKinds: Object.keys(faults) as Fault[],
    draws: 0,
  }
}

/** How a protocol answers an order, and a second one with the same key. */
export interface Answers {
  taken: (order: Order) => Answer
  /** Without it, the first answer is given again. */
  repeated?: (first: Order) => Answer
  /** Called when the order is in the books and has not begun yet. */
  entered?: (order: Order) => void
}

/** Takes an order and lives its script; the answer is written when the script lets it. */
export function placeOrder(
  books: Books,
  wish: Wish,
  { taken, repeated = taken, entered }: Answers,
): Answer | Promise<Answer> {
  const key = `${wish.mount.path} ${wish.key}`
  const first = wish.isKeyUnique && wish.key !== '' ? books.byKey.get(key) : undefined
  if (first !== undefined && books.isIdempotent) return repeated(play(books, first))

  // Without a key it is the customer who is turned away.
  const place = wish.key === '' ? `${key}${wish.phone}` : key
  const away = books.turnedAway.get(place)
  const script = away?.script ?? chooseScript(books, wish)
  const refusal = script.refusals[away?.times ?? 0]
  if (refusal !== undefined) {
    books.turnedAway.set(place, { script, times: (away?.times ?? 0) + 1 })
    return htmlError(refusal)
  }
  if (away !== undefined) books.turnedAway.delete(place)

  const order = enter(books, wish, script)
  if (wish.isKeyUnique && wish.key !== '') books.byKey.set(key, order)
  entered?.(order)
  return answerWhenDue(books, order, taken)
}

/** Plays an order, and writes its answer at once or when its script says so. */
export function answerWhenDue(
  books: Books,
  order: Order,
  write: (order: Order) => Answer,
): Answer | Promise<Answer> {
  if (!order.script.holdsAnswer) return write(play(books, order))
  return new Promise((done) => {
    order.release = (fate) => {
      order.release = undefined
      if (fate.do === 'lose_answer') done(lost)
      else done(fate.do === 'status' ? htmlError(fate.code) : write(order))
    }
    play(books, order)
  })
}

function chooseScript(books: Books, wish: Wish): Script {
  const number = lastNine(wish.phone)
  const replaced = books.scripts.get(number)
  const steps = replaced?.next.shift() ?? replaced?.always ?? scenarios[number]
  const script = scriptOf(steps ?? drawFault(books))
  return wish.adapt?.(script) ?? script
}

function drawFault(books: Books): Step[] {
  books.draws++
  if (books.faultRate === 0) return ordinary
  if (draw(books.seed, books.draws, 1) >= books.faultRate) return ordinary
  const kind = Math.floor(draw(books.seed, books.draws, 2) * books.faultKinds.length)
  return faults[books.faultKinds[kind] ?? 'lost_answer']
}

function enter(books: Books, wish: Wish, script: Script): Order {
  const now = Date.now()
  const id = books.firstId + books.orders.length
  const order: Order = {
    ...wish,
    number: books.orders.length + 1,
    id,
    reference: `${wish.prefix}${id}`,
    status: 'pending',
    reason: undefined,
    paid: 0,
    executed: 0,
    reversed: 0,
    createdAt: now,
    completedAt: 0,
    script,
    cursor: 0,
    playedAt: now,
    dueAt: 0,
    timer: undefined,
    release: undefined,
    delivery: undefined,
    lastMessage: undefined,
  }
  // Reserved from the start, so that two reversals under way can never send back too much.
  if (order.original !== undefined) order.original.reversed += order.amount
  books.orders.push(order)
  return order
}

/** The order of a reference that was given out at this mount. */
export function findByReference(books: Books, mount: Mount, reference: string): Order | undefined {
  const id = Number(/\d{13,16}$/.exec(reference)?.[0])
  const order = books.orders[id - books.firstId]
  if (order?.reference !== reference || order.mount !== mount) return undefined
  return play(books, order)
}

/** The order of a client's own key at this mount: the last one, when there are several. */
export function findByKey(books: Books, mount: Mount, key: string): Order | undefined {
  const order = books.byKey.get(`${mount.path} ${key}`)
  return order && play(books, order)
}

/** The amount to show: what moved, or until then what was asked for. */
export function amountShown(order: Order): number {
  return order.executed > 0 ? order.paid : order.amount
}
