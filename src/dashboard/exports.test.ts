import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import {
  accessibilityViolations,
  assertScreens,
  openPage,
  testBrowser,
} from '../../test/browser.ts'
import type { SignedIn } from '../../test/dashboard.ts'
import { addPerson, signedInAs, signInWith, tokenIn } from '../../test/dashboard.ts'
import { call, collected, initBody, liveGateway } from '../../test/live.ts'
import { openMailServer } from '../../test/mail-server.ts'
import { assertMoney } from '../../test/money.ts'
import { usualTest as it, slowTest } from '../../test/size.ts'
import { rowsOf } from '../../test/tables.ts'
import { eventually } from '../../test/wait.ts'
import { readConfig } from '../config/config.ts'
import { readAudit } from '../db/audit-log.ts'
import { openHttp } from '../http/server.ts'
import { systemClock as clock } from '../kit/clock.ts'
import { dayOf } from '../kit/zoned-days.ts'
import { openLog } from '../log/log.ts'
import { startMailSweeper } from '../mail/queue.ts'
import { openSmtp } from '../mail/smtp.ts'
import { sendFile } from './frame/send-file.ts'

const mails = await openMailServer()
after(() => mails.close())
const environment = { EXPORT_DIRECT_ROWS: '2', SMTP_URL: mails.url }
const gateway = await liveGateway({ pace: 50, environment })
const { url, db, clientId } = gateway
const { mailFrom } = readConfig(environment)
const smtp = openSmtp({ smtpUrl: mails.url, mailFrom, mode: 'sandbox' })
const sender = startMailSweeper({ db, clock, log: openLog('silent'), smtp })
after(() => sender.stop())

const paid: string[] = []
for (let count = 0; count < 3; count += 1) paid.unshift(await collected(gateway, { amount: 5000 }))
await call(gateway, 'POST /api/v1/transaction/init', initBody({ number: '770000003' }))
const owner = await signedInAs(gateway, 'owner')
const list = '/dashboard/exports'

/** Asks for a file as a person does, and returns the address of its page. */
async function askFor(person: SignedIn, file: string): Promise<string> {
  const { status, location } = await person.get(file)
  assert.equal(status, 303)
  const from = location ?? ''
  const query = new URL(from, url).searchParams
  const fields = { of: query.get('of') ?? '', form: query.get('form') ?? '' }
  const { text } = await person.get(from)
  const kept = /name="query" value="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const asked = await person.post(`${list}/new`, { ...fields, query: kept }, { from })
  assert.equal(asked.status, 303, asked.visible)
  return asked.location ?? ''
}

async function untilReady(person: SignedIn, page: string): Promise<string> {
  return eventually('the file is ready', async () => {
    const { text, visible } = await person.get(page)
    return text.includes(`${page}/file`) && visible
  })
}

async function bytesOf(person: SignedIn, path: string): Promise<Buffer> {
  const answer = await fetch(`${url}${path}`, { headers: { cookie: person.cookie } })
  assert.equal(answer.status, 200)
  const bytes = Buffer.from(await answer.arrayBuffer())
  assert.equal(answer.headers.get('content-length'), String(bytes.length))
  return bytes
}

describe('a long export', () => {
  it('is made in the background with the filters of its list, and told of by a mail', async () => {
    const page = await askFor(owner, '/dashboard/transactions/export.csv?status=SUCCESS&hide=fee')
    const visible = await untilReady(owner, page)
    assert.match(visible, /Ready .*Status: Succeeded .*Format CSV Rows 3 /)
    const text = (await bytesOf(owner, `${page}/file`)).toString()
    const [head, ...rows] = text.trimEnd().split('\r\n')
    assert.match(head ?? '', /^\ufeffDate;Operation;/)
    assert.deepEqual(
      rows.slice(0, -1).map((row) => row.split(';')[10]),
      paid,
    )
    assert.match(rows.at(-1) ?? '', /^Number of transactions: 3;/)
    const [mail] = await mails.has(1)
    assert.deepEqual(mail?.to, [owner.email])
    assert.ok(mail?.mail.text?.includes(`${url}${page}`))
    const guest = await fetch(`${url}${page}/file`, { redirect: 'manual' })
    assert.match(guest.headers.get('location') ?? '', /^\/dashboard\/sign-in\?then=/)
    assert.match((await owner.get(list)).visible, /Transactions Status: Succeeded CSV Ready 3/)
    const audited = await readAudit(db, { clientId, before: null, limit: 50 })
    assert.ok(audited.some(({ action }) => action === 'transaction.export'))
  })

  it('has the same rows as a workbook, and those of a statement as CSV and PDF', async () => {
    const book = await askFor(owner, '/dashboard/transactions/export.xlsx')
    await untilReady(owner, book)
    const rows = await rowsOf(await bytesOf(owner, `${book}/file`))
    assert.equal(rows.length, 1 + 4 + 1)
    const today = dayOf(clock.now(), 'Africa/Dakar')
    const statement = `/dashboard/statements/file?from=${today}&to=${today}`
    const csv = await askFor(owner, `${statement}&form=csv`)
    await untilReady(owner, csv)
    const lines = (await bytesOf(owner, `${csv}/file`)).toString().trimEnd().split('\r\n')
    assert.match(lines.at(1) ?? '', /;Closing balance;;;;5014700$/)
    assert.match(lines.at(-1) ?? '', /;Opening balance;;;;0$/)
    // The funds, and three collections.
    assert.equal(lines.length, 1 + 1 + 4 + 1)
    const pdf = await askFor(owner, `${statement}&form=pdf`)
    await untilReady(owner, pdf)
    assert.match((await bytesOf(owner, `${pdf}/file`)).toString('latin1'), /^%PDF-1[\s\S]*%%EOF/)
    const developer = await signedInAs(gateway, 'developer')
    for (const path of [csv, `${csv}/file`])
      assert.equal((await developer.get(path)).status, 404, path)
    assert.doesNotMatch((await developer.get(list)).visible, /Account statement/)
  })

  it('is one file, also when its form is sent twice', async () => {
    const from = `${list}/new?of=transactions&form=csv&number=771234567`
    const token = tokenIn((await owner.get(from)).text)
    const fields = { of: 'transactions', form: 'csv', query: 'number=771234567' }
    const answers = [1, 2].map(() => owner.post(`${list}/new`, fields, { token }))
    const [first, second] = await Promise.all(answers)
    const again = await owner.post(`${list}/new`, fields, { token })
    assert.ok([first?.location, second?.location].includes(again.location))
    const made = await db`select from exports where query = 'number=771234567'`
    assert.equal(made.length, 1)
  })

  it('can be removed, and is then a 404', async () => {
    const page = await askFor(owner, '/dashboard/transactions/export.csv?kind=CASHOUT')
    await untilReady(owner, page)
    assert.equal((await owner.post(page, { verb: 'cancel' })).location, page)
    assert.equal((await owner.post(page, { verb: 'remove' })).location, list)
    for (const path of [page, `${page}/file`])
      assert.equal((await owner.get(path)).status, 404, path)
  })

  it('is not for others: another merchant, a role without the right', async () => {
    const page = await askFor(owner, '/dashboard/transactions/export.csv')
    await untilReady(owner, page)
    const other = await gateway.newMerchant()
    const stranger = await signedInAs({ ...gateway, ...other }, 'owner')
    const support = await signedInAs(gateway, 'support')
    for (const path of [page, `${page}/file`]) {
      assert.equal((await stranger.get(path)).status, 404, path)
      assert.equal((await support.get(path)).status, 403, path)
    }
    const token = tokenIn((await stranger.get(list)).text)
    assert.equal((await stranger.post(page, { verb: 'remove' }, { token })).status, 404)
    assert.equal((await owner.get(page)).status, 200)
    assert.match((await stranger.get(list)).visible, /No files yet/)
  })

  for (const query of ['', '?of=x&form=csv', '?of=transactions&form=pdf', '?of=statement&form=csv'])
    it(`of ${query || 'nothing'} is a 404`, async () =>
      assert.equal((await owner.get(`${list}/new${query}`)).status, 404))

  it('that lost a part breaks off instead of looking complete', async () => {
    const page = await askFor(owner, '/dashboard/transactions/export.csv?kind=CASHOUT')
    await untilReady(owner, page)
    await db`update exports set bytes = bytes + 1 where id = ${page.split('/').at(-1)}`
    await assert.rejects(bytesOf(owner, `${page}/file`), /terminated/)
  })
})

it('a file that cannot be written to its end breaks the connection off', async () => {
  const http = await openHttp({
    log: openLog('silent'),
    isHttps: false,
    trustedProxies: [],
  })
  after(() => http.close())
  const blocks = async function* () {
    yield Buffer.from('a;b\r\n1;2\r\n')
    throw new Error('the database is gone')
  }
  http.get('/file', (_, reply) => sendFile(reply, 'a.csv', blocks()))
  const address = await http.listen({ host: '127.0.0.1', port: 0 })
  await assert.rejects(
    fetch(`${address}/file`).then((answer) => answer.text()),
    /terminated/,
  )
})

slowTest('the screens are accessible on a phone, follow, and work without scripts', async () => {
  const browser = await testBrowser()
  const email = await addPerson(gateway, { clientId, role: 'owner', language: 'fr' })
  await using scripted = await openPage(browser)
  const { page } = scripted
  await signInWith(page, url, email)
  const from = `${list}/new?of=transactions&form=csv&status=SUCCESS`
  await assertScreens(page, [list, from])
  await page.click('main form button')
  // It is replaced without a visit.
  await page.getByRole('link', { name: 'Télécharger' }).waitFor()
  assert.deepEqual(await accessibilityViolations(page), [])
  assert.deepEqual(scripted.complaints, [])
  await using plain = await openPage(browser, { javaScriptEnabled: false })
  await signInWith(plain.page, url, email)
  await plain.page.goto(`${url}${from}`)
  await plain.page.click('main form button')
  await plain.page.waitForURL(/exports\/[0-9a-f-]{36}$/)
  await eventually('the file is ready', async () => {
    await plain.page.reload()
    return (await plain.page.innerText('main')).includes('Télécharger')
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

test('and the money holds', () => assertMoney(gateway))
