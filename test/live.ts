import assert from 'node:assert/strict'
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
import { sandboxBindings } from '../src/providers/bindings.ts'
import { openPauses } from '../src/providers/pauses.ts'
import { openProviders } from '../src/providers/registry.ts'
import { callbackAddresses } from '../src/transactions/callback-address.ts'
import type { Engine } from '../src/transactions/engine.ts'
import { openEngine } from '../src/transactions/engine.ts'
import { startTransactionSweeper } from '../src/transactions/sweep.ts'
import { newClient } from './clients.ts'
import { testDatabase } from './database.ts'
import { assertSound } from './ledger.ts'

export interface Told {
  status: number
  headers: Headers
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
  operation: string
}

interface LiveOptions {
  /** Every delay of the lab is divided by this. */
  pace?: number
}

const log = openLog('silent')
const feeBasisPoints = 200

/** The whole gateway on the machine's own clock, with the lab beside it, both over real HTTP. */
export async function liveGateway({ pace = 10 }: LiveOptions = {}) {
  const { db, connect } = await testDatabase()
  const lab = await startLab({ port: 0, pace })
  after(() => lab.close())
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
    const bindings = sandboxBindings(lab.url)
    const providers = openProviders({ bindings, log, isPaused: pauses.isPaused })
    const addresses = callbackAddresses(() => url, config.secretKey)
    const engine = openEngine({ db: own, clock, log, providers, addresses })
    const app = await buildApp({ config, db: own, clock, log, engine })
    url = await app.http.listen({ host: '127.0.0.1', port: 0 })
    await post(`${lab.url}/lab/webhooks`, { url: `${url}/callbacks/checkout-session` })
    const sweeper = startTransactionSweeper(engine)
    const stop = async () => {
      await app.http.close()
      await sweeper.stop()
      pauses.close()
      await providers.close()
    }
    after(stop)
    return { url, engine, app, stop }
  }

  const main = await newProcess(db)
  const merchant = await newMerchant()
  return { ...main, db, connect, lab, newProcess, newMerchant, newSecret, ...merchant }
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
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text ? JSON.parse(text) : {} }
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

/** What the lab's own books say about the orders of a transaction. */
export async function ordersOf(gateway: Gateway, transactionId: string): Promise<LabOrder[]> {
  const attempts = await gateway.db<{ id: string }>`
    select id::text from attempts where transaction_id = ${transactionId}`
  const { orders } = (await (await fetch(`${gateway.lab.url}/lab/books`)).json()) as {
    orders: (LabOrder & { client_reference?: string })[]
  }
  return orders.filter((order) =>
    attempts.some(({ id }) => order.key === id || order.client_reference?.endsWith(id)),
  )
}

/** Fails unless the ledger is sound and agrees with the transactions, franc by franc. */
export async function assertMoney({ db }: { db: Db }, funds = 5_000_000): Promise<void> {
  await assertSound(db)
  const wrong = await db`
    select c.id, a.balance, h.balance as held, t.earned, t.open
    from clients c
    join ledger_accounts a on a.client_id = c.id and a.kind = 'available'
    join ledger_accounts h on h.client_id = c.id and h.kind = 'held'
    cross join lateral (
      select coalesce(sum(case operation when 'CASHOUT' then amount - fee
        else -(amount + fee) end) filter (where status = 'SUCCESS'), 0) as earned,
        coalesce(sum(amount + fee) filter (
          where completed_at is null and operation <> 'CASHOUT'), 0) as open
      from transactions where client_id = c.id
    ) t
    where h.balance <> t.open or a.balance <> ${funds} + t.earned - t.open`
  assert.deepEqual(wrong, [])
  const twice = await db`
    select record_id from status_history
    where to_status in ('SUCCESS', 'FAILED', 'CANCELLED')
    group by client_id, record_id having count(*) > 1`
  assert.deepEqual(twice, [])
}

export type { Engine, Gateway }
