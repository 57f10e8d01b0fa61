import { lacksFloat } from './float.ts'
import type { Claim, Order, OrderBook } from './order.ts'
import { saveProgress } from './order-journal.ts'
import { isStanding, type Reason, type Step, scriptOf, takesTime } from './script.ts'
import { seededRandom } from './seeded-random.ts'

/**
 * Runs all steps of an order that are due by now. A timer is set only for steps that are visible
 * without a query; all others run when the order is next looked up.
 */
export function runDueSteps(book: OrderBook, order: Order): Order {
  if (book.isClosed) return order
  runSteps(book, order)
  if (order.cursor !== order.savedCursor || order.script !== order.savedScript)
    saveProgress(book, order)
  return order
}

function runSteps(book: OrderBook, order: Order): void {
  const { steps, needsTimerUntil, holdsAnswer } = order.script
  if (order.cursor >= steps.length) return
  const now = Date.now()
  for (let step = steps[order.cursor]; step !== undefined; step = steps[order.cursor]) {
    if (step.do === 'hold') {
      order.releaseAnswer?.({ do: 'answer' })
      return
    }
    if (!takesTime(step)) {
      // First, because writing an answer may look up this order and so run its steps again.
      order.cursor++
      runStep(book, order, step)
      continue
    }
    if (order.delayEndsAt === 0) order.delayEndsAt = order.lastStepAt + delayMs(book, order, step)
    if (order.delayEndsAt > now) {
      const isVisible = order.cursor < needsTimerUntil && (order.callbackUrl !== '' || holdsAnswer)
      if (isVisible && order.timer === undefined) setTimer(book, order, order.delayEndsAt - now)
      return
    }
    order.cursor++
    order.lastStepAt = order.delayEndsAt
    order.delayEndsAt = 0
  }
  order.delivery = undefined
  order.lastCallback = undefined
}

function delayMs(book: OrderBook, order: Order, step: Step & { do: 'delay' | 'soon' }): number {
  if (step.do === 'delay') return step.ms / book.pace
  if (order.kind.payerMs !== undefined) return order.kind.payerMs / book.pace
  return (800 + 400 * seededRandom(book.seed, order.number, 0)) / book.pace
}

function setTimer(book: OrderBook, order: Order, ms: number): void {
  order.timer = setTimeout(() => {
    order.timer = undefined
    runDueSteps(book, order)
  }, Math.ceil(ms)).unref()
}

function runStep(book: OrderBook, order: Order, step: Step): void {
  if (isStanding(step)) return
  const { status, reason } = order
  if (step.do === 'succeed') succeed(book, order, step.amount ?? order.amount + (step.off ?? 0))
  else if (step.do === 'decline') fail(order, step.reason)
  else if (step.do === 'callback') sendCallback(book, order, { status, reason, isForged: false })
  else if (step.do === 'contradict') {
    const opposite = status === 'succeeded' ? 'failed' : 'succeeded'
    sendCallback(book, order, { status: opposite, reason: 'failed', isForged: false })
  } else if (step.do === 'forge') {
    sendCallback(book, order, { status: 'succeeded', reason: undefined, isForged: true })
  } else if (step.do === 'duplicate') {
    for (let times = step.times; times > 0; times--) queueLastCallback(book, order)
  } else {
    // The answer follows the callbacks before it.
    const release = () => order.releaseAnswer?.(step)
    if (order.delivery === undefined) release()
    else void order.delivery.then(release)
  }
}

function succeed(book: OrderBook, order: Order, amount: number): void {
  if (order.status !== 'pending') return
  const isPayout = order.operation !== 'collect'
  if (isPayout && lacksFloat(book, order.mount.path, amount))
    return fail(order, 'insufficient_funds')
  if (order.kind.execute?.(order) === false) return fail(order, 'failed')
  order.status = 'succeeded'
  order.paid = Math.max(1, amount)
  order.executed++
  order.completedAt = order.lastStepAt
}

function fail(order: Order, reason: Reason): void {
  if (order.status !== 'pending') return
  order.status = 'failed'
  order.reason = order.operation === 'collect' ? reason : (withoutPayer[reason] ?? reason)
  order.completedAt = order.lastStepAt
  if (order.original !== undefined) order.original.reversed -= order.amount
}

// Payouts and airtime have no payer with a prompt: the receiving side refuses or fails instead.
const withoutPayer: Partial<Record<Reason, Reason>> = {
  refused: 'payee_refused',
  expired: 'failed',
}

function sendCallback(book: OrderBook, order: Order, claim: Claim): void {
  const { writeCallback } = order.kind
  if (writeCallback === undefined || order.callbackUrl === '' || claim.status === 'pending') return
  order.lastCallback = writeCallback(order, claim)
  queueLastCallback(book, order)
}

function queueLastCallback({ callbacks }: OrderBook, order: Order): void {
  const { lastCallback: request, delivery } = order
  if (request === undefined) return
  order.delivery =
    delivery === undefined
      ? callbacks.deliver(request)
      : delivery.then(() => callbacks.deliver(request))
}

/** Whether the order waits for the payer, or for a query: its next step is `hold`. */
export function isHeld({ script, cursor }: Order): boolean {
  return script.steps[cursor]?.do === 'hold'
}

/** Ends the wait of a held order; its next steps count from now. */
export function resumeHeld(order: Order): Order {
  if (!isHeld(order)) return order
  order.cursor++
  order.lastStepAt = Date.now()
  return order
}

/** Ends the delay that the order is in, or the one that comes next, and runs the steps after it. */
export function skipDelay(book: OrderBook, order: Order): Order {
  resumeHeld(order)
  const step = order.script.steps[order.cursor]
  order.lastStepAt = Date.now()
  order.delayEndsAt = step !== undefined && takesTime(step) ? order.lastStepAt : 0
  clearTimeout(order.timer)
  order.timer = undefined
  return runDueSteps(book, order)
}

/** Replaces the rest of the script by these steps, and starts them without delay. */
export function replaceScript(book: OrderBook, order: Order, steps: Step[]): Order {
  order.releaseAnswer?.({ do: 'answer' })
  order.script = scriptOf(steps)
  order.cursor = 0
  return skipDelay(book, order)
}
