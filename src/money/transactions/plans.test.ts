import assert from 'node:assert/strict'
import { it } from 'node:test'
import { connectionsMax } from '#test/database.ts'
import { call, initBody, isEnd, liveGateway, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { openReceiver } from '#test/receiver.ts'
import { sized } from '#test/size.ts'

const gateway = await liveGateway({ pace: 50 })
const { db } = gateway
const owner = gateway.connect({ asOwner: true })
const receiver = await openReceiver()

interface Read {
  table: string
  seqScans: number
  indexRows: number
  /** Scans of the primary key, and the index entries they returned. */
  keyScans: number
  keyRows: number
}

/** The read counters of each table, with what the sessions of the gateway have yet to report. */
async function reads(): Promise<Map<string, Read>> {
  await reportStatistics()
  const rows = await db<Read>`
    select t.relname as table, t.seq_scan as "seqScans",
      coalesce(t.idx_tup_fetch, 0) as "indexRows", k.idx_scan as "keyScans",
      k.idx_tup_read as "keyRows"
    from pg_stat_user_tables t
    join pg_stat_user_indexes k on k.indexrelname = t.relname || '_pkey'
    where t.relname in ('transactions', 'attempts', 'evidence', 'external_ids', 'status_history',
      'ledger_postings', 'ledger_entries', 'ledger_accounts', 'events', 'event_positions',
      'deliveries', 'delivery_attempts')
    order by 1`
  return new Map(rows.map((row) => [row.table, row]))
}

/** Holds every session of the pool at the same time, so that each one reports. */
async function reportStatistics(): Promise<void> {
  const areAllHere = Promise.withResolvers<void>()
  let sessions = 0
  await Promise.all(
    Array.from({ length: connectionsMax }, () =>
      db.transaction(async (tx) => {
        await tx`select pg_stat_force_next_flush()`
        sessions += 1
        if (sessions === connectionsMax) areAllHere.resolve()
        await areAllHere.promise
      }),
    ),
  )
}

async function pay(count: number, serviceCode: string): Promise<void> {
  const ids = await Promise.all(
    Array.from({ length: count }, async () => {
      const body = initBody({ serviceCode, callBackURL: receiver.url })
      const answer = await call(gateway, 'POST /api/v1/transaction/init', body)
      assert.equal(answer.status, 201, answer.text)
      return String(answer.body.transaction.transactionId)
    }),
  )
  await Promise.all(ids.map((id) => until(gateway, id, isEnd)))
}

/** Pays one at a time, since concurrent payments share reads, and checks every table's counters. */
async function payAlone(serviceCode: string): Promise<void> {
  const count = sized(6, 15)
  const before = await reads()
  for (let paid = 0; paid < count; paid += 1) await pay(1, serviceCode)
  for (const [table, { seqScans, indexRows, keyScans, keyRows }] of await reads()) {
    const known = before.get(table)
    assert.ok(known)
    assert.equal(seqScans, known.seqScans, `${table} was scanned sequentially`)
    // A key returns one row, rarely a dead version too; a scan of its whole index returns all.
    const eachScan = (keyRows - known.keyRows) / Math.max(1, keyScans - known.keyScans)
    if (table === 'deliveries') assert.ok(eachScan < 2, `${table}: ${eachScan} rows for each key`)
    // These are also read by the test's lookups, and by the sweepers, by time.
    if (table === 'transactions' || table === 'deliveries') continue
    const each = (indexRows - known.indexRows) / count
    assert.ok(each < 30, `${serviceCode}, ${table}: ${each} rows for each payment`)
  }
}

// A statement that was planned on an empty table must not read all of it once it has grown.
it('a payment reads its own rows, however many others there are', async () => {
  for (const serviceCode of ['WALLETA_SN_CASHIN', 'WALLETA_SN_CASHOUT']) {
    await pay(sized(60, 150), serviceCode)
    await payAlone(serviceCode)
    // As autovacuum does once a table has grown. The statistics now say that nothing is pending.
    await owner`analyze`
    await payAlone(serviceCode)
  }
  await assertMoney(gateway)
})
