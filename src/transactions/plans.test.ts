import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, initBody, isEnd, liveGateway, until } from '../../test/live.ts'
import { assertMoney } from '../../test/money.ts'
import { openReceiver } from '../../test/receiver.ts'

const gateway = await liveGateway({ pace: 50 })
const { db } = gateway
const owner = gateway.connect({ asOwner: true })
const receiver = await openReceiver()

interface Read {
  table: string
  scans: number
  rows: number
  /** How often rows were looked up by the primary key, and how many that gave. */
  looks: number
  found: number
}

/** What was read of each table so far, once the server's counts have come to rest. */
async function reads(): Promise<Map<string, Read>> {
  for (let before = ''; ; await sleep(600)) {
    const rows = await db<Read>`
      select t.relname as table, t.seq_scan as scans, coalesce(t.idx_tup_fetch, 0) as rows,
        k.idx_scan as looks, k.idx_tup_read as found
      from pg_stat_user_tables t
      join pg_stat_user_indexes k on k.indexrelname = t.relname || '_pkey'
      where t.relname in ('transactions', 'attempts', 'evidence', 'external_ids', 'status_history',
        'ledger_postings', 'ledger_entries', 'ledger_accounts', 'events', 'event_positions',
        'deliveries', 'delivery_attempts')
      order by 1`
    const now = JSON.stringify(rows)
    if (now === before) return new Map(rows.map((row) => [row.table, row]))
    before = now
  }
}

async function pay(count: number, serviceCode: string): Promise<void> {
  const ids = await Promise.all(
    Array.from({ length: count }, async () => {
      const body = initBody({ serviceCode, callBackURL: receiver.url })
      const told = await call(gateway, 'POST /api/v1/transaction/init', body)
      assert.equal(told.status, 201, told.text)
      return String(told.body.transaction.transactionId)
    }),
  )
  await Promise.all(ids.map((id) => until(gateway, id, isEnd)))
}

/** Pays one by one, since those that come together share what they read, and looks at each. */
async function payAlone(serviceCode: string): Promise<void> {
  const count = 15
  const before = await reads()
  for (let paid = 0; paid < count; paid += 1) await pay(1, serviceCode)
  for (const [table, { scans, rows, looks, found }] of await reads()) {
    const known = before.get(table)
    assert.ok(known)
    assert.equal(scans, known.scans, `${table} was read from end to end`)
    // A key gives one row, rarely an older version too; a walk over its index gives them all.
    const eachLook = (found - known.found) / Math.max(1, looks - known.looks)
    if (table === 'deliveries') assert.ok(eachLook < 2, `${table}: ${eachLook} rows for each key`)
    // These are also read by time: whoever asks whether it has ended, and who looks what is due.
    if (table === 'transactions' || table === 'deliveries') continue
    const each = (rows - known.rows) / count
    assert.ok(each < 30, `${serviceCode}, ${table}: ${each} rows for each payment`)
  }
}

// A statement that was planned on an empty table must not read all of it once it has grown.
it('a payment reads its own rows, however many others there are', async () => {
  for (const serviceCode of ['WALLETA_SN_CASHIN', 'WALLETA_SN_CASHOUT']) {
    await pay(150, serviceCode)
    await payAlone(serviceCode)
    // As the server does by itself once a table has grown. Now it knows that nothing is pending.
    await owner`analyze`
    await payAlone(serviceCode)
  }
  await assertMoney(gateway)
})
