import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startLab } from '../lab/server.ts'
import { buildApp } from '../src/app.ts'
import { changeTerms } from '../src/clients/clients.ts'
import { issueKey } from '../src/clients/keys.ts'
import { systemClock as clock } from '../src/kit/clock.ts'
import { readConfig } from '../src/kit/config.ts'
import type { Db } from '../src/kit/db.ts'
import { openLog } from '../src/kit/log.ts'
import type { StatusOf, TriggerOf } from '../src/lifecycle/transitions.ts'
import { nextOf } from '../src/lifecycle/transitions.ts'
import type { Binding } from '../src/providers/bindings.ts'
import { sandboxBindings } from '../src/providers/bindings.ts'
import { openPauses } from '../src/providers/pauses.ts'
import { openProviders } from '../src/providers/registry.ts'
import { callbackAddresses } from '../src/transactions/callback-address.ts'
import { openEngine } from '../src/transactions/engine.ts'
import { startTransactionSweeper } from '../src/transactions/sweep.ts'
import { findTransactionBreaks } from '../src/transactions/verify-store.ts'
import { openWebhooks } from '../src/webhooks/open.ts'
import { findEventBreaks } from '../src/webhooks/verify-store.ts'
import { newClient } from './clients.ts'
import { testDatabase } from './database.ts'
import { assertSound } from './ledger.ts'
import { statement } from './statement.ts'

export interface Told {
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
  /** Every delay of the lab is divided by this. */
  pace?: number
  /** Binds providers otherwise than a sandbox does. */
  bind?: (binding: Binding) => Binding
}

const log = openLog('silent')
const feeBasisPoints = 200

/** The whole gateway on the machine's own clock, with the lab beside it, both over real HTTP. */
export async function liveGateway({ pace = 10, bind = (one) => one }: LiveOptions = {}) {
  const { db, connect } = await testDatabase()
  const lab = await startLab({ port: 0, pace })
  after(() => lab.close())
  const line = await openLine(lab.url)
  const config = readConfig({ MODE: 'sandbox' })

  async function newMerchant(funds = 5_000_000): Promise<{ clientId: number; secret: string }> {
    const clientId = await newClient(db, clock, funds)
    const change = { isEnabled: true, basisPoints: feeBasisPoints }
    return db.transaction(async (tx) => {
      await changeTerms(tx, clock, { clientId, serviceCode: 'all', change, actor: 'test' })
      return { clientId, secret: await newSecret(clientId, tx) }
    })
  }
  const newSecret = async (clientId: number, tx: Parameters<typeof issueKey>[0]) => {
    const order = { clientId, label: 'test', ratePerMinute: 10_000_000, actor: 'test' }
    return (await issueKey(tx, { clock, mode: 'sandbox' }, order)).secret
  }

  /** One more process: an interface, workers and connections of its own on the same database. */
  async function newProcess(own: Db = connect()) {
    let url = ''
    const pauses = await openPauses(own, log)
    const bindings = sandboxBindings(line.url).map(bind)
    const providers = openProviders({ bindings, log, isPaused: pauses.isPaused })
    const addresses = callbackAddresses(() => url, config.secretKey)
    const { mode, secretKey } = config
    const webhooks = openWebhooks({ db: own, clock, log, mode, secretKey })
    const { announce, feed } = webhooks
    const engine = openEngine({ db: own, clock, log, providers, addresses, announce })
    const app = await buildApp({ config, db: own, clock, log, engine, feed })
    url = await app.http.listen({ host: '127.0.0.1', port: 0 })
    await post(`${lab.url}/lab/webhooks`, { url: `${url}/callbacks/checkout-session` })
    const sweeper = startTransactionSweeper(engine)
    webhooks.sweep()
    const stop = async () => {
      feed.close()
      await app.http.close()
      await sweeper.stop()
      await webhooks.stop()
      pauses.close()
      await providers.close()
    }
    after(stop)
    return { url, engine, app, webhooks, stop }
  }

  const main = await newProcess(db)
  const merchant = await newMerchant()
  return { ...main, db, connect, lab, line, newProcess, newMerchant, newSecret, ...merchant }
}

/** The line between gateway and lab, which remembers what went over it and can be cut. */
async function openLine(labUrl: string) {
  const agent = new Agent({ keepAlive: true })
  const line = {
    url: '',
    /** `POST /gsma/WALLETA/SN/transactions/type/merchantpay`, in the order they came. */
    heard: [] as string[],
    /** What the gateway wrote into those. */
    bodies: [] as string[],
    /** Requests whose answer gets lost. */
    loses: (_request: string) => false,
    /** Nobody takes connections until it is mended. */
    cut: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
    mend: () => listen(server, Number(new URL(line.url).port)),
  }
  const server = createServer((from, to) => {
    const said = `${from.method} ${from.url}`
    line.heard.push(said)
    const parts: Buffer[] = []
    from.on('data', (part: Buffer) => void parts.push(part))
    from.on('end', () => void line.bodies.push(Buffer.concat(parts).toString()))
    const { method, headers } = from
    const going = request(`${labUrl}${from.url}`, { method, headers, agent }, (answer) => {
      if (line.loses(said)) from.socket.destroy()
      to.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(to)
    })
    going.on('error', () => from.socket.destroy())
    from.pipe(going)
  })
  line.url = await listen(server, 0)
  after(() => {
    agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  return line
}

async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

type Gateway = Awaited<ReturnType<typeof liveGateway>>

let made = 0

/** A body that initialises a transaction, under an id of its own. */
export function initBody(change: object = {}) {
  made += 1
  return {
    externalTransactionId: `order-${made}`,
    serviceCode: 'WALLETA_SN_CASHOUT',
    amount: 5000,
    number: '771234567',
    callBackURL: 'http://127.0.0.1:9/hook',
    successUrl: 'http://127.0.0.1:9/ok',
    failureUrl: 'http://127.0.0.1:9/no',
    ...change,
  }
}

/** Calls the interface as a merchant. */
export async function call(
  { url, secret }: { url: string; secret: string },
  target: string,
  json?: unknown,
  headers: Record<string, string> = {},
): Promise<Told> {
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

/** Looks a transaction up until `isReached`, or fails after a while with what it is instead. */
export async function until(
  caller: { url: string; secret: string },
  id: string,
  isReached: (status: string) => boolean,
  withinMs = 30_000,
): Promise<string> {
  for (let waitedMs = 0; ; waitedMs += 50) {
    const { body } = await call(caller, `GET /api/v1/transaction/${id}`)
    const status = String(body.transaction?.Status)
    if (isReached(status)) return status
    assert.ok(waitedMs < withinMs, `${id} is still ${status}`)
    await sleep(50)
  }
}

/** Whether nothing follows a status. */
export function isEnd(status: string): boolean {
  return ['SUCCESS', 'FAILED', 'CANCELLED'].includes(status)
}

/** Starts a collection, of which the payer approves, and waits until it is paid. */
export async function collected(gateway: Gateway, change: object = {}): Promise<string> {
  const target = 'POST /api/v1/transaction/init'
  const { body } = await call(gateway, target, initBody(change))
  const id = String(body.transaction.transactionId)
  const { nextStep, cashout_url: page } = body.transaction
  // Without a page the payer was quicker than the answer.
  if (page !== '') await fetch(`${page}/approve`, approval)
  if (nextStep.type === 'otp') {
    const code = { transactionId: id, otp: '123456' }
    await call(gateway, 'POST /api/v1/transaction/confirm/walletd', code)
  }
  assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
  return id
}

const approval = { method: 'POST', redirect: 'manual' } as const

/** Tells the lab what happens to the next order of a number, or to all of them. */
export async function script(
  { lab }: { lab: { url: string } },
  number: string,
  steps: object[],
  always = false,
): Promise<void> {
  assert.deepEqual(await post(`${lab.url}/lab/scenario`, { number, steps, always }), { ok: true })
}

/** What the merchant can spend. */
export async function balance(caller: { url: string; secret: string }): Promise<number> {
  return (await call(caller, 'GET /api/v1/api-services/balance')).body.balance.balance
}

/** Every row of every table, to see that nothing changed, or what was kept. */
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

/** What the lab's own books say about the orders of a transaction. */
export async function ordersOf(gateway: Gateway, transactionId: string): Promise<LabOrder[]> {
  return (await ordersByTransaction(gateway)).get(transactionId) ?? []
}

/** The lab's books, by our transactions. */
export async function ordersByTransaction({
  db,
  lab,
}: Pick<Gateway, 'db' | 'lab'>): Promise<Map<string, LabOrder[]>> {
  const attempts = await db<{ id: string; transaction: string }>`
    select id, transaction_id as transaction from attempts`
  const owners = new Map(attempts.map(({ id, transaction }) => [id, transaction]))
  const { orders } = (await (await fetch(`${lab.url}/lab/books`)).json()) as { orders: LabOrder[] }
  // The key first: a refund is also told whose it is.
  const ownerOf = ({ key, client_reference: reference = '' }: LabOrder) =>
    owners.get(key.slice(-36)) ?? owners.get(reference.slice(-36)) ?? ''
  return Map.groupBy(orders, ownerOf)
}

/**
 * Fails unless the ledger is sound and agrees with the transactions, franc by franc, each of which
 * came to be where it is by the table, once; and, where there is a lab, with the lab's own books.
 */
export async function assertMoney({ db, lab }: { db: Db; lab?: { url: string } }): Promise<void> {
  await assertSound(db)
  assert.deepEqual(await findTransactionBreaks(db), [])
  assert.deepEqual(await findEventBreaks(db), [])
  assert.deepEqual(await findWrongBalances(db), [])
  assert.deepEqual(await findWrongRefunds(db), [])
  assert.deepEqual(await findWrongIds(db), [])
  assert.deepEqual(await findWrongPaths(db), [])
  assert.deepEqual(await findWrongEvents(db), [])
  if (lab !== undefined) assert.deepEqual(await findWrongOrders(db, lab), [])
}

function findWrongBalances(db: Db): Promise<object[]> {
  return db`
    select c.id, f.funds, a.balance, h.balance as held, t.earned, t.open
    from clients c
    join ledger_accounts a on a.client_id = c.id and a.kind = 'available'
    join ledger_accounts h on h.client_id = c.id and h.kind = 'held'
    cross join lateral (
      select coalesce(sum(e.amount), 0) as funds from ledger_entries e
      join ledger_postings p on (p.client_id, p.id) = (e.client_id, e.posting_id)
      where e.client_id = c.id and e.account = 'available' and p.kind in ('fund', 'withdraw')
    ) f
    cross join lateral (
      select coalesce(sum(case operation when 'CASHOUT' then amount - fee
        else -(amount + fee) end) filter (where status = 'SUCCESS'), 0) as earned,
        coalesce(sum(amount + fee) filter (
          where completed_at is null and operation <> 'CASHOUT'), 0) as open
      from transactions where client_id = c.id
    ) t
    where h.balance <> t.open or a.balance <> f.funds + t.earned - t.open`
}

/** What was sent back, or is on its way, is what the original says, and never more than it. */
function findWrongRefunds(db: Db): Promise<object[]> {
  return db`
    select o.id, o.operation, o.status, o.amount, o.refunded, coalesce(sum(r.amount), 0) as sent
    from transactions o
    left join transactions r on (r.client_id, r.original_id) = (o.client_id, o.id)
      and r.status not in ('FAILED', 'CANCELLED')
    group by o.client_id, o.id
    having o.refunded <> coalesce(sum(r.amount), 0) or o.refunded > o.amount
      or (o.refunded > 0 and (o.operation, o.status) <> ('CASHOUT', 'SUCCESS'))`
}

function findWrongIds(db: Db): Promise<object[]> {
  return db`
    select t.id, t.external_id, e.external_id as claimed, e.record_id
    from transactions t
    full join external_ids e on (e.client_id, e.record_id) = (t.client_id, t.id)
    where t.external_id is distinct from e.external_id`
}

async function findWrongPaths(db: Db): Promise<string[]> {
  const rows = await db<{ id: string; status: Status; steps: Step[] }>`
    select t.id, t.status, coalesce(json_agg(json_build_array(
      h.from_status, h.trigger, h.to_status)) filter (where h.record_id is not null), '[]') as steps
    from transactions t
    left join status_history h on (h.client_id, h.record_id) = (t.client_id, t.id)
    group by t.client_id, t.id`
  return rows.flatMap(({ id, status, steps }) => {
    let at: Status = 'PENDING'
    for (let walked = 0; walked < steps.length; walked += 1) {
      const [, trigger, to] = steps.find(([from]) => from === at) ?? []
      const next: Status | undefined = trigger && nextOf('transaction', at, trigger)?.to
      if (next === undefined || next !== to) return [`${id}: ${JSON.stringify(steps)}`]
      at = next
    }
    return at === status ? [] : [`${id} is ${status}: ${JSON.stringify(steps)}`]
  })
}

/** Every end is told, once, as it is. */
function findWrongEvents(db: Db): Promise<object[]> {
  return db`
    select t.id, t.status, e.body from transactions t
    left join events e on (e.client_id, e.record_id) = (t.client_id, t.id)
    where (t.completed_at is null) <> (e.id is null) or (e.body::jsonb ->> 'STATUS') <> t.status
      or (e.body::jsonb ->> 'AMOUNT')::bigint <> t.amount
      or (e.id is not null and t.callback_url is not null and not exists (
        select from deliveries d where (d.client_id, d.event_id) = (e.client_id, e.id)))`
}

type Status = StatusOf<'transaction'>
type Step = [from: Status, trigger: TriggerOf<'transaction'>, to: Status]

/** At most one execution each; money moved there exactly where we say that it did. */
async function findWrongOrders(db: Db, lab: { url: string }): Promise<string[]> {
  // Ours first: what ends between the two looks is then in the books already.
  const rows = await db<{ id: string; status: string; amount: number; conflicts: string[] }>`
    select t.id, t.status, t.amount, array(
      select kind from conflicts c where (c.client_id, c.transaction_id) = (t.client_id, t.id)
    ) as conflicts
    from transactions t`
  const orders = await ordersByTransaction({ db, lab } as Gateway)
  return rows.flatMap(({ id, status, amount, conflicts }) => {
    const own = orders.get(id) ?? []
    const executed = own.reduce((sum, order) => sum + order.executed, 0)
    const paid = own.reduce((sum, order) => sum + order.paid, 0)
    const isRight =
      status === 'SUCCESS'
        ? executed === 1 && paid === amount
        : executed === 0 ||
          (executed === 1 && (!isEnd(status) || conflicts.includes('late_success')))
    return isRight ? [] : [`${id} ${status} ${amount}: executed ${executed} times, paid ${paid}`]
  })
}

export type { Gateway }
