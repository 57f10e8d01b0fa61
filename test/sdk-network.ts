import {
  Agent,
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import { after } from 'node:test'
import { listen } from './listen.ts'

/** What happens to the requests of one scenario: sdk/README.md. */
export interface Fault {
  on: string
  times?: number
  do: string
  status?: number
  headers?: OutgoingHttpHeaders
  body?: unknown
  /** How long the client is to wait after it, at least. */
  pauseMs?: number
}

/** The requests of one scenario: the faults that are left, and what came. */
interface Line {
  faults: Fault[]
  requests: string[]
  problems: string[]
  held: Sent[]
  /** Before this time no request may come. */
  notBeforeMs: number
}

interface Sent {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

/**
 * A network between clients and a gateway, with an address of its own for each scenario, which
 * loses and replaces what that scenario says.
 */
export async function openNetwork(gatewayUrl: string, restartGateway: () => Promise<void>) {
  const agent = new Agent({ keepAlive: true })
  const lines = new Map<string, Line>()
  const server = createServer((from, to) => {
    void handle(from, to).catch(() => from.socket.destroy())
  })

  async function handle(from: IncomingMessage, to: ServerResponse): Promise<void> {
    const [, name = '', path = ''] = /^\/([^/]+)(\/.*)$/.exec(from.url ?? '') ?? []
    const line = lines.get(name)
    if (line === undefined) return void to.writeHead(404).end(`no scenario ${name}`)
    const sent = { method: from.method ?? '', path, headers: from.headers, body: '' }
    line.requests.push(`${sent.method} ${path.replace(/\?.*/, '')}`)
    if (performance.now() < line.notBeforeMs)
      line.problems.push(`${sent.method} ${path} came without a pause`)
    const fault = nextFault(line, `${sent.method} ${path}`)
    sent.body = await readAll(from)
    if (!mayComeTwice(sent)) line.problems.push(`POST ${path} had no Idempotency-Key`)
    line.notBeforeMs = performance.now() + (fault.pauseMs ?? 0)
    if (fault.do === 'drop_request') return void from.socket.destroy()
    if (fault.do === 'answer') return answerWith(to, fault)
    if (fault.do === 'hold') {
      line.held.push(sent)
      return void from.socket.destroy()
    }
    await passOn(sent, fault, { from, to })
    if (sent.method === 'POST')
      for (const late of line.held.splice(0)) (await forward(late)).resume()
  }

  async function passOn(
    sent: Sent,
    fault: Fault,
    { from, to }: { from: IncomingMessage; to: ServerResponse },
  ): Promise<void> {
    if (fault.do === 'kill_gateway') {
      // It has the request, and dies with what it has made of it.
      forward(sent).catch(() => {})
      setImmediate(() => void restartGateway())
      return void from.socket.destroy()
    }
    const answer = await forward(sent)
    if (instead.has(fault.do)) {
      await readAll(answer)
      if (fault.do === 'replace_answer') answerWith(to, fault)
      if (fault.do === 'drop_answer') from.socket.destroy()
      if (fault.do === 'drip') drip(from.socket)
      return
    }
    to.writeHead(answer.statusCode ?? 502, answer.headers)
    to.on('close', () => answer.destroy())
    answer.on('error', () => from.socket.destroy())
    answer.pipe(to)
  }

  function forward({ method, path, headers, body }: Sent): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { host: _, ...kept } = headers
      const options = { method, headers: kept, agent }
      request(`${gatewayUrl}${path}`, options, resolve).on('error', reject).end(body)
    })
  }

  const url = await listen(server)
  after(() => {
    agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  return {
    /** A new address that leads to the gateway, and what comes there. */
    open(name: string, faults: Fault[]) {
      const copies = faults.map((fault) => ({ ...fault }))
      const line: Line = { faults: copies, requests: [], problems: [], held: [], notBeforeMs: 0 }
      lines.set(name, line)
      return { url: `${url}/${name}`, requests: line.requests, problems: line.problems }
    },
  }
}

/** Whether a repetition of this request is known as one, or does no harm. */
function mayComeTwice({ method, path, headers, body }: Sent): boolean {
  const isKnown = 'idempotency-key' in headers || body.includes('"externalTransactionId"')
  return method !== 'POST' || isKnown || /\/billing\/inquiry$|\/confirm\//.test(path)
}

/** What happens to the gateway's answer instead of being handed on. */
const instead = new Set(['drop_answer', 'hang', 'replace_answer', 'drip'])

/** A header that never ends: each byte comes before a client's patience for one read is over. */
function drip(socket: Socket): void {
  socket.write('HTTP/1.1 201 Created\r\nx-header: ')
  const timer = setInterval(() => socket.write('x'), 100)
  socket.on('close', () => clearInterval(timer)).on('error', () => {})
}

/** The first fault for a request that is not used up. */
function nextFault({ faults }: Line, target: string): Fault {
  const index = faults.findIndex(({ on }) => target === on || target.startsWith(on))
  const fault = faults[index]
  if (fault === undefined) return { on: '', do: 'pass' }
  fault.times = (fault.times ?? 1) - 1
  if (fault.times <= 0) faults.splice(index, 1)
  return fault
}

function answerWith(to: ServerResponse, { status = 200, headers = {}, body = '' }: Fault): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  to.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
}
