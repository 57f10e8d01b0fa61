import { createHash, createHmac } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { readJournal } from '../journal.ts'

/** What the judge is told about a run. */
export interface Facts {
  databaseUrl: string
  merchants: { name: string; webhookSecret: string }[]
}

/** Reads the facts of a run from its folder. */
export async function readFacts(folder: string): Promise<Facts> {
  return JSON.parse(await readFile(join(folder, 'world.json'), 'utf8')) as Facts
}

// Temporary: they exist for this session only, and nobody else sees them.
const tables = `
  create temp table j_merchants (name text, client_id integer);
  create temp table j_sent (client text, n bigint, at bigint, merchant text, call text, body jsonb,
    key text);
  create temp table j_answers (
    client text, n bigint, at bigint, status integer, body jsonb, hash text);
  create temp table j_orders (
    id bigint, provider text, country text, operation text, key text, reference text,
    amount bigint, status text, executed integer, paid bigint);
  create temp table j_got (
    at bigint, event_id text, signers text[], body_text text, body jsonb);`

/** Copies the journals of a run into temporary tables of this session. */
export async function loadCase(db: pg.ClientBase, folder: string, facts: Facts): Promise<void> {
  await db.query(tables)
  const merchants = facts.merchants.map(({ name }) => ({ name }))
  await insert(db, 'j_merchants', 'name text, client_id integer', merchants)
  await db.query(`update j_merchants m set client_id = c.id from clients c where c.name = m.name`)
  for (const file of (await readdir(folder)).toSorted())
    if (/^client-.*\.ndjson$/.test(file)) await loadClient(db, join(folder, file))
  await loadOrders(db, join(folder, 'lab/books.ndjson'))
  await loadDeliveries(db, join(folder, 'received.ndjson'), facts)
  await db.query(derived)
}

async function loadClient(db: pg.ClientBase, path: string): Promise<void> {
  const sent = batches(
    db,
    'j_sent',
    'client text, n bigint, at bigint, merchant text, call text, body jsonb, key text',
  )
  const answers = batches(
    db,
    'j_answers',
    'client text, n bigint, at bigint, status integer, body jsonb, hash text',
  )
  for await (const [kind, n, at, ...rest] of readJournal(path)) {
    if (kind === 'sent') {
      const [merchant, call, body, , key] = rest as [string, string, string | null, number, string]
      await sent.add({ client: path, n, at, merchant, call, body: parse(body), key })
    } else if (kind === 'answer') {
      const [status, text] = rest as [number, string]
      // Only of what succeeded: a repeated request gets the same answer, byte for byte.
      const hash = status < 300 ? createHash('md5').update(text).digest('base64') : null
      await answers.add({ client: path, n, at, status, body: parse(text), hash })
    }
  }
  await sent.end()
  await answers.end()
}

interface LabOrder {
  id: number
  path: string
  operation: string
  key: string
  clientReference: string
  amount: number
}
type LabProgress = { status: string; executed: number; paid: number }

/** The lab's books: each order as it was accepted, and the last line of its progress. */
async function loadOrders(db: pg.ClientBase, path: string): Promise<void> {
  if (!existsSync(path)) return
  const orders = new Map<number, Record<string, unknown>>()
  for await (const [kind, first, progress] of readJournal(path)) {
    if (kind === 'order') {
      const { id, path: mount, operation, key, clientReference, amount } = first as LabOrder
      const [, , provider, country] = mount.split('/')
      const state = { status: 'pending', executed: 0, paid: 0 }
      const reference = clientReference
      orders.set(id, { id, provider, country, operation, key, reference, amount, ...state })
    } else if (kind === 'steps') {
      const { status, executed, paid } = progress as LabProgress
      Object.assign(orders.get(first as number) ?? {}, { status, executed, paid })
    }
  }
  const rows = batches(
    db,
    'j_orders',
    `id bigint, provider text, country text, operation text, key text, reference text,
      amount bigint, status text, executed integer, paid bigint`,
  )
  for (const order of orders.values()) await rows.add(order)
  await rows.end()
}

async function loadDeliveries(db: pg.ClientBase, path: string, facts: Facts): Promise<void> {
  if (!existsSync(path)) return
  const columns = 'at bigint, event_id text, signers text[], body_text text, body jsonb'
  const rows = batches(db, 'j_got', columns)
  for await (const [, at, , ...rest] of readJournal(path)) {
    const [id = '', timestamp = '', signature = '', text = ''] = rest.map(String)
    const signers = facts.merchants
      .filter(({ webhookSecret }) =>
        signature.split(' ').includes(sign(webhookSecret, `${id}.${timestamp}.${text}`)),
      )
      .map(({ name }) => name)
    const event_id = id.replace(/^evt_/, '')
    await rows.add({ at, event_id, signers, body_text: text, body: parse(text) })
  }
  await rows.end()
}

/** A signature as Standard Webhooks has it, made here and not by the gateway's code. */
function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}

function parse(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    return null
  }
}

const rowsMax = 2000

function batches(db: pg.ClientBase, table: string, columns: string) {
  let rows: object[] = []
  const end = async () => {
    await insert(db, table, columns, rows)
    rows = []
  }
  return {
    add: async (row: object) => {
      rows.push(row)
      if (rows.length === rowsMax) await end()
    },
    end,
  }
}

async function insert(
  db: pg.ClientBase,
  table: string,
  columns: string,
  rows: object[],
): Promise<void> {
  if (rows.length === 0) return
  // PostgreSQL's jsonb cannot hold this one character, which hostile text may carry.
  const text = JSON.stringify(rows).replaceAll('\\u0000', '')
  await db.query(`insert into ${table} select * from jsonb_to_recordset($1) as r (${columns})`, [
    text,
  ])
}

// What several invariants need: answers beside their requests, orders beside their transactions.
const derived = `
  create index on j_answers (client, n);
  create temp table j_calls as
    select s.client, s.n, s.at, m.client_id, s.call, s.body, s.key, a.status, a.body as answer,
      s.body ->> 'externalTransactionId' as external_id,
      a.hash, case when s.call = 'POST /api/v1/transaction/init' then 'init'
        when s.call = 'POST /api/v1/billing/pay' then 'bill'
        when s.call like 'POST /api/v1/transaction/refund/%' then 'refund'
        when s.call like 'POST %/get-link' then 'link' end as creates,
      coalesce(a.body -> 'transaction' ->> 'transactionId', a.body ->> 'transactionId',
        a.body -> 'data' ->> 'subMerchantId')
        as record_id
    from j_sent s
    join j_merchants m on m.name = s.merchant
    left join j_answers a on (a.client, a.n) = (s.client, s.n);
  create temp table j_executed as
    select o.*, coalesce(k.client_id, r.client_id) as client_id,
      coalesce(k.transaction_id, r.transaction_id) as transaction_id
    from (
      select *, substring(key from '[0-9a-f-]{36}$')::uuid as by_key,
        substring(reference from '[0-9a-f-]{36}$')::uuid as by_reference
      from j_orders
    ) o
    left join attempts k on k.id = o.by_key
    left join attempts r on r.id = o.by_reference and k.id is null;
  create index on j_executed (transaction_id);
  create index on j_calls (client_id, external_id);
  create index on j_got (event_id);
  analyze j_calls; analyze j_executed; analyze j_got;`
