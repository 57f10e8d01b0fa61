import { amountOf, isWebAddress, lastNineDigits, text } from './fields.ts'
import { setFloat } from './float.ts'
import type { Order, OrderBook } from './order.ts'
import type { Answer, Body, Call, Routes } from './router.ts'
import { runDueSteps, skipDelay } from './run-script.ts'
import { type Fault, faults } from './scenarios.ts'
import { type Reason, reasons, type Step } from './script.ts'
import { setStatementFee, writeStatement } from './statement.ts'

/** The kinds of outage. */
export const outageModes = ['refuse', 'hang', 'error', 'slow'] as const

/** An outage of a provider, or of all providers of a connector (`provider` is empty). */
export interface Outage {
  connector: string
  provider: string
  mode: (typeof outageModes)[number]
  until: number
}

/** Settings that are not part of the order book. */
export interface Settings {
  webhookUrl: string | undefined
  outages: Outage[]
  /** Where its books are: by it a gateway knows the lab of its own installation. */
  folder: string | null
}

/** The routes under `/lab`, with which tests and merchants control the lab. */
export function controlRoutes(book: OrderBook, settings: Settings, reset: () => void): Routes {
  return {
    'POST /lab/scenario': (call) => setScript(book, call),
    'DELETE /lab/scenario': () => {
      book.scripts.clear()
      return done
    },
    'POST /lab/continue': (call) => endDelays(book, call),
    'POST /lab/outage': (call) => setOutage(settings, call),
    'POST /lab/idempotency': ({ body: { enabled } }) => {
      if (typeof enabled !== 'boolean') return refusal('enabled: true or false')
      book.isIdempotent = enabled
      return done
    },
    'POST /lab/float': (call) => tellFloat(book, call),
    'POST /lab/faults': (call) => setFaults(book, call),
    'POST /lab/webhooks': ({ body: { url } }) => {
      if (url !== null && !isWebAddress(text(url))) return refusal('url: an http address, or null')
      settings.webhookUrl = url === null ? undefined : text(url)
      return done
    },
    'GET /lab': () => ({
      status: 200,
      body: { orders: book.orders.length, folder: settings.folder },
    }),
    'GET /lab/books': (call) => readBook(book, call),
    'GET /lab/statement': (call) => writeStatement(book, call),
    'POST /lab/statement-fee': (call) => setStatementFee(book, call),
    'POST /lab/reset': () => {
      reset()
      return done
    },
  }
}

/** Replaces the scenario of a number: for its next order, or with `always` for all of them. */
function setScript({ scripts }: OrderBook, { body }: Call): Answer {
  const number = lastNineDigits(text(body.number) || text(body.reference))
  const steps = Array.isArray(body.steps) ? body.steps.map(readStep) : [undefined]
  if (number.length !== 9) return refusal('number or reference: at least nine digits')
  if (steps.length > 50 || !steps.every((step) => step !== undefined))
    return refusal('steps: at most 50, each as the documentation has it')
  const entry = scripts.get(number) ?? { next: [], always: undefined }
  if (entry.next.length >= 1000) return refusal('A thousand scripts wait for this number')
  if (body.always === true) entry.always = steps
  else entry.next.push(steps)
  scripts.set(number, entry)
  return done
}

/** Ends the delays that the open orders of a number are in: its payer decides now. */
function endDelays(book: OrderBook, { body }: Call): Answer {
  const number = lastNineDigits(text(body.number))
  if (number.length !== 9) return refusal('number: at least nine digits')
  const isWaiting = ({ phone, status }: Order) =>
    status === 'pending' && lastNineDigits(phone) === number
  for (const order of book.orders.filter(isWaiting)) skipDelay(book, order)
  return done
}

function readStep(raw: unknown): Step | undefined {
  const step = (raw ?? {}) as Body
  switch (step.do) {
    case 'soon':
    case 'callback':
    case 'contradict':
    case 'forge':
    case 'answer':
    case 'lose_answer':
      return { do: step.do }
    case 'delay':
      return isWholeNumber(step.ms, 0, 600_000) ? { do: 'delay', ms: step.ms } : undefined
    case 'hide':
      return isWholeNumber(step.times, 1, 1000) ? { do: 'hide', times: step.times } : undefined
    case 'decline_repeats': {
      const reason = (step.reason ?? 'insufficient_funds') as Reason
      return reasons.includes(reason) ? { do: 'decline_repeats', reason } : undefined
    }
    case 'duplicate':
      return isWholeNumber(step.times, 1, 100) ? { do: 'duplicate', times: step.times } : undefined
    case 'status':
      return isWholeNumber(step.code, 400, 599) ? { do: 'status', code: step.code } : undefined
    case 'decline': {
      const reason = (step.reason ?? 'failed') as Reason
      return reasons.includes(reason) ? { do: 'decline', reason } : undefined
    }
    case 'succeed': {
      if (step.amount === undefined) return { do: 'succeed' }
      const amount = amountOf(step.amount)
      return amount === undefined ? undefined : { do: 'succeed', amount }
    }
    default:
      return undefined
  }
}

function isWholeNumber(value: unknown, least: number, most: number): value is number {
  return Number.isInteger(value) && Number(value) >= least && Number(value) <= most
}

function setOutage(settings: Settings, { body }: Call): Answer {
  const [connector, provider, seconds] = [text(body.connector), text(body.provider), body.seconds]
  const mode = outageModes.find((one) => one === body.mode)
  if (connector === '') return refusal('connector: its name')
  if (mode === undefined) return refusal(`mode: one of ${outageModes.join(', ')}`)
  if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= 86_400))
    return refusal('seconds: 0 to 86400')
  const now = Date.now()
  // A new outage replaces the one of the same connector and provider; 0 seconds end it.
  settings.outages = settings.outages.filter(
    (one) => one.until > now && (one.connector !== connector || one.provider !== provider),
  )
  settings.outages.push({ connector, provider, mode, until: now + seconds * 1000 })
  return done
}

/** Sets what a provider holds for its client; null: enough again. */
function tellFloat(book: OrderBook, { body }: Call): Answer {
  const [connector, provider, country] = [body.connector, body.provider, body.country].map(text)
  const { balance } = body
  const path = `/${connector}/${provider}/${country}`
  if (!/^\/[a-z-]+\/[A-Z0-9]+\/[A-Z]{2}$/.test(path))
    return refusal('connector, provider, country: such as gsma, WALLETA, SN')
  if (balance !== null && !isWholeNumber(balance, 0, 1e12))
    return refusal('balance: whole francs, or null')
  if (balance === null) book.floats.delete(path)
  else setFloat(book, path, balance)
  return done
}

function setFaults(book: OrderBook, { body: { rate, kinds } }: Call): Answer {
  const all = Object.keys(faults) as Fault[]
  const chosen = kinds === undefined ? all : Array.isArray(kinds) ? (kinds as Fault[]) : []
  if (typeof rate !== 'number' || !(rate >= 0 && rate <= 1)) return refusal('rate: 0 to 1')
  if (chosen.length === 0 || !chosen.every((kind) => all.includes(kind)))
    return refusal(`kinds: some of ${all.join(', ')}`)
  book.faultRate = rate
  book.faultKinds = chosen
  return done
}

function readBook(book: OrderBook, { query }: Call): Answer {
  const key = query.get('key')
  const since = Number(query.get('since') ?? 0)
  for (const order of book.orders) runDueSteps(book, order)
  const orders = book.orders.filter(({ number }) => !(number <= since))
  return {
    status: 200,
    body: {
      orders: orders.filter((order) => key === null || order.key === key).map(describe),
      totals: totalsOf(book.orders),
    },
  }
}

function describe(order: Order): Body {
  const { number, mount, operation, key, reference, amount, status, executed } = order
  return {
    number,
    connector: mount.connector,
    provider: mount.provider,
    country: mount.country,
    operation,
    key,
    reference,
    client_reference: order.clientReference,
    phone: lastNineDigits(order.phone),
    amount,
    currency: mount.currency,
    status,
    reason: order.reason ?? null,
    executed,
    paid: order.paid,
    createdAt: new Date(order.createdAt).toISOString(),
    completedAt: status === 'pending' ? null : new Date(order.completedAt).toISOString(),
  }
}

/** `keysExecutedTwice` must stay 0: it counts keys for which money moved more than once. */
function totalsOf(orders: Order[]): Body {
  const totals = { orders: orders.length, pending: 0, succeeded: 0, failed: 0, executed: 0 }
  const paid: Record<string, number> = {}
  const executions = new Map<string, number>()
  for (const { status, executed, mount, key, ...order } of orders) {
    totals[status]++
    totals.executed += executed
    paid[mount.currency] = (paid[mount.currency] ?? 0) + order.paid
    if (key !== '') executions.set(key, (executions.get(key) ?? 0) + executed)
  }
  const keysExecutedTwice = [...executions.values()].filter((times) => times > 1).length
  return { ...totals, paid, keysExecutedTwice }
}

const done: Answer = { status: 200, body: { ok: true } }

function refusal(message: string): Answer {
  return { status: 400, body: { message } }
}
