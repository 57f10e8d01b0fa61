import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { readConfig } from '#base/config/config.ts'
import type { Clock } from '#base/kit/clock.ts'
import { migrateUp, readMigrations } from '#data/db/migrate.ts'
import { migrationsFolder } from '#data/db/server.ts'
import { startEmbeddedPostgres } from '#data/postgres/embedded.ts'
import { ensureDemoData } from '#program/sandbox/demo.ts'
import { createMerchants, openGatewayDb } from './gateway-database.ts'
import {
  type HistoryTable,
  historyColumns,
  type MerchantState,
  writePayment,
} from './history-rows.ts'
import { type CopyStream, copyRow, openCopyStream } from './postgres-copy.ts'
import type { Progress } from './progress.ts'

/** Which payments are written; those of the last half year at several providers if absent. */
interface HistoryRange {
  spanMs?: number | undefined
  /** When the last of them began, or nearly; now if absent. */
  until?: Date | undefined
  ofProvider?: string | undefined
}

interface FillOptions extends HistoryRange {
  dataDir: string
  transactions: number
  progress: Progress
}

const otherMerchants = 8
const historyMs = 180 * 86_400_000
// Ids are ordered by time: merchants and their first funds must be older than their payments.
const clockBeforeHistory: Clock = {
  now: () => new Date(Date.now() - historyMs - 86_400_000),
}

/**
 * Fills the database of a data folder with payments of the last half year. Meanwhile the server is
 * not durable, which is not measured. It is stopped at the end, and the next start is durable.
 */
export async function fillHistory(options: FillOptions): Promise<void> {
  const { dataDir } = options
  const server = await startEmbeddedPostgres({ dataDir, durable: false })
  let tableFiles: string[] = []
  try {
    await migrateUp(server.url, await readMigrations(migrationsFolder))
    const db = openGatewayDb(`${dataDir}/socket`)
    await ensureDemoData(db, clockBeforeHistory, readConfig({ DEMO_HISTORY: '0' }))
    await createMerchants(db, `history ${Date.now()}`, otherMerchants, clockBeforeHistory)
    await db.close()
    await writeHistory({ ...options, url: server.url })
    tableFiles = await readTableFiles(server.url)
  } finally {
    await server.stop()
  }
  // Removes the free space maps. COPY leaves a gap in nearly every page, just large enough for one
  // row: each new payment would go to an old page of its own. A table that grew payment by payment
  // has no such gaps.
  for (const file of tableFiles) await rm(join(dataDir, 'postgres', `${file}_fsm`), { force: true })
}

/** The files of all tables, relative to the server's data folder. */
async function readTableFiles(url: string): Promise<string[]> {
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  const { rows } = await owner.query<{ file: string }>(`
    select pg_relation_filepath(oid) as file from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`)
  await owner.end()
  return rows.map(({ file }) => file)
}

const flushBytes = 256 * 1024

/** Writes payments for all merchants of a database that is not in use. */
export async function writeHistory(
  options: HistoryRange & { url: string; transactions: number; progress: Progress },
): Promise<void> {
  const { url, transactions, progress } = options
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  try {
    const merchants = await readMerchants(owner)
    const restoreIndexes = await dropIndexes(owner)
    const startedMs = performance.now()
    await copyPayments(options, merchants, (done) => {
      const perSecond = Math.round((done * 1000) / (performance.now() - startedMs))
      progress.now(`history: ${done} of ${transactions} payments, ${perSecond}/s`)
    })
    const copiedMs = performance.now()
    await restoreIndexes((name) => progress.now(`history: ${name}`))
    await writeMerchantStates(owner, merchants)
    await addSubMerchants(url, merchants, Math.ceil(transactions / 1000))
    progress.now('history: vacuum')
    await owner.query('vacuum (analyze)')
    await owner.query('checkpoint')
    const endMs = performance.now()
    const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
    progress.line(
      `history: ${transactions} payments written in ${seconds(copiedMs - startedMs)}, ` +
        `indexes and statistics in ${seconds(endMs - copiedMs)}, ` +
        `${Math.round((transactions * 1000) / (endMs - startedMs))}/s in all`,
    )
  } finally {
    await owner.end()
  }
}

async function copyPayments(
  options: HistoryRange & { url: string; transactions: number },
  merchants: MerchantState[],
  onProgress: (done: number) => void,
): Promise<void> {
  const { url, transactions: count, spanMs = historyMs, until = new Date(), ofProvider } = options
  const tables = Object.keys(historyColumns) as HistoryTable[]
  const streams = new Map<HistoryTable, CopyStream>()
  for (const table of tables)
    streams.set(table, await openCopyStream(url, table, historyColumns[table].split(' ')))
  const buffers = Object.fromEntries(tables.map((table) => [table, ''])) as Record<
    HistoryTable,
    string
  >
  const putRow = (table: HistoryTable, row: string) => {
    buffers[table] += row
  }
  const flush = async (bytesMin: number) => {
    for (const table of tables) {
      if (buffers[table].length <= bytesMin) continue
      await streams.get(table)?.write(buffers[table])
      buffers[table] = ''
    }
  }
  const beganMs = until.getTime() - spanMs
  for (let index = 0; index < count; index += 1) {
    const merchant = merchants[merchantIndexOf(index, merchants.length)]
    if (merchant === undefined) throw new Error('there is no merchant')
    const at = new Date(beganMs + Math.floor((index * (spanMs - 60_000)) / count))
    writePayment(merchant, index, at, putRow, ofProvider)
    if (index % 100 === 99) await flush(flushBytes)
    if (index % 20_000 === 19_999) onProgress(index + 1)
  }
  await flush(0)
  await Promise.all([...streams.values()].map((stream) => stream.end()))
}

/** Four of ten payments belong to the first merchant, the others to the rest in rotation. */
function merchantIndexOf(index: number, count: number): number {
  const isFirst = index % 10 < 4
  return isFirst || count === 1 ? 0 : 1 + ((index - Math.floor(index / 10) * 4) % (count - 1))
}

async function readMerchants(owner: pg.Client): Promise<MerchantState[]> {
  const { rows } = await owner.query(`
    select c.id, c.name, k.id as key, coalesce(p.last, 0)::float as position,
      jsonb_object_agg(a.kind, jsonb_build_object('balance', a.balance, 'version', a.version,
        'head', encode(a.head, 'hex'))) as accounts
    from clients c
    join ledger_accounts a on a.client_id = c.id
    join lateral (
      select id from api_keys where client_id = c.id order by label limit 1
    ) k on true
    left join event_positions p on p.client_id = c.id
    group by c.id, k.id, p.last order by c.id`)
  return rows.map(({ id, name, key, position, accounts }) => ({
    clientId: id,
    keyId: key,
    name,
    position,
    available: accounts.available,
    held: accounts.held,
  }))
}

async function writeMerchantStates(owner: pg.Client, merchants: MerchantState[]): Promise<void> {
  for (const { clientId, position, available, held } of merchants) {
    for (const [kind, { balance, version, head }] of Object.entries({ available, held }))
      await owner.query(
        `update ledger_accounts set balance = $3, version = $4, head = decode($5, 'hex'),
          updated_at = now() where client_id = $1 and kind = $2`,
        [clientId, kind, balance, version, head],
      )
    await owner.query(
      `insert into event_positions (client_id, last) values ($1, $2)
      on conflict (client_id) do update set last = excluded.last`,
      [clientId, position],
    )
  }
}

/** Gives the first merchant sub-merchants, for the benchmark of their paged list. */
async function addSubMerchants(
  url: string,
  [first]: MerchantState[],
  count: number,
): Promise<void> {
  if (first === undefined) return
  const columns = 'client_id id number name commercial_name countries city created_at'
  const stream = await openCopyStream(url, 'sub_merchants', columns.split(' '))
  const createdAt = new Date().toISOString()
  for (let number = 1; number <= count; number += 1) {
    const id = `sm-${(0xa0_00_00_00_00_00 + number).toString(16)}`
    const name = `Boutique ${number}`
    const values = [first.clientId, id, number, name, name, '{SN,CI}', 'Dakar', createdAt]
    await stream.write(copyRow(values))
  }
  await stream.end()
}

/**
 * Drops indexes and constraints and disables triggers: with them each row costs several times as
 * much. The returned function restores them as they were.
 */
async function dropIndexes(owner: pg.Client) {
  const tables = Object.keys(historyColumns)
  const constraints = await owner.query(
    `select conrelid::regclass::text as table, quote_ident(conname) as name,
      contype::text as kind, pg_get_constraintdef(oid) as definition
    from pg_constraint
    where contype in ('f', 'p', 'u')
      and (conrelid::regclass::text = any($1) or confrelid::regclass::text = any($1))
    order by array_position(array['f', 'u', 'p'], contype::text), conname`,
    [tables],
  )
  const indexes = await owner.query(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
    from pg_index i
    where indrelid::regclass::text = any($1)
      and not exists (select from pg_constraint c where c.conindid = i.indexrelid)
    order by 1`,
    [tables],
  )
  for (const { table, name } of constraints.rows)
    await owner.query(`alter table ${table} drop constraint ${name}`)
  for (const { name } of indexes.rows) await owner.query(`drop index ${name}`)
  for (const table of tables) await owner.query(`alter table ${table} disable trigger user`)
  return async (onProgress: (name: string) => void) => {
    await owner.query(`set maintenance_work_mem = '1GB'`)
    for (const { name, definition } of indexes.rows) {
      onProgress(name)
      await owner.query(definition)
    }
    for (const { table, name, definition } of constraints.rows.toReversed()) {
      onProgress(name)
      await owner.query(`alter table ${table} add constraint ${name} ${definition}`)
    }
    for (const table of tables) await owner.query(`alter table ${table} enable trigger user`)
  }
}
