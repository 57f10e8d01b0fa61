import type { Answer, Body, Call, Routes } from './http.ts'
import { amountOf, isWebAddress, lastNine, text } from './http.ts'
import type { Books, Order } from './orders.ts'
import { play } from './play.ts'
import type { Fault, Reason, Step } from './scenarios.ts'
import { faults, reasons } from './scenarios.ts'

/** The ways in which a provider can fail to work. */
export const outageModes = ['refuse', 'hang', 'error', 'slow'] as const

/** A provider, or a whole connector, that does not work for a while. */
export interface Outage {
  connector: string
  provider: string
  mode: (typeof outageModes)[number]
  until: number
}

/** What outlives a single order and is not in the books. */
export interface Settings {
  webhookUrl: string | undefined
  outages: Outage[]
}

/** The merchant's own levers, under `/lab`. */
export function control(books: Books, settings: Settings, reset: () => void): Routes {
  return {
    'POST /lab/scenario': (call) => setScript(books, call),
    'DELETE /lab/scenario': () => {
      books.scripts.clear()
      return done
    },
    'POST /lab/outage': (call) => setOutage(settings, call),
    'POST /lab/idempotency': ({ body: { enabled } }) => {
      if (typeof enabled !== 'boolean') return refusal('enabled: true or false')
      books.isIdempotent = enabled
      return done
    },
    'POST /lab/faults': (call) => setFaults(books, call),
    'POST /lab/webhooks': ({ body: { url } }) => {
      if (url !== null && !isWebAddress(text(url))) return refusal('url: an http address, or null')
      settings.webhookUrl = url === null ? undefined : text(url)
      return done
    },
    'GET /lab': () => ({ status: 200, body: { orders: books.orders.length } }),
    'GET /lab/books': (call) => readBooks(books, call),
    'POST /lab/reset': () => {
      reset()
      return done
    },
  }
}

/** Puts a script in the place of the table: for the next order, or with `always` for all. */
function setScript({ scripts }: Books, { body }: Call): Answer {
  const number = lastNine(text(body.number) || text(body.reference))
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
      return whole(step.ms, 0, 600_000) ? { do: 'delay', ms: step.ms } : undefined
    case 'duplicate':
      return whole(step.times, 1, 100) ? { do: 'duplicate', times: step.times } : undefined
    case 'status':
      return whole(step.code, 400, 599) ? { do: 'status', code: step.code } : undefined
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

function whole(value: unknown, least: number, most: number): value is number {
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
  // One outage for each place: a new one replaces the old, and 0 seconds end it.
  settings.outages = settings.outages.filter(
    (one) => one.until > now && (one.connector !== connector || one.provider !== provider),
  )
  settings.outages.push({ connector, provider, mode, until: now + seconds * 1000 })
  return done
}

function setFaults(books: Books, { body: { rate, kinds } }: Call): Answer {
  const all = Object.keys(faults) as Fault[]
  const chosen = kinds === undefined ? all : Array.isArray(kinds) ? (kinds as Fault[]) : []
  if (typeof rate !== 'number' || !(rate >= 0 && rate <= 1)) return refusal('rate: 0 to 1')
  if (chosen.length === 0 || !chosen.every((kind) => all.includes(kind)))
    return refusal(`kinds: some of ${all.join(', ')}`)
  books.faultRate = rate
  books.faultKinds = chosen
  return done
}

function readBooks(books: Books, { query }: Call): Answer {
  const key = query.get('key')
  const since = Number(query.get('since') ?? 0)
  for (const order of books.orders) play(books, order)
  const orders = books.orders.slice(since > 0 ? since : 0)
  return {
    status: 200,
    body: {
      orders: orders.filter((order) => key === null || order.key === key).map(describe),
      totals: totalsOf(books.orders),
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
    phone: lastNine(order.phone),
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

/** `keysExecutedTwice` is what must stay 0, whatever went wrong on the way. */
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
