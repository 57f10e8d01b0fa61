import { setTimeout as sleep } from 'node:timers/promises'
import { openHttpPool } from '../bench/http-pool.ts'
import { seededRandom } from '../lab/seeded-random.ts'
import type { ClientJob, Merchant } from './client-job.ts'
import type { Journal } from './journal.ts'

/** One request, before it is sent. */
export interface Order {
  merchant: number
  method: 'GET' | 'POST'
  path: string
  body?: object
  headers?: Record<string, string>
}

/** What came back. Status 0: no answer, and the text says why. */
export interface Answer {
  status: number
  text: string
  json(): Record<string, unknown>
}

/** Sends requests and writes each to the journal before it leaves, and each answer. */
export interface Sender {
  job: ClientJob
  statuses: Record<string, number>
  sent(): number
  acknowledged(): number
  /** Sends a request once, to the gateway named or to one by turns. */
  send(order: Order, gateway?: number): Promise<Answer>
  /** Sends a payment once, and counts it if it is acknowledged. */
  once(order: Order): Promise<Answer>
  /**
   * Sends a request until it is answered for good: by a 2xx, or by a refusal that a repetition does
   * not change. No answer and 5xx are repeated, at another gateway each time, for a minute.
   */
  insist(order: Order): Promise<Answer>
  /** The same number for the same seed and the same pair. */
  random(first: number, second?: number): number
  close(): void
}

// Further requests wait here for their turn, unless the job says that it has more connections.
const usualConnections = 64
const usualPauseMs = 100
const insistMs = 60_000

export function openSender(job: ClientJob, journal: Journal): Sender {
  const connections = Number(job.more.connections ?? usualConnections)
  const isFarApart = job.more.isFromManyAddresses === true
  const pools = job.gatewayUrls.map((url, index) =>
    openHttpPool(url, connections, isFarApart ? `127.0.1.${index + 1}` : undefined),
  )
  const pauseMs = Number(job.more.pauseMs ?? usualPauseMs)
  const statuses: Record<string, number> = {}
  let number = 0
  let acknowledged = 0

  async function send(order: Order, gateway = number % pools.length): Promise<Answer> {
    number += 1
    const own = number
    const merchant = job.merchants[order.merchant % job.merchants.length]
    if (merchant === undefined) throw new Error('a job without merchants')
    const { method, path, headers } = order
    const body = order.body === undefined ? null : JSON.stringify(order.body)
    const call = `${method} ${path}`
    const key = headers?.['idempotency-key'] ?? null
    journal.append(['sent', own, Date.now(), merchant.name, call, body, gateway, key])
    const request = { method, path, headers: headersOf(order, merchant), body }
    const { status, body: received, problem } = (await pools[gateway]?.send(request)) ?? silence
    const text = problem ?? received
    journal.append(['answer', own, Date.now(), status, text])
    statuses[status] = (statuses[status] ?? 0) + 1
    return { status, text, json: () => JSON.parse(text) as Record<string, unknown> }
  }

  async function once(order: Order): Promise<Answer> {
    const answer = await send(order)
    if (answer.status >= 200 && answer.status < 300) acknowledged += 1
    return answer
  }

  async function insist(order: Order): Promise<Answer> {
    const giveUpMs = performance.now() + insistMs
    let gateway = number
    let isRepeated = false
    for (;;) {
      const answer = await send(order, gateway % pools.length)
      const { status, text } = answer
      const isUnderWay = text.includes('REQUEST_IN_PROGRESS')
      if (status !== 0 && status < 500 && status !== 429 && !isUnderWay) {
        if (status < 300 || (status === 409 && isRepeated)) acknowledged += 1
        return answer
      }
      if (performance.now() > giveUpMs) return answer
      isRepeated = true
      gateway += 1
      await sleep(pauseMs)
    }
  }

  return {
    job,
    statuses,
    sent: () => number,
    acknowledged: () => acknowledged,
    send,
    once,
    insist,
    random: (first, second = 0) => seededRandom(job.seed, first, second),
    close: () => {
      for (const pool of pools) pool.close()
    },
  }
}

const silence = { status: 0, body: '', problem: 'no such gateway' }

function headersOf({ headers, body }: Order, { apiKey }: Merchant): Record<string, string> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  return { authorization: `Bearer ${apiKey}`, ...type, ...headers }
}
