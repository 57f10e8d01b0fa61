import assert from 'node:assert/strict'
import { after } from 'node:test'
import { buildApp } from '#app.ts'
import { readConfig } from '#base/config/config.ts'
import { addressOfCell } from '#base/kit/cell-names.ts'
import { type Clock, systemClock } from '#base/kit/clock.ts'
import { type Log, openLog } from '#base/log/log.ts'
import type { Traces } from '#base/traces/open.ts'
import type { Db } from '#data/db/db.ts'
import { openDomain } from '#domain.ts'
import { keepCellName } from '#merchants/cells/own-name.ts'
import { issueKey } from '#merchants/clients/keys.ts'
import { changeTerms } from '#merchants/clients/terms.ts'
import { type Binding, sandboxBindings } from '#money/providers/bindings.ts'
import { openProviders } from '#money/providers/open.ts'
import { watchPauses } from '#money/providers/watch-pauses.ts'
import { driveOne } from '#money/transactions/sweep.ts'
import { ownLeaseMs } from '#money/transactions/transaction.ts'
import { withKeptKeys } from '#operations/secrets/kept-keys.ts'
import { startLab } from '../lab/server.ts'
import { newClient } from './clients.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import { openProxy } from './lab-proxy.ts'
import { statement } from './statement.ts'
import { eventually } from './wait.ts'

export interface Answer {
  status: number
  headers: Headers
  text: string
  // Tests look into answers of every shape.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

export interface LabOrder {
  key: string
  reference: string
  phone: string
  amount: number
  status: string
  executed: number
  paid: number
  operation: string
  client_reference?: string
}

interface LiveOptions {
  /** Left out: a fresh one. */
  database?: TestDatabase
  /** Left out: the system's. */
  clock?: Clock
  /** Every delay of the lab is divided by this. */
  pace?: number
  /** A lab that another gateway uses too; left out: one of its own. */
  lab?: Awaited<ReturnType<typeof startLab>>
  /** Changes the provider bindings of the sandbox. */
  bind?: (binding: Binding) => Binding
  log?: Log
  /** The address for people, made from the one that is listened on. */
  publicUrl?: (url: string) => string
  /** Of a batch of payouts; left out: the usual. */
  linesPerSecond?: number
  /** Asked for the hosts of webhooks; left out: the system's. */
  dnsServers?: string[]
  /** Where traces go; left out: there are none. */
  receiver?: { url: string; headers?: Record<string, string> }
  /** Settings beside `MODE=sandbox`. */
  environment?: Record<string, string>
}

const feeBasisPoints = 200

/** The whole gateway and the lab, over real HTTP. */
export async function liveGateway(options: LiveOptions = {}) {
  const { pace = 10, bind = (one) => one, log = openLog('silent') } = options
  const { publicUrl = (url) => url, clock = systemClock } = options
  const { db, connect, url: databaseUrl } = options.database ?? (await testDatabase())
  await keepCellName({ db, clock }, options.environment?.CELL ?? null)
  const lab = options.lab ?? (await startLab({ port: 0, pace }))
  if (options.lab === undefined) after(() => lab.close())
  const proxy = await openProxy(lab.url)

  async function newMerchant(funds = 5_000_000): Promise<{ clientId: number; secret: string }> {
    const clientId = await newClient(db, clock, funds)
    const change = { isEnabled: true, basisPoints: feeBasisPoints }
    return db.transaction(async (tx) => {
      await changeTerms(tx, { clock }, { clientId, serviceCode: 'all', change, actor: 'test' })
      return { clientId, secret: await newSecret(clientId, tx) }
    })
  }
  const newSecret = async (clientId: number, tx: Parameters<typeof issueKey>[0]) => {
    const order = { clientId, label: 'test', ratePerMinute: 10_000_000, actor: 'test' }
    return (await issueKey(tx, { clock, mode: 'sandbox' }, order)).secret
  }

  /** Spans of a gateway; the packages are loaded only for a test that has a receiver. */
  async function openTraces(): Promise<Traces | undefined> {
    const { receiver } = options
    if (receiver === undefined) return undefined
    const traces = await import('#base/traces/open.ts')
    return traces.openTraces({ receiver, clock, log })
  }

  /** One more gateway process: its own HTTP server, sweepers and connections, the same database. */
  async function newProcess(own: Db = connect(), environment = options.environment) {
    const read = readConfig({ MODE: 'sandbox', ...environment })
    const config = { ...read, secretKey: await withKeptKeys(own, read.secretKey) }
    let url = ''
    const pauses = await watchPauses(own, log, (name) => providers.announceBack(name))
    const bindings = sandboxBindings(proxy.url).map(bind)
    const providers = openProviders({ bindings, log, isPaused: pauses.isPaused })
    const traces = await openTraces()
    const domain = openDomain({
      config,
      traces,
      ...(options.dnsServers && { dnsServers: options.dnsServers }),
      ...(options.linesPerSecond && { linesPerSecond: options.linesPerSecond }),
      db: own,
      clock,
      log,
      providers,
      publicUrl: () => publicUrl(url),
      payUrl: () => `${addressOfCell(publicUrl(url), config.cell)}/pay`,
    })
    const { transactions, links, batches, approvals, webhooks, reports } = domain
    const { clients, numbers, recon, people } = domain
    const app = await buildApp({ config, db: own, clock, log, domain, traces })
    url = await app.http.listen({ host: '127.0.0.1', port: 0 })
    await post(`${lab.url}/lab/webhooks`, {
      url: `${addressOfCell(url, config.cell)}/callbacks/checkout-session`,
    })
    const sweeper = transactions.startSweeper()
    const sweepers = [
      sweeper,
      ...[links, batches].map((room) => room.startSweeper()),
      recon.startFileSweeper(),
    ]
    webhooks.startSweeper()
    const stop = async () => {
      webhooks.feed.close()
      await app.http.close()
      await Promise.all(sweepers.map((sweeper) => sweeper.stop()))
      await webhooks.stop()
      await traces?.stop()
      pauses.close()
      providers.close()
    }
    after(stop)
    /** Does at once what the sweeper does with a transaction that is due, under a lease as it. */
    const drive = async (id: string) => {
      await own`
        update transactions set due_at = ${new Date(clock.now().getTime() + ownLeaseMs)}
        where id = ${id} and due_at is not null`
      const [row] = await own<{ clientId: number }>`
        select client_id as "clientId" from transactions where id = ${id}`
      if (row !== undefined) await driveOne(transactions.context, { ...row, id })
    }
    return {
      url,
      clients,
      transactions,
      links,
      batches,
      approvals,
      people,
      numbers,
      recon,
      app,
      traces,
      webhooks,
      reports,
      pauses,
      sweeper,
      drive,
      stop,
    }
  }

  const main = await newProcess(db)
  const merchant = await newMerchant()
  const parts = { db, databaseUrl, connect, lab, proxy, newProcess, newMerchant, newSecret }
  return { ...main, ...parts, ...merchant }
}

type Gateway = Awaited<ReturnType<typeof liveGateway>>

let orderCount = 0

/** A body that initialises a transaction, under an id of its own. */
export function initBody(change: object = {}) {
  orderCount += 1
  return {
    externalTransactionId: `order-${orderCount}`,
    serviceCode: 'WALLETA_SN_CASHOUT',
    amount: 5000,
    number: '771234567',
    callBackURL: 'http://127.0.0.1:9/hook',
    successUrl: 'http://127.0.0.1:9/ok',
    failureUrl: 'http://127.0.0.1:9/no',
    ...change,
  }
}

/** Calls the API with a merchant's key. */
export async function call(
  { url, secret }: { url: string; secret: string },
  target: string,
  json?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const [method = 'GET', path = '/'] = target.split(' ')
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${secret}`,
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  })
  const { status } = answer
  const text = await answer.text()
  return { status, headers: answer.headers, text, body: text ? JSON.parse(text) : {} }
}

export async function post(url: string, json: unknown): Promise<unknown> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(json),
  })
  return answer.json().catch(() => ({}))
}

/** Looks a transaction up until `isReached` of its status; returns that status. */
export async function until(
  caller: { url: string; secret: string },
  id: string,
  isReached: (status: string) => boolean,
): Promise<string> {
  let status = ''
  await eventually(
    () => `${id} goes on (it is ${status})`,
    async () => {
      const { body } = await call(caller, `GET /api/v1/transaction/${id}`)
      status = String(body.transaction?.Status)
      return isReached(status)
    },
  )
  return status
}

/** Whether a status is final. */
export function isEnd(status: string): boolean {
  return ['SUCCESS', 'FAILED', 'CANCELLED'].includes(status)
}

/** Starts a collection, approves it as the payer, and waits until it is paid; returns its id. */
export async function collected(gateway: Gateway, change: object = {}): Promise<string> {
  const target = 'POST /api/v1/transaction/init'
  const { body } = await call(gateway, target, initBody(change))
  const id = String(body.transaction.transactionId)
  const { nextStep, cashout_url: page } = body.transaction
  // No page: the payer has approved before the provider's answer arrived.
  if (page !== '') await fetch(`${page}/approve`, approval)
  if (nextStep.type === 'otp') {
    const code = { transactionId: id, otp: '123456' }
    await call(gateway, 'POST /api/v1/transaction/confirm/walletd', code)
  }
  assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
  return id
}

const approval = { method: 'POST', redirect: 'manual' } as const

/** Sets what the lab does with the next order of a number, or with all of them. */
export async function script(
  { lab }: { lab: { url: string } },
  number: string,
  steps: object[],
  always = false,
): Promise<void> {
  assert.deepEqual(await post(`${lab.url}/lab/scenario`, { number, steps, always }), { ok: true })
}

/** What the lab does with an order that is paid when the test says so: see `continuePayer`. */
export const paidWhenContinued = [
  { do: 'delay', ms: 600_000 },
  { do: 'succeed' },
  { do: 'callback' },
]

/** Ends the delay in what the lab does with the orders of a number: its payer decides now. */
export async function continuePayer(
  { lab }: { lab: { url: string } },
  number: string,
): Promise<void> {
  assert.deepEqual(await post(`${lab.url}/lab/continue`, { number }), { ok: true })
}

/** What the merchant can spend. */
export async function balance(caller: { url: string; secret: string }): Promise<number> {
  return (await call(caller, 'GET /api/v1/api-services/balance')).body.balance.balance
}

/** Every row of every table as text, to compare before and after or to search. */
export async function contentsOf(db: Db): Promise<Record<string, string[]>> {
  const tables = await db<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' order by 1`
  const contents = tables.map(async ({ name }) => {
    const rows = await db<{ row: string }>(
      statement(`select to_jsonb(t)::text as row from ${name} t order by 1`),
    )
    return [name, rows.map(({ row }) => row)] as const
  })
  return Object.fromEntries(await Promise.all(contents))
}

/** The orders of a transaction as the lab has recorded them. */
export async function ordersOf(gateway: Gateway, transactionId: string): Promise<LabOrder[]> {
  return (await ordersByTransaction(gateway)).get(transactionId) ?? []
}

/** The orders that the lab has recorded, by our transactions. */
export async function ordersByTransaction({
  db,
  lab,
}: Pick<Gateway, 'db' | 'lab'>): Promise<Map<string, LabOrder[]>> {
  const attempts = await db<{ id: string; transaction: string }>`
    select id, transaction_id as transaction from attempts`
  const owners = new Map(attempts.map(({ id, transaction }) => [id, transaction]))
  const { orders } = (await (await fetch(`${lab.url}/lab/books`)).json()) as { orders: LabOrder[] }
  // The key first: a refund also carries the reference of its original.
  const ownerOf = ({ key, client_reference: reference = '' }: LabOrder) =>
    owners.get(key.slice(-36)) ?? owners.get(reference.slice(-36)) ?? ''
  return Map.groupBy(orders, ownerOf)
}

export type { Gateway }
