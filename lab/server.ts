import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBillerRecords } from './biller-records.ts'
import { type CallbackSender, openCallbackSender } from './callback-sender.ts'
import { refusalOf } from './callers.ts'
import { controlRoutes, type Outage, type Settings } from './control-routes.ts'
import type { Journal } from './journal.ts'
import type { OrderBook } from './order.ts'
import { openOrderBook } from './order-book.ts'
import { checkoutPage } from './protocols/checkout-page.ts'
import { checkoutSession } from './protocols/checkout-session.ts'
import { gsma } from './protocols/gsma.ts'
import { otpConfirm } from './protocols/otp-confirm.ts'
import { requestToPay } from './protocols/request-to-pay.ts'
import { topUp } from './protocols/top-up.ts'
import { openBooks } from './restore.ts'
import {
  type Answer,
  type Body,
  closedSocket,
  htmlError,
  type Mount,
  type Protocol,
  type Router,
  routerOf,
} from './router.ts'
import { runDueSteps } from './run-script.ts'

/** Options of a lab; each has a default. */
export interface LabOptions {
  /** 0: any free port. */
  port?: number
  host?: string
  /** The same seed gives the same delays and faults. */
  seed?: number
  /** Every delay is divided by this. */
  pace?: number
  /** Where webhooks about checkout sessions and payouts are sent. */
  webhookUrl?: string | undefined
  /** The folder in which orders outlast the lab; without it they do not. */
  dataFolder?: string | undefined
}

/** A lab that listens until it is closed. */
export interface RunningLab {
  url: string
  close(): Promise<void>
}

/** What `/lab/reset` keeps. */
interface LabContext {
  url: string
  seed: number
  pace: number
  callbacks: CallbackSender
  journal: Journal
  settings: Settings
  mounts: Map<string, Mount>
}

/** What `/lab/reset` replaces. */
interface LabState {
  book: OrderBook
  /** The routes of `/lab` and of the payment page. */
  ownRouter: Router
  connectors: Map<string, Protocol & { router: Router }>
}

const currencies = new Map(Object.entries({ SN: 'XOF', ML: 'XOF', CI: 'XOF', CM: 'XAF' }))
const bodyBytesMax = 65_536
const slowMs = 2000
const noMount: Mount = { connector: '', provider: '', country: '', currency: '', path: '' }
const noQuery = new URLSearchParams()
const notFound: Answer = { status: 404, body: { message: 'There is nothing here' } }
const notJson: Answer = { status: 400, body: { message: 'The body is not a JSON object' } }

/** Starts the provider lab; it listens when the promise resolves. */
export async function startLab(options: LabOptions = {}): Promise<RunningLab> {
  const { port = 0, host = '127.0.0.1', seed = 1, pace = 1, webhookUrl, dataFolder } = options
  const server = createServer({ optimizeEmptyRequests: true })
  server.on('clientError', (_error, socket) => socket.destroy())
  // First, because whoever has the port may use the same folder.
  await new Promise<void>((done, fail) => {
    server.once('error', fail)
    server.listen(port, host, done)
  })
  const { port: actualPort } = server.address() as AddressInfo
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`
  const callbacks = openCallbackSender(pace)
  const settings: Settings = { webhookUrl, outages: [], folder: dataFolder ?? null }
  const mounts = new Map<string, Mount>()
  const { journal, restore } = await openBooks(dataFolder)
  const context: LabContext = { url, seed, pace, callbacks, journal, settings, mounts }
  let state = openState(context, reset)
  function reset(): void {
    state.book.isClosed = true
    settings.outages = []
    journal.truncate()
    state = openState(context, reset)
  }
  restore(state.book, (path) => {
    const [, connector = '', provider = '', country = ''] = path.split('/')
    return mountAt(context, connector, provider, country)
  })
  // What was due while the lab did not run happens now; timers are set for the rest.
  for (const order of state.book.orders) runDueSteps(state.book, order)
  server.on('request', (request, response) => void serve(context, state, request, response))
  return {
    url,
    close: () => {
      state.book.isClosed = true
      callbacks.close()
      journal.close()
      return new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      })
    },
  }
}

function openState(context: LabContext, reset: () => void): LabState {
  const { seed, pace, callbacks, journal, settings } = context
  const book = openOrderBook(seed, pace, callbacks, journal)
  const protocols: Record<string, Protocol> = {
    gsma: gsma(book, openBillerRecords(book)),
    'request-to-pay': requestToPay(book),
    'otp-confirm': otpConfirm(book, context.url),
    'checkout-session': checkoutSession(book, context.url, () => settings.webhookUrl),
    'top-up': topUp(book),
  }
  const connectors = Object.entries(protocols).map(
    ([name, protocol]) => [name, { ...protocol, router: routerOf(protocol.routes) }] as const,
  )
  const ownRouter = routerOf({ ...controlRoutes(book, settings, reset), ...checkoutPage(book) })
  return { book, ownRouter, connectors: new Map(connectors) }
}

async function serve(
  context: LabContext,
  state: LabState,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const [path = '', search = ''] = splitOnce(request.url ?? '', '?')
    const parts = path.slice(1).split('/')
    const segments = path.includes('%') ? parts.map(decode) : parts
    if (segments.at(-1) === '') segments.pop()
    const refusal = refusalOf(request, segments)
    if (refusal !== undefined) return write(request, response, refusal)
    const outage = outageAt(context.settings, segments)
    if (outage?.mode === 'hang') return
    if (outage?.mode === 'refuse') return void request.socket.destroy()
    if (outage?.mode === 'error') return write(request, response, htmlError(503))
    if (outage?.mode === 'slow') await sleep(slowMs / context.pace, undefined, { ref: false })
    const answer = await respond(context, state, request, segments, search)
    context.journal.afterWrites(() => write(request, response, answer))
  } catch {
    write(request, response, { status: 500, body: { message: 'The lab has a bug here' } })
  }
}

function respond(
  context: LabContext,
  state: LabState,
  request: IncomingMessage,
  segments: string[],
  search: string,
): Answer | Promise<Answer> {
  const [connectorName = '', provider = '', country = ''] = segments
  const { method = '', headers } = request
  const connector = state.connectors.get(connectorName)
  const mount = connector && mountAt(context, connectorName, provider, country)
  const route = connector
    ? mount && connector.router(method, segments.slice(3))
    : state.ownRouter(method, segments)
  if (route === undefined) return connector?.unknownPath() ?? notFound
  const answerTo = (body: Body | undefined) => {
    if (body === undefined) return connector?.malformed() ?? notJson
    const { handler, params } = route
    const query = search === '' ? noQuery : new URLSearchParams(search)
    return handler({ mount: mount ?? noMount, params, query, headers, body })
  }
  return method === 'GET' ? answerTo({}) : readBody(request).then(answerTo)
}

function outageAt({ outages }: Settings, [connector, provider]: string[]): Outage | undefined {
  if (outages.length === 0) return undefined
  const now = Date.now()
  return outages.findLast(
    (one) =>
      one.until > now &&
      one.connector === connector &&
      (one.provider === '' || one.provider === provider),
  )
}

function mountAt(
  { mounts }: LabContext,
  connector: string,
  provider: string,
  country: string,
): Mount | undefined {
  const path = `/${connector}/${provider}/${country}`
  const known = mounts.get(path)
  const currency = currencies.get(country)
  if (known !== undefined || currency === undefined) return known
  if (!/^[A-Z][A-Z0-9]{1,19}$/.test(provider)) return undefined
  const mount = { connector, provider, country, currency, path }
  mounts.set(path, mount)
  return mount
}

/** Reads and parses the body; undefined when it is malformed, too long or incomplete. */
function readBody(request: IncomingMessage): Promise<Body | undefined> {
  return new Promise((done) => {
    // With `optimizeEmptyRequests` a request without a body has ended already: no `end` follows.
    if (request.readableEnded) return done({})
    const chunks: Buffer[] = []
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bodyBytesMax) chunks.push(chunk)
      else done(undefined)
    })
    request.on('end', () =>
      done(
        parseBody(request, chunks.length === 1 ? String(chunks[0]) : String(Buffer.concat(chunks))),
      ),
    )
    request.on('error', () => done(undefined))
  })
}

/**
 * A JSON object, the fields of a form, or {} for an empty body; undefined for anything else. The
 * list of a JSON Patch becomes the field `operations`.
 */
function parseBody(request: IncomingMessage, raw: string): Body | undefined {
  if (raw === '') return {}
  if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(raw))
  try {
    const body: unknown = JSON.parse(raw)
    if (request.method === 'PATCH' && Array.isArray(body)) return { operations: body }
    return typeof body === 'object' && body !== null && !Array.isArray(body)
      ? (body as Body)
      : undefined
  } catch {
    return undefined
  }
}

function write(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  if (answer === closedSocket) return void request.socket.destroy()
  const { status, html, body, headers } = answer
  const isJson = html === undefined && body !== undefined
  const content = isJson ? JSON.stringify(body) : (html ?? '')
  const lines: Record<string, string | number> = {}
  if (content !== '')
    lines['content-type'] = isJson ? 'application/json' : 'text/html; charset=utf-8'
  lines['content-length'] = Buffer.byteLength(content)
  response.writeHead(status, headers === undefined ? lines : Object.assign(lines, headers))
  response.end(content)
}

function splitOnce(whole: string, mark: string): string[] {
  const at = whole.indexOf(mark)
  return at === -1 ? [whole] : [whole.slice(0, at), whole.slice(at + 1)]
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
