import type { Books, Claim, Order } from './orders.ts'
import type { Reason, Step } from './scenarios.ts'
import { scriptOf, takesTime } from './scenarios.ts'
import { draw } from './seed.ts'

/** Lives all steps that are due by now. Nobody needs a clock for steps that only a query shows. */
export function play(books: Books, order: Order): Order {
  const { steps, visibleUntil, holdsAnswer } = order.script
  if (order.cursor >= steps.length || books.isClosed) return order
  const now = Date.now()
  for (let step = steps[order.cursor]; step !== undefined; step = steps[order.cursor]) {
    if (step.do === 'hold') {
      order.release?.({ do: 'answer' })
      return order
    }
    if (!takesTime(step)) {
      // Counted first: whoever writes an answer may look at the order, and so play it, again.
      order.cursor++
      live(books, order, step)
      continue
    }
    if (order.dueAt === 0) order.dueAt = order.playedAt + durationMs(books, order, step)
    if (order.dueAt > now) {
      const isSeen = order.cursor < visibleUntil && (order.tell !== undefined || holdsAnswer)
      if (isSeen && order.timer === undefined) wakeAt(books, order, order.dueAt - now)
      return order
    }
    order.cursor++
    order.playedAt = order.dueAt
    order.dueAt = 0
  }
  order.delivery = undefined
  order.lastMessage = undefined
  return order
}

function durationMs(books: Books, order: Order, step: Step & { do: 'delay' | 'soon' }): number {
  if (step.do === 'delay') return step.ms / books.pace
  if (order.payerMs !== undefined) return order.payerMs / books.pace
  return (800 + 400 * draw(books.seed, order.number, 0)) / books.pace
}

function wakeAt(books: Books, order: Order, ms: number): void {
  order.timer = setTimeout(() => {
    order.timer = undefined
    play(books, order)
  }, Math.ceil(ms)).unref()
}

function live(books: Books, order: Order, step: Step): void {
  const { status, reason } = order
  if (step.do === 'succeed') succeed(order, step.amount ?? order.amount + (step.off ?? 0))
  else if (step.do === 'decline') fail(order, step.reason)
  else if (step.do === 'callback') send(books, order, { status, reason, isForged: false })
  else if (step.do === 'contradict') {
    const opposite = status === 'succeeded' ? 'failed' : 'succeeded'
    send(books, order, { status: opposite, reason: 'failed', isForged: false })
  } else if (step.do === 'forge') {
    send(books, order, { status: 'succeeded', reason: undefined, isForged: true })
  } else if (step.do === 'duplicate') {
    for (let times = step.times; times > 0; times--) post(books, order)
  } else {
    const release = () => order.release?.(step)
    if (order.delivery === undefined) release()
    else void order.delivery.then(release)
  }
}

function succeed(order: Order, amount: number): void {
  if (order.status !== 'pending') return
  if (order.execute?.(order) === false) return fail(order, 'failed')
  order.status = 'succeeded'
  order.paid = Math.max(1, amount)
  order.executed++
  order.completedAt = order.playedAt
}

function fail(order: Order, reason: Reason): void {
  if (order.status !== 'pending') return
  order.status = 'failed'
  order.reason = order.operation === 'collect' ? reason : (withoutPayer[reason] ?? reason)
  order.completedAt = order.playedAt
  if (order.original !== undefined) order.original.reversed -= order.amount
}

// Where we pay, there is no prompt to refuse: it is the payee's side that does not want the money.
const withoutPayer: Partial<Record<Reason, Reason>> = {
  refused: 'payee_refused',
  expired: 'failed',
}

function send(books: Books, order: Order, claim: Claim): void {
  if (order.tell === undefined || claim.status === 'pending') return
  order.lastMessage = order.tell(order, claim)
  post(books, order)
}

function post({ courier }: Books, order: Order): void {
  const { lastMessage: message, delivery } = order
  if (message === undefined) return
  order.delivery =
    delivery === undefined
      ? courier.deliver(message)
      : delivery.then(() => courier.deliver(message))
}

/** Whether nothing happens before the payer acts. */
export function isHeld({ script, cursor }: Order): boolean {
  return script.steps[cursor]?.do === 'hold'
}

/** The payer acts: a held order may go on from here. */
export function letGo(order: Order): Order {
  if (!isHeld(order)) return order
  order.cursor++
  order.playedAt = Date.now()
  return order
}

/** The payer acts at once: what the script is waiting for, or would wait for next, has come. */
export function hurry(books: Books, order: Order): Order {
  letGo(order)
  const step = order.script.steps[order.cursor]
  order.playedAt = Date.now()
  order.dueAt = step !== undefined && takesTime(step) ? order.playedAt : 0
  clearTimeout(order.timer)
  order.timer = undefined
  return play(books, order)
}

/** The rest of the script is forgotten and these steps are lived instead. */
export function rewrite(books: Books, order: Order, steps: Step[]): Order {
  order.release?.({ do: 'answer' })
  order.script = scriptOf(steps)
  order.cursor = 0
  return hurry(books, order)
}
