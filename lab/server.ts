import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { openBiller } from './billers.ts'
import type { Courier } from './callbacks.ts'
import { openCourier } from './callbacks.ts'
import { checkoutPage } from './checkout-page.ts'
import { checkoutSession } from './checkout-session.ts'
import type { Outage, Settings } from './control.ts'
import { control } from './control.ts'
import { gsma } from './gsma.ts'
import type { Answer, Body, Mount, Protocol, Router } from './http.ts'
import { htmlError, lost, routerOf } from './http.ts'
import type { Books } from './orders.ts'
import { openBooks } from './orders.ts'
import { otpConfirm } from './otp-confirm.ts'
import { requestToPay } from './request-to-pay.ts'
import { topUp } from './top-up.ts'

/** How to start a lab; everything has a default. */
export interface LabOptions {
  /** 0: any that is free. */
  port?: number
  host?: string
  /** The same seed draws the same delays and faults. */
  seed?: number
  /** Every delay is divided by this. */
  pace?: number
  /** Where checkout sessions and payouts are told about. */
  webhookUrl?: string | undefined
}

/** A lab that answers at its address until it is closed. */
export interface RunningLab {
  url: string
  close(): Promise<void>
}

/** What stays when the books are opened anew. */
interface House {
  url: string
  seed: number
  pace: number
  courier: Courier
  settings: Settings
  mounts: Map<string, Mount>
}

interface Desk {
  books: Books
  /** What `/lab` and the payer's page answer to. */
  own: Router
  connectors: Map<string, { router: Router; malformed: Answer }>
}

const currencies = new Map(Object.entries({ SN: 'XOF', ML: 'XOF', CI: 'XOF', CM: 'XAF' }))
const bodyBytesMax = 65_536
const slowMs = 2000
const nowhere: Mount = { connector: '', provider: '', country: '', currency: '', path: '' }
const noQuery = new URLSearchParams()
const notFound: Answer = { status: 404, body: { message: 'There is nothing here' } }
const notJson: Answer = { status: 400, body: { message: 'The body is not a JSON object' } }

/** Starts the provider lab; it answers once the promise is kept. */
export async function startLab(options: LabOptions = {}): Promise<RunningLab> {
  const { port = 0, host = '127.0.0.1', seed = 1, pace = 1, webhookUrl } = options
  const courier = openCourier(pace)
  const settings: Settings = { webhookUrl, outages: [] }
  const house: House = { url: '', seed, pace, courier, settings, mounts: new Map() }
  let desk = openDesk(house, reset)
  function reset(): void {
    desk.books.isClosed = true
    settings.outages = []
    desk = openDesk(house, reset)
  }

  const server = createServer(
    { optimizeEmptyRequests: true },
    (request, response) => void serve(house, desk, request, response),
  )
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((done, fail) => {
    server.once('error', fail)
    server.listen(port, host, done)
  })
  const { port: taken } = server.address() as AddressInfo
  house.url = `http://${host.includes(':') ? `[${host}]` : host}:${taken}`
  return {
    url: house.url,
    close: () => {
      desk.books.isClosed = true
      courier.close()
      return new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      })
    },
  }
}

function openDesk(house: House, reset: () => void): Desk {
  const { seed, pace, courier, settings } = house
  const books = openBooks(seed, pace, courier)
  const url = () => house.url
  const protocols: Record<string, Protocol> = {
    gsma: gsma(books, openBiller(books)),
    'request-to-pay': requestToPay(books),
    'otp-confirm': otpConfirm(books, url),
    'checkout-session': checkoutSession(books, url, () => settings.webhookUrl),
    'top-up': topUp(books),
  }
  const connectors = Object.entries(protocols).map(
    ([name, { routes, malformed }]) => [name, { router: routerOf(routes), malformed }] as const,
  )
  const own = routerOf({ ...control(books, settings, reset), ...checkoutPage(books) })
  return { books, own, connectors: new Map(connectors) }
}

async function serve(
  house: House,
  desk: Desk,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const [path = '', search = ''] = splitOnce(request.url ?? '', '?')
    const parts = path.slice(1).split('/')
    const segments = path.includes('%') ? parts.map(decode) : parts
    if (segments.at(-1) === '') segments.pop()
    const outage = outageAt(house.settings, segments)
    if (outage?.mode === 'hang') return
    if (outage?.mode === 'refuse') return void request.socket.destroy()
    if (outage?.mode === 'error') return write(request, response, htmlError(503))
    if (outage?.mode === 'slow') await sleep(slowMs / house.pace, undefined, { ref: false })
    write(request, response, await respond(house, desk, request, segments, search))
  } catch {
    write(request, response, { status: 500, body: { message: 'The lab has a bug here' } })
  }
}

function respond(
  house: House,
  desk: Desk,
  request: IncomingMessage,
  segments: string[],
  search: string,
): Answer | Promise<Answer> {
  const [connectorName = '', provider = '', country = ''] = segments
  const { method = '', headers } = request
  const connector = desk.connectors.get(connectorName)
  const mount = connector && mountAt(house, connectorName, provider, country)
  const route = mount ? connector.router(method, segments.slice(3)) : desk.own(method, segments)
  if (route === undefined) return notFound
  const answerTo = (body: Body | undefined) => {
    if (body === undefined) return connector?.malformed ?? notJson
    const { handler, params } = route
    const query = search === '' ? noQuery : new URLSearchParams(search)
    return handler({ mount: mount ?? nowhere, params, query, headers, body })
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
  { mounts }: House,
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

/** As `bodyOf` reads it; undefined too when it is too long, or breaks off. */
function readBody(request: IncomingMessage): Promise<Body | undefined> {
  return new Promise((done) => {
    // A request without a body does not tell that it ends.
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
        bodyOf(request, chunks.length === 1 ? String(chunks[0]) : String(Buffer.concat(chunks))),
      ),
    )
    request.on('error', () => done(undefined))
  })
}

/** A JSON object, the fields of a form, or nothing at all; undefined for anything else. */
function bodyOf(request: IncomingMessage, raw: string): Body | undefined {
  if (raw === '') return {}
  if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
    return Object.fromEntries(new URLSearchParams(raw))
  try {
    const body: unknown = JSON.parse(raw)
    return typeof body === 'object' && body !== null && !Array.isArray(body)
      ? (body as Body)
      : undefined
  } catch {
    return undefined
  }
}

function write(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  if (answer === lost) return void request.socket.destroy()
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
