import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { readTaken } from '#backoffice/batches/line-store.ts'
import { readConfig } from '#base/config/config.ts'
import { systemClock as clock } from '#base/kit/clock.ts'
import { openDb } from '#data/db/db.ts'
import { wholeClient } from '#merchants/clients/scope.ts'
import { listLinkPage } from '#money/links/list.ts'
import { readMarks } from '#money/links/store.ts'
import { anyTransaction, examinedMax, listPage } from '#money/transactions/list.ts'
import { listAll, searchAll } from '#money/transactions/list-all.ts'
import type { TransactionFilter } from '#money/transactions/list-store.ts'
import {
  readClientMarks,
  readNewest,
  readTransactionMarks,
} from '#money/transactions/marks-store.ts'
import { searchTransactions } from '#money/transactions/search.ts'
import { sumList } from '#money/transactions/sum.ts'
import { ensureDemoData } from '#program/sandbox/demo.ts'
import { testDatabase } from '#test/database.ts'
import { readDetail } from './detail.ts'
import { readHome } from './figures.ts'
import { addTransactions } from './hours-store.ts'
import { listMovements } from './movements.ts'
import { readStatement } from './statement.ts'
import { summariseAll } from './summarise.ts'

// The demo merchant's month, some 1,500 payments; statements that were planned on empty tables.
const { url, connect } = await testDatabase()
// One session: its counters are complete once it has reported them.
const db = openDb({ url, connectionsMax: 1, role: 'passerelle_app' })
after(() => db.close())
const owner = connect({ asOwner: true })
const now = clock.now()
const clientId = 1
const everything = { from: null, to: null, after: null, limit: 20 }
const range = { from: new Date(now.getTime() - 10 * 86_400_000), to: now }

// Three for each row that a read looks up by itself; there are some sixty of these at most.
const pagesMax = 180

interface Sample {
  id: string
  externalId: string
  phone: string
  reference: string
  subMerchantId: string
}

const listLinks = () => {
  const filter = { status: null, subMerchantId: null, externalIdPrefix: null, phone: null }
  return listLinkPage(db, wholeClient(clientId), filter, { ...everything, limit: 3 }, 5)
}
const list = (filter: Partial<TransactionFilter>) =>
  listPage(db, wholeClient(clientId), { ...anyTransaction, ...filter }, everything)
const sumOf = (filter: Partial<TransactionFilter>) =>
  sumList(db, wholeClient(clientId), { ...anyTransaction, ...filter }, everything)

// what is read, and the most rows of each table that it may look at
const reads: [string, (one: Sample) => Promise<unknown>, number][] = [
  ['our id', ({ id }) => searchTransactions(db, [clientId], id), 40],
  ['an external id', ({ externalId }) => searchTransactions(db, [clientId], externalId), 40],
  ['a number', ({ phone }) => searchTransactions(db, [clientId], phone), 150],
  ['a reference', ({ reference }) => searchTransactions(db, [clientId], reference), 40],
  ['nothing', () => searchTransactions(db, [clientId], 'no such thing'), examinedMax],
  ['the list of a number', ({ phone }) => list({ phone }), 60],
  ['the list of open ones', () => list({ statuses: ['PROCESSING'] }), 20],
  ['a sum', () => sumList(db, wholeClient(clientId), anyTransaction, everything, 100), 260],
  ['the sum of a number', ({ phone }) => sumOf({ phone }), 150],
  ['the sum of open ones', () => sumOf({ statuses: ['PROCESSING', 'PENDING'] }), examinedMax],
  ['our id, of all clients', ({ id }) => searchAll(db, id), 40],
  ['an external id, of all clients', ({ externalId }) => searchAll(db, externalId), 40],
  ['a number, of all clients', ({ phone }) => searchAll(db, phone), 150],
  ['a reference, of all clients', ({ reference }) => searchAll(db, reference), 40],
  ['nothing, of all clients', () => searchAll(db, 'no such thing'), 40],
  ['the list of all clients', () => listAll(db, anyTransaction, everything), 150],
  ['a number in it', ({ phone }) => listAll(db, { ...anyTransaction, phone }, everything), 150],
  [
    'open ones in it',
    () => listAll(db, { ...anyTransaction, statuses: ['PENDING'] }, everything),
    20,
  ],
  ['the first of a list of links', listLinks, 20],
  ['the detail', ({ id }) => readDetail(db, { clientId, id }), 40],
  ['home', () => readHome(db, { clientId, zone: 'UTC', now }), 60],
  ['the hours', () => sumUpAgain(20), 100],
  ['the marks of clients', () => readClientMarks(db, ['1', '2']), 60],
  ['the mark of a transaction', ({ id }) => readTransactionMarks(db, [`${clientId} ${id}`]), 20],
  ['the mark of a link', () => readMarks(db, [`${clientId} ${linkId}`]), 2],
  ['the newest of a client', () => readNewest(db, clientId, 10), 20],
  ['movements', () => listMovements(db, clientId, everything), 60],
  ['a statement', () => readStatement(db, clientId, range), 60],
  ['what a batch has taken', () => readTaken(db, { clientId, id: batchId }), 60],
]

const linkId = '018f0000-0000-4000-8000-000000000002'
const batchId = '018f0000-0000-7000-8000-000000000001'

/** A batch of ten lines without payouts, and ten whose payouts are those of the month. */
async function addBatch(): Promise<void> {
  await db`
    insert into batches (client_id, id, name, file_name, file_hash, state, uploaded_by, warnings,
      lines, faulty, amount, fee, waiting, changed_at, created_at)
    values (${clientId}, ${batchId}, 'a', 'a', 'a', 'draft', 'a', '[]', 20, 0, 1, 0, 20, ${now},
      ${now})`
  await db`
    insert into batch_lines (client_id, batch_id, line, phone, service_code, amount, fee, name,
      reference, errors, warnings, state, transaction_id)
    select client_id, ${batchId}, n, phone, service_code, amount, fee, 'a', 'a', '[]', '[]',
      case when n > 10 then 'waiting' else 'paid' end, case when n <= 10 then id end
    from (
      select *, row_number() over () as n from transactions
      where client_id = ${clientId} and operation = 'CASHIN' and status = 'SUCCESS' limit 20
    ) t`
}

/** Adds the last events of the client to its hours once more. */
function sumUpAgain(count: number): Promise<unknown> {
  return db.transaction(async (tx) => {
    await tx`
      update summary_cursors set position = position - ${count} where client_id = ${clientId}`
    await addTransactions(tx, clientId, 5000)
  })
}

interface Counters {
  table: string
  seqScans: number
  rows: number
  /** Pages of its indexes. A search that passes over most of an index fetches no row of those. */
  pages: number
}

async function counters(): Promise<Map<string, Counters>> {
  await db`select pg_stat_force_next_flush()`
  const rows = await db<Counters>`
    select relname as table, seq_scan as "seqScans", idx_tup_fetch as rows,
      idx_blks_hit + idx_blks_read as pages
    from pg_stat_user_tables join pg_statio_user_tables using (relid, relname)
    where relname in ('transactions', 'attempts', 'evidence', 'external_ids', 'events',
      'ledger_postings', 'ledger_entries', 'status_history', 'deliveries', 'links')`
  return new Map(rows.map((row) => [row.table, row]))
}

describe('by an index, however many others there are:', async () => {
  const nobody = { id: '', externalId: '', phone: '', reference: '', subMerchantId: '' }
  for (const [, read] of reads)
    await read({ ...nobody, id: '018f0000-0000-7000-8000-000000000000' }).catch(() => {})
  await ensureDemoData(db, clock, readConfig({}))
  await summariseAll(db)
  await addBatch()
  const [sample] = await db<Sample>`
    select id, external_id as "externalId", phone, reference, sub_merchant_id as "subMerchantId"
    from transactions
    where sub_merchant_id is not null and reference is not null and operation = 'CASHOUT'
    order by id limit 1`
  assert.ok(sample !== undefined)

  for (const isAnalyzed of [false, true])
    it(isAnalyzed ? 'once tables have statistics' : 'as planned on empty tables', async () => {
      if (isAnalyzed) await owner`analyze`
      for (const [what, read, rowsMax] of reads) {
        const before = await counters()
        await read(sample)
        for (const [table, { seqScans, rows, pages }] of await counters()) {
          const known = before.get(table)
          assert.equal(seqScans, known?.seqScans, `${what}: ${table} was scanned`)
          const looked = rows - (known?.rows ?? 0)
          assert.ok(looked <= rowsMax, `${what}: ${looked} rows of ${table}`)
          const touched = pages - (known?.pages ?? 0)
          assert.ok(touched <= pagesMax, `${what}: ${touched} pages of indexes of ${table}`)
        }
      }
    })
})
