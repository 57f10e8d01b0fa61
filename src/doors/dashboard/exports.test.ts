import assert from 'node:assert/strict'
import { after, describe, it, test } from 'node:test'
import { readConfig } from '#base/config/config.ts'
import { systemClock as clock } from '#base/kit/clock.ts'
import { dayOf } from '#base/kit/zoned-days.ts'
import { openLog } from '#base/log/log.ts'
import { readAudit } from '#data/db/audit-log.ts'
import type { Db } from '#data/db/db.ts'
import { openHttp } from '#edge/http/server.ts'
import type { Value } from '#formats/tables/output.ts'
import { writeCsv } from '#formats/tables/write-csv.ts'
import { writePdf } from '#formats/tables/write-pdf.ts'
import { writeXlsx } from '#formats/tables/write-xlsx.ts'
import { wholeClient } from '#merchants/clients/scope.ts'
import { findClientId } from '#merchants/clients/store.ts'
import { anyTransaction } from '#money/transactions/list.ts'
import { verifyAll } from '#operations/verify/verify.ts'
import { ensureDemoData } from '#program/sandbox/demo.ts'
import { openPage, testBrowser } from '#test/browser.ts'
import {
  addPerson,
  type SignedIn,
  signedInAs,
  signedInOperator,
  signInWith,
} from '#test/dashboard.ts'
import { untilBlocked } from '#test/database.ts'
import { call, collected, liveGateway } from '#test/live.ts'
import { rowsOf } from '#test/tables.ts'
import { eventually } from '#test/wait.ts'
import { takePlace } from './frame/downloads.ts'
import { sendFile } from './frame/send-file.ts'

const gateway = await liveGateway({ pace: 50 })
const { url, db } = gateway
const database = gateway.connect({ asOwner: true })
// A merchant with a month of payments: more than are read at once. A starved machine makes them up
// for longer than a transaction of the gateway may be idle.
const transaction: Db['transaction'] = (work) =>
  db.transaction(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = '5min'`
    return work(tx)
  })
await ensureDemoData({ transaction } as Db, clock, readConfig({}))
const clientId = (await db.transaction((tx) => findClientId(tx, 'Boutique Démo'))) ?? 0
const owner = await signedInAs({ ...gateway, clientId }, 'owner')
const today = dayOf(clock.now(), 'Africa/Dakar')
const listFile = '/dashboard/transactions/export'
const statementFile = `/dashboard/statements/file?from=2001-01-01&to=${today}`

async function bytesOf(person: SignedIn, path: string): Promise<Buffer> {
  const answer = await fetch(`${url}${path}`, { headers: { cookie: person.cookie } })
  assert.equal(answer.status, 200)
  return Buffer.from(await answer.arrayBuffer())
}

describe('a file of any length', () => {
  it('has every transaction once, as CSV and as a workbook', async () => {
    const ids = await db<{ id: string }>`
      select id from transactions where client_id = ${clientId} order by id desc`
    assert.ok(ids.length > 1200, `${ids.length} transactions`)
    const text = (await bytesOf(owner, `${listFile}.csv`)).toString()
    const [, ...rows] = text.trimEnd().split('\r\n')
    assert.match(rows.pop() ?? '', new RegExp(`^Number of transactions: ${ids.length};`))
    assert.deepEqual(
      rows.map((row) => row.split(';')[10]),
      ids.map(({ id }) => id),
    )
    const book = await rowsOf(await bytesOf(owner, `${listFile}.xlsx`), { rowsMax: 5000 })
    assert.equal(book.length, 1 + ids.length + 1)
    const audited = await readAudit(db, { clientId, before: null, limit: 50 })
    const downloads = audited.filter(({ action }) => action === 'transaction.export')
    assert.equal(downloads.length, 2)
  })

  it('has the audit log of a client, and of the gateway only its name', async () => {
    const awa = await signedInOperator(gateway)
    const stopped = await awa.post(`/dashboard/ops/clients/${clientId}/status`, {
      status: 'suspended',
      reason: 'asked for',
    })
    assert.equal(stopped.status, 303, stopped.visible)
    await db`update clients set merchant_status = 'active' where id = ${clientId}`
    const lines = (await bytesOf(owner, '/dashboard/audit/export.csv')).toString().split('\r\n')
    assert.match(lines[0] ?? '', /When;Who;From;What;About;Action;Details$/)
    assert.ok(lines.some((line) => line.includes(`;${owner.email};`)))
    const others = lines.find((line) => line.includes(';Passerelle;'))
    assert.match(others ?? '', /;Passerelle;;/)
    assert.ok(!lines.join('\n').includes(awa.email))
    assert.match(lines.at(-2) ?? '', new RegExp(`^Number of entries: ${lines.length - 3}`))
    const viewer = await signedInAs({ ...gateway, clientId }, 'viewer')
    assert.equal((await viewer.get('/dashboard/audit/export.csv')).status, 403)
  })

  it('has every movement of a statement, as CSV, workbook and PDF', async () => {
    const [account] = await db<{ version: number }>`
      select version from ledger_accounts where client_id = ${clientId} and kind = 'available'`
    const count = account?.version ?? 0
    const text = (await bytesOf(owner, `${statementFile}&form=csv`)).toString()
    const lines = text.trimEnd().split('\r\n')
    assert.match(lines[1] ?? '', /;Opening balance;;*0$/)
    assert.match(lines.at(-1) ?? '', /;Closing balance;/)
    assert.equal(lines.length, 1 + 1 + count + 1)
    const book = await bytesOf(owner, `${statementFile}&form=xlsx`)
    // With the sums, which a program that adds up a CSV would count twice.
    const rows = await rowsOf(book, { rowsMax: 5000 })
    assert.equal(rows.length, lines.length + 1)
    assert.equal(rows.at(-2)?.cells[1], 'All movements')
    const pdf = (await bytesOf(owner, `${statementFile}&form=pdf`)).toString('latin1')
    assert.match(pdf, /^%PDF-1[\s\S]*%%EOF\n$/)
  })

  it('holds no connection and no transaction while nobody reads', async () => {
    const range = { from: null, to: null }
    const each = gateway.transactions.each(wholeClient(clientId), anyTransaction, range)
    assert.equal((await each.next()).done, false)
    await eventually('no session is busy', async () => {
      const busy = await database`
        select from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`
      return busy.length === 0
    })
    assert.equal((await each.next()).done, false)
    await each.return(undefined)
  })

  it('is one of three of a merchant at a time', async () => {
    const three = await database.transaction(async (tx) => {
      await tx`lock table transactions in access exclusive mode`
      const files = [1, 2, 3].map(() => bytesOf(owner, `${listFile}.csv`))
      await untilBlocked(database, 3)
      const { status, visible } = await owner.get(`${listFile}.csv`)
      assert.equal(status, 409)
      assert.match(visible, /D'autres fichiers sont en cours de téléchargement/)
      return files
    })
    const sizes = new Set((await Promise.all(three)).map(({ length }) => length))
    assert.equal(sizes.size, 1)
    await eventually(
      'a place is free',
      async () => (await owner.get(`${listFile}.csv`)).status === 200,
    )
  })
})

/** A table whose rows end with an error, or never. */
function tableOf(rows: Iterable<Value[]>) {
  const columns = [{ title: 'n', kind: 'whole' as const, width: 9 }]
  return { title: 'Numbers', columns, rows, subtitles: [], summary: [], language: 'en' as const }
}

describe('a file that is sent', async () => {
  const http = await openHttp({
    log: openLog('silent'),
    isHttps: false,
    trustedProxies: [],
  })
  after(() => http.close())
  function* broken(): Generator<Value[]> {
    for (let row = 0; row < 50_000; row += 1) yield [row]
    throw new Error('the database is gone')
  }
  const writers = { csv: writeCsv, xlsx: writeXlsx, pdf: writePdf }
  for (const [form, write] of Object.entries(writers))
    http.get(`/broken.${form}`, (_, reply) =>
      sendFile(reply, `numbers.${form}`, write(tableOf(broken()))),
    )
  let taken = 0
  let isEnded = false
  function* endless(): Generator<Value[]> {
    try {
      for (;;) yield [(taken += 1)]
    } finally {
      isEnded = true
    }
  }
  http.get('/endless', (_, reply) => {
    takePlace(reply, 1)
    return sendFile(reply, 'numbers.csv', writeCsv(tableOf(endless())))
  })
  const address = await http.listen({ host: '127.0.0.1', port: 0 })

  const ends = { csv: '49999\r\n', xlsx: 'PK\u0005\u0006', pdf: '%%EOF' }
  for (const [form, end] of Object.entries(ends))
    it(`to its middle breaks the connection off, and lacks its end: ${form}`, async () => {
      const answer = await fetch(`${address}/broken.${form}`)
      const parts: Uint8Array[] = []
      await assert.rejects(async () => {
        for await (const part of answer.body ?? []) parts.push(part)
      }, /terminated/)
      const text = Buffer.concat(parts).toString('latin1')
      assert.ok(text.length > 1000 && !text.includes(end), `${text.length} bytes`)
    })

  it('is written as fast as it is read, and no longer than somebody reads', async () => {
    const leave = new AbortController()
    const { body } = await fetch(`${address}/endless`, { signal: leave.signal })
    const reader = body?.getReader()
    await reader?.read()
    let before = -1
    await eventually('it waits for its reader', async () => {
      const isWaiting = before === taken
      before = taken
      await new Promise((resolve) => void setTimeout(resolve, 100))
      return isWaiting && before === taken
    })
    for (let read = 0; taken === before; read += 1) {
      assert.ok(read < 10_000, 'it does not go on')
      await reader?.read()
    }
    assert.equal(isEnded, false)
    leave.abort()
    await eventually('its rows are no longer read', () => isEnded)
  })

  it('has its place until it ends or its reader leaves', async () => {
    const leave = new AbortController()
    const ask = () => fetch(`${address}/endless`, { signal: leave.signal })
    assert.deepEqual(
      (await Promise.all([ask(), ask(), ask()])).map(({ status }) => status),
      [200, 200, 200],
    )
    const fourth = await fetch(`${address}/endless`)
    assert.equal(fourth.status, 409)
    leave.abort()
    await eventually('there is a place', async () => {
      const again = new AbortController()
      const { status } = await fetch(`${address}/endless`, { signal: again.signal })
      again.abort()
      return status === 200
    })
  })
})

it('the list of transactions fits on a desktop, unless every column is shown', async () => {
  const merchant = { ...gateway, ...(await gateway.newMerchant()) }
  const shop = { name: 'Médina', commercialName: 'Chez Awa', countries: ['SN'] }
  await call(merchant, 'POST /api/v1/sub-merchant', shop)
  await collected(merchant, { amount: 1_000_000, externalTransactionId: 'commande-2026-000123' })
  const email = await addPerson(gateway, { ...merchant, role: 'viewer', language: 'fr' })
  const size = { viewport: { width: 1280, height: 800 } }
  await using opened = await openPage(await testBrowser(), size)
  const { page } = opened
  await signInWith(page, url, email)
  const isWide = async (query: string) => {
    await page.goto(`${url}/dashboard/transactions${query}`)
    return page.locator('.rows').evaluate((rows) => rows.scrollWidth > rows.clientWidth)
  }
  assert.deepEqual([await isWide(''), await isWide('?hide=none')], [false, true])
})

test('and everything holds', async () => {
  assert.deepEqual((await verifyAll(db, [], () => {})).breaks, [])
})
