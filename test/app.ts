import assert from 'node:assert/strict'
import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { Type } from 'typebox'
import { type App, buildApp } from '#app.ts'
import { readConfig } from '#base/config/config.ts'
import { Refusal } from '#base/kit/refusal.ts'
import type { Log } from '#base/log/log.ts'
import type { Db } from '#data/db/db.ts'
import { openDomain } from '#domain.ts'
import type { Http } from '#edge/http/http.ts'
import { ErrorWire } from '#edge/wire/error.ts'
import { type IssuedKey, issueKey } from '#merchants/clients/keys.ts'
import { changeTerms } from '#merchants/clients/terms.ts'
import { sandboxBindings } from '#money/providers/bindings.ts'
import { openProviders } from '#money/providers/open.ts'
import { newClient } from './clients.ts'
import { testClock } from './clock.ts'
import { testDatabase } from './database.ts'

/** What came back; `body` is empty when it was not a JSON object. */
export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  body: Record<string, unknown>
}

interface Sending {
  /** The secret to call with; null: none. */
  key?: string | null
  json?: unknown
  body?: string | Buffer
  headers?: OutgoingHttpHeaders
  agent?: Agent
}

export type LogLine = Record<string, unknown>

export interface TestApp extends App {
  url: string
  port: number
  logged: LogLine[]
  /** `send('GET /livez')`; with an unlimited key unless told otherwise. */
  send(target: string, sending?: Sending): Promise<Answer>
  /** Writes bytes as they are; everything that comes back until the server closes. */
  sendRaw(...parts: (string | Buffer | number)[]): Promise<Answer[]>
  close(): Promise<void>
}

interface TestAppOptions {
  /** Routes that only this test has. */
  routes?: (http: Http) => void
  inFlightMax?: number
  environment?: Record<string, string>
  /** Another pool than the test's own. */
  db?: Db
}

type KeyOptions = Partial<Omit<Parameters<typeof issueKey>[2], 'clientId' | 'actor'>>

// A limit that no test meets.
const unlimited = 1_000_000

/** The real interface on a fresh database, with one merchant whose services are all open. */
export async function testGateway() {
  const database = await testDatabase()
  const { db } = database
  const clock = testClock()

  async function merchant(funds: number): Promise<number> {
    const clientId = await newClient(db, clock, funds)
    const change = { isEnabled: true }
    await db.transaction((tx) =>
      changeTerms(tx, { clock }, { clientId, serviceCode: 'all', change, actor: 'test' }),
    )
    return clientId
  }
  const newKey = (clientId: number, options: KeyOptions = {}): Promise<IssuedKey> =>
    db.transaction((tx) =>
      issueKey(
        tx,
        { clock, mode: 'sandbox' },
        { clientId, label: 'test', ...options, actor: 'test' },
      ),
    )

  const clientId = await merchant(5_000_000)
  const { secret } = await newKey(clientId, { ratePerMinute: unlimited })
  const start = (options: TestAppOptions = {}) => startApp(options.db ?? db, clock, secret, options)
  return { ...database, clock, clientId, secret, merchant, newKey, start }
}

async function startApp(
  db: Db,
  clock: ReturnType<typeof testClock>,
  secret: string,
  { routes, inFlightMax, environment = {} }: TestAppOptions,
): Promise<TestApp> {
  const logged: LogLine[] = []
  const log: Log = pino(
    { level: 'debug', formatters: { level: (label) => ({ level: label }) } },
    { write: (line: string) => void logged.push(JSON.parse(line) as LogLine) },
  )
  const config = readConfig({ MODE: 'sandbox', ...environment })
  const limit = inFlightMax === undefined ? {} : { inFlightMax }
  const domain = openDomain({
    config,
    db,
    clock,
    log,
    // Bound, but nobody is there: these tests never order anything.
    providers: openProviders({ bindings: sandboxBindings('http://127.0.0.1:9'), log }),
    publicUrl: () => config.publicUrl,
    payUrl: () => config.payUrl,
  })
  const app = await buildApp({ config, db, clock, log, domain, ...limit })
  routes?.(app.http)
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.http.server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  const close = async () => {
    agent.destroy()
    await app.http.close()
    await domain.webhooks.stop()
  }
  after(close)
  const sendRaw: TestApp['sendRaw'] = (...parts) => exchange(port, parts)
  const send: TestApp['send'] = (target, sending = {}) =>
    call(port, target, { agent, key: secret, ...sending })
  return { ...app, url, port, logged, close, sendRaw, send }
}

const answerMaxMs = 120_000

function call(port: number, target: string, sending: Sending): Promise<Answer> {
  const [method = '', path = ''] = target.split(/ (.*)/s)
  const { key, json, agent } = sending
  const body = json === undefined ? sending.body : JSON.stringify(json)
  const own = body === undefined ? {} : { 'content-type': 'application/json' }
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const all = { ...(key ? { authorization: `Bearer ${key}` } : {}), ...own, ...length }
  // A header that is undefined is left out.
  const headers = Object.fromEntries(
    Object.entries({ ...all, ...sending.headers }).filter(([, value]) => value !== undefined),
  )
  return new Promise((resolve, reject) => {
    const going = request({
      host: '127.0.0.1',
      port,
      method,
      path,
      headers,
      ...(agent && { agent }),
    })
    going.on('error', reject)
    going.setTimeout(answerMaxMs, () => void going.destroy(new Error(`no answer to ${target}`)))
    going.on('response', (coming) => {
      const chunks: Buffer[] = []
      coming.on('data', (chunk: Buffer) => void chunks.push(chunk))
      coming.on('error', reject)
      coming.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve(answer(coming.statusCode ?? 0, coming.headers, text))
      })
    })
    going.end(body)
  })
}

function answer(status: number, headers: IncomingHttpHeaders, text: string): Answer {
  const isJson = headers['content-type']?.startsWith('application/json') ?? false
  const value: unknown = isJson && text !== '' ? JSON.parse(text) : {}
  return { status, headers, text, body: value as Answer['body'] }
}

const giveUpMs = 60_000

/** Writes bytes as they are, numbers being pauses in ms; all that comes back until the close. */
export async function exchange(
  port: number,
  parts: (string | Buffer | number)[],
): Promise<Answer[]> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  const ended = new Promise<void>((resolve, reject) => {
    socket.setTimeout(giveUpMs, () => {
      socket.destroy()
      reject(new Error(`nothing for ${giveUpMs} ms after: ${Buffer.concat(chunks).toString()}`))
    })
    socket.on('data', (chunk) => void chunks.push(chunk))
    // A server that refuses may close before all was sent.
    socket.on('error', () => {})
    socket.on('close', () => resolve())
  })
  for (const part of parts)
    if (socket.destroyed) break
    else if (typeof part === 'number') await sleep(part)
    else socket.write(part)
  await ended
  return [...readAnswers(Buffer.concat(chunks))]
}

function* readAnswers(bytes: Buffer): Generator<Answer> {
  for (let rest = bytes; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n')
    const [line = '', ...fields] = rest.subarray(0, end).toString('latin1').split('\r\n')
    const headers = Object.fromEntries(
      fields.map((field) => [
        field.slice(0, field.indexOf(':')).toLowerCase(),
        field.slice(field.indexOf(':') + 1).trim(),
      ]),
    )
    const status = Number(line.split(' ')[1])
    const length = status === 100 ? 0 : Number(headers['content-length'] ?? rest.length)
    const body = rest.subarray(end + 4, end + 4 + length)
    yield answer(status, headers, body.toString())
    rest = rest.subarray(end + 4 + length)
  }
}

/** Fails unless this is the general error body, whole and with nothing beside it. */
export function assertGeneralError({ body, headers, text }: Answer, code?: string): void {
  assert.match(headers['content-type'] ?? 'none', /^application\/json; charset=utf-8$/)
  const { message, success, code: actual, param, params, requestId, ...more } = body
  assert.ok(Array.isArray(message) && message.length > 0, text)
  assert.ok(
    message.every((one) => typeof one === 'string' && one.trim() === one && one !== ''),
    text,
  )
  assert.equal(success, false, text)
  assert.match(String(actual), /^[A-Z]+(_[A-Z]+)*$/, text)
  if (code !== undefined) assert.equal(actual, code, text)
  assert.ok(param === undefined || (typeof param === 'string' && param !== ''), text)
  const isValidation = ['VALIDATION_FAILED', 'INVALID_AMOUNT', 'INVALID_PHONE'].includes(
    String(actual),
  )
  assert.equal(Array.isArray(params), isValidation, text)
  if (Array.isArray(params)) assert.equal(params.length, message.length, text)
  // An answer that is repeated is the first one's, to the letter.
  if (headers['idempotent-replayed'] === undefined)
    assert.equal(requestId, headers['x-request-id'] ?? 'none', text)
  assert.deepEqual(more, {})
}

/** The same request many times at once, in turn to each process. */
export async function sendMany(
  apps: TestApp[],
  total: number,
  target: string,
  key: string,
): Promise<Answer[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 250 })
  const chosen = Array.from({ length: total }, (_, index) => apps[index % apps.length] as TestApp)
  const answers = await Promise.all(chosen.map((app) => app.send(target, { key, agent })))
  agent.destroy()
  return answers
}

/** How many answers there are of each status. */
export function count(answers: Answer[]): Record<number, number> {
  const groups = Map.groupBy(answers, ({ status }) => status)
  return Object.fromEntries([...groups].map(([status, { length }]) => [status, length]))
}

export const echo = '/api/v1/test/echo'

/** A body that passes. */
export const echoBody = {
  externalTransactionId: 'order-1',
  serviceCode: 'WALLETA_SN_CASHOUT',
  amount: 500,
  number: '771234567',
}

const EchoBody = Type.Object(
  {
    externalTransactionId: Type.String({ minLength: 1, maxLength: 128 }),
    serviceCode: Type.String({ minLength: 1, maxLength: 64 }),
    amount: Type.Integer({ minimum: 200, maximum: 1_000_000 }),
    number: Type.String({ pattern: '^[0-9]{9}$' }),
    country: Type.Optional(Type.Union([Type.Literal('SN'), Type.Literal('CI')])),
    tags: Type.Optional(Type.Array(Type.String())),
  },
  { examples: [{ ...echoBody, country: 'SN', tags: ['a'] }] },
)

const EchoAnswer = Type.Object({
  externalTransactionId: Type.String(),
  amount: Type.Integer(),
  number: Type.String(),
})

/**
 * A route with the rules of a payment and nothing behind it. An externalTransactionId that begins
 * with `missing` is not found, one that begins with `used` is a duplicate.
 */
export function addEcho(http: Http, isHidden = true): void {
  const response = { 201: EchoAnswer, 404: ErrorWire, 409: ErrorWire }
  http.post(
    echo,
    { schema: { hide: isHidden, body: EchoBody, response }, config: { rights: ['collect'] } },
    async (request, reply) => {
      const id = request.body.externalTransactionId
      if (id.startsWith('missing')) throw new Refusal('not_found', 'No transaction found')
      if (id.startsWith('used'))
        throw new Refusal('duplicate_transaction', 'externalTransactionId already used')
      reply.code(201)
      return request.body
    },
  )
  const found = { 200: Type.Object({ id: Type.String() }) }
  http.get(
    `${echo}/:id`,
    { schema: { hide: isHidden, params: Type.Object({ id: Type.String() }), response: found } },
    async ({ params }) => params,
  )
}
