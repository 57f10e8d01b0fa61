import { randomUUID } from 'node:crypto'
import { Agent, createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Body } from './router.ts'
import { type LabOptions, type RunningLab, startLab } from './server.ts'

/** An HTTP answer; status 0: the socket was closed instead. */
export interface Reply {
  status: number
  headers: IncomingHttpHeaders
  text: string
  body: Body
}

/** A callback as it was received. */
export interface Received {
  method: string
  path: string
  headers: IncomingHttpHeaders
  text: string
  body: Body
  at: number
}

/** A lab, and a receiver of its callbacks. */
export interface TestLab {
  url: string
  /** `send('POST /gsma/WALLETA/SN/…', body, headers)`. */
  send(target: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  /** A callback URL of this name. */
  inbox(name: string): string
  /** The callbacks received under this name so far. */
  received(name: string): Received[]
  /** The orders in the book with this key. */
  booked(key: string): Promise<Body[]>
}

/** All delays are twenty times shorter. */
export const pace = 20

/** Starts a lab and a receiver of callbacks; both are closed after the tests of the file. */
export async function openTestLab(
  options: LabOptions = {},
  start: (options: LabOptions) => Promise<RunningLab> = startLab,
): Promise<TestLab> {
  const agent = new Agent({ keepAlive: true })
  const arrived: Received[] = []
  const receiver = createServer((incoming, outgoing) => {
    let text = ''
    incoming.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    incoming.on('end', () => {
      const { method = '', url: path = '', headers } = incoming
      arrived.push({ method, path, headers, text, body: parse(text), at: Date.now() })
      const isKnown = path === '/webhooks' || path.endsWith('/code')
      outgoing.writeHead(path.startsWith('/refuse') ? 500 : isKnown ? 204 : 404).end()
    })
  })
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done))
  const home = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const lab = await start({ pace, webhookUrl: `${home}/webhooks`, ...options })
  after(async () => {
    await lab.close()
    receiver.closeAllConnections()
    receiver.close()
    agent.destroy()
  })

  const send: TestLab['send'] = (target, body, headers = {}) =>
    exchange(agent, lab.url, target, body, headers)
  return {
    url: lab.url,
    send,
    inbox: (name) => `${home}/${name}/code`,
    received: (name) => arrived.filter(({ path }) => path.startsWith(`/${name}`)),
    booked: async (key) => {
      const { body } = await send(`GET /lab/books?key=${encodeURIComponent(key)}`)
      return body.orders as Body[]
    },
  }
}

function exchange(
  agent: Agent,
  base: string,
  target: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Reply> {
  const [method = '', path = ''] = target.split(' ')
  const content = typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body)
  return new Promise((done) => {
    const gone = () => done({ status: 0, headers: {}, text: '', body: {} })
    // Set explicitly: Node omits the length for methods that seldom have a body.
    const length = content === '' ? {} : { 'content-length': Buffer.byteLength(content) }
    const options = { method, agent, headers: { ...headers, ...length } }
    const sending = request(base + path, options, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      answer.on('error', gone)
      answer.on('end', () => {
        const { statusCode: status = 0 } = answer
        done({ status, headers: answer.headers, text, body: parse(text) })
      })
    })
    sending.on('error', gone)
    sending.end(content)
  })
}

function parse(text: string): Body {
  try {
    return JSON.parse(text) as Body
  } catch {
    return {}
  }
}

/** Reads a value until it satisfies the condition; after two seconds, returns the last value. */
export async function until<T>(
  read: () => T | Promise<T>,
  isSatisfied: (value: T) => boolean,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    const value = await read()
    if (isSatisfied(value) || tries === 6000) return value
    await sleep(10)
  }
}

/** The state of an order as a query returns it, the same for all protocols. */
export interface OrderState {
  outcome: 'none' | 'pending' | 'succeeded' | 'failed'
  amount: number
}

/** A client of one protocol and one direction (collect or disburse). */
export interface ProtocolClient {
  name: string
  /** The HTTP status of the answer to an accepted order. */
  acceptedStatus: number
  hasCallback: boolean
  /** Sends all requests up to the order; returns the answer to the order itself. */
  order(lab: TestLab, phone: string, key: string): Promise<Reply>
  query(lab: TestLab, key: string): Promise<OrderState>
}

const outcomes: Record<string, OrderState['outcome']> = {
  pending: 'pending',
  processing: 'pending',
  completed: 'succeeded',
  success: 'succeeded',
  successful: 'succeeded',
  succeeded: 'succeeded',
  cancelled: 'failed',
  failed: 'failed',
}

/** The state of an order from the status and amount of any protocol. */
export function orderStateOf(status: unknown, amount: unknown): OrderState {
  return { outcome: outcomes[String(status).toLowerCase()] ?? 'none', amount: Number(amount) }
}

/** Requests a token; returns the authorization header with it. */
export async function requestToken(
  lab: TestLab,
  target: string,
  body?: unknown,
): Promise<Record<string, string>> {
  const user = { authorization: 'Basic dTpr', 'ocp-apim-subscription-key': 'any' }
  const answer = await lab.send(`POST ${target}`, body, user)
  return { authorization: `Bearer ${String(answer.body.access_token)}` }
}

/** A new idempotency key. */
export function newKey(): string {
  return randomUUID()
}
