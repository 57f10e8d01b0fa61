import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { systemClock } from '#base/kit/clock.ts'
import { formatAmount } from '#base/kit/money.ts'
import { dayOf } from '#base/kit/zoned-days.ts'
import { readTable } from '#formats/tables/read-table.ts'
import { assertScreens, openPage, testBrowser } from '#test/browser.ts'
import { addPerson, type SignedIn, signedInAs, signInWith } from '#test/dashboard.ts'
import { balance, call, collected, initBody, isEnd, liveGateway, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { usualTest as it } from '#test/size.ts'
import { xssPayloads } from '#test/xss-payloads.ts'

const gateway = await liveGateway()
const { url, clientId } = gateway
const owner = await signedInAs(gateway, 'owner')
const today = dayOf(systemClock.now(), 'Africa/Dakar')
const range = `from=${today}&to=${today}`

await collected(gateway, { amount: 10_000 })
await collected(gateway, { amount: 2500, externalTransactionId: '=cmd()' })
const payout = { serviceCode: 'WALLETA_SN_CASHIN', amount: 3000 }
const { body } = await call(gateway, 'POST /api/v1/transaction/init', initBody(payout))
await until(gateway, String(body.transaction.transactionId), isEnd)
const refundOf = await collected(gateway, { amount: 4000 })
const refund = await call(gateway, `POST /api/v1/transaction/refund/${refundOf}`, { amount: 1500 })
await until(gateway, String(refund.body.refund.refundId), isEnd)
// 5,000,000 + 9,800 + 2,450 - 3,060 + 3,920 - 1,500
const closing = 5_011_610

const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')

it('the balance is what the interface says', async () => {
  assert.equal(await balance(gateway), closing)
  const { visible } = await owner.get('/dashboard/balance')
  assert.match(plain(visible), /Available 5 011 610 F CFA/)
})

it('a list says how many there are of what is filtered, and their sum', async () => {
  const listed = async (query: string) =>
    plain((await owner.get(`/dashboard/transactions?${query}`)).visible)
  const collections = / 3 transactions, 3 succeeded: 16 500 F CFA /
  assert.match(await listed('kind=CASHOUT'), collections)
  assert.match(await listed('kind=CASHIN'), / 1 transaction, 1 succeeded: −3 000 F CFA /)
  assert.match(await listed('status=FAILED'), / 0 transactions, 0 succeeded: 0 F CFA /)
  assert.doesNotMatch(await listed(''), /succeeded:/)
})

describe('home', () => {
  it('shows what was collected, net of refunds, and beside it what was paid out', async () => {
    const text = plain((await owner.get('/dashboard')).visible)
    assert.match(text, /Available balance 5 011 610 F CFA \+ 0 F CFA held/)
    assert.match(text, /Collected today 15 000 F CFA 3 collections/)
    assert.match(text, /Collected in 30 days 15 000 F CFA Previous 30 days: 0 F CFA/)
    assert.match(text, /Average payment 5 000 F CFA/)
    assert.match(text, /Successful collections 100\.0% 3 of 3/)
    assert.match(
      text,
      /Paid out in 30 days 3 000 F CFA Previous 30 days: 0 F CFA today 3 000 F CFA/,
    )
    assert.match(text, /Wallet A · SN 16 500 F CFA 100\.0% 3 of 3/)
  })

  it('draws what goes out below zero, and says the net of each day', async () => {
    const { text, visible } = await owner.get('/dashboard')
    const zero = Number(/class="zero" x1="\d+" x2="\d+" y1="([\d.]+)"/.exec(text)?.[1])
    const bars = [
      ...text.matchAll(/class="(k\d)" x="[\d.]+" y="([\d.]+)" width="[\d.]+" height="([\d.]+)"/g),
    ].map(([, name, y, height]) => [name, Number(y) < zero, Number(y) + Number(height) > zero])
    assert.deepEqual(bars, [
      ['k0', true, false],
      ['k1', false, true],
      ['k2', false, true],
    ])
    assert.match(plain(visible), /16 500 F CFA −3 000 F CFA −1 500 F CFA 12 000 F CFA/)
  })

  it('of a new merchant offers a first step instead of an empty chart', async () => {
    const merchant = await gateway.newMerchant(0)
    const person = await signedInAs({ ...gateway, ...merchant }, 'owner')
    const { text, visible } = await person.get('/dashboard')
    assert.match(visible, /No transactions in the last 30 days\. Create a payment link/)
    assert.doesNotMatch(text, /class="chart"/)
  })
})

describe('movements', () => {
  it('are listed newest first with the balance after each', async () => {
    const text = plain((await owner.get('/dashboard/balance')).visible)
    assert.match(text, /Payout · Wallet A · SN .*−60 F CFA −3 060 F CFA 5 009 190 F CFA/)
    assert.match(text, /Collection .*2 450 F CFA 5 012 250 F CFA .*9 800 F CFA 5 009 800 F CFA/)
  })

  it('of another day are none, and a page that does not exist is one too', async () => {
    const { visible } = await owner.get('/dashboard/balance?from=2020-01-01&to=2020-01-02')
    assert.match(visible, /Filter \(2\) .*No movements in this period\. Show all/)
    assert.equal((await owner.get('/dashboard/balance?after=1')).status, 200)
  })

  it('of a new merchant are none yet, and there is nothing more to show', async () => {
    const merchant = await gateway.newMerchant(0)
    const person = await signedInAs({ ...gateway, ...merchant }, 'owner')
    const { visible } = await person.get('/dashboard/balance')
    assert.match(visible, /No movements yet/)
    assert.doesNotMatch(visible, /Show all|Filter \(/)
  })

  for (const query of ['from=x', 'from=2026-02-30', 'from=2026-02-02&to=2026-02-01'])
    it(`with ?${query} say what is wrong beside the field`, async () => {
      const { status, visible } = await owner.get(`/dashboard/balance?${query}`)
      assert.equal(status, 200)
      assert.match(visible, /such as 2026-11-16|before the first/)
    })
})

describe('a statement', () => {
  it('ties: opening, what moved and fees make closing', async () => {
    const text = plain((await owner.get(`/dashboard/statements?${range}`)).visible)
    assert.match(text, /Opening balance 0 F CFA Closing balance 5 011 610 F CFA/)
    assert.match(text, /Collections 3 16 500 F CFA −330 F CFA/)
    assert.match(text, /Payouts 1 −3 000 F CFA −60 F CFA/)
    assert.match(text, /Total 6 5 012 000 F CFA −390 F CFA/)
  })

  const limits = {
    bytesMax: 1e6,
    unpackedBytesMax: 1e7,
    rowsMax: 1000,
    columnsMax: 20,
    cellLengthMax: 1000,
  }
  const rowsOf = async (person: SignedIn, form: string) => {
    const answer = await fetch(`${url}/dashboard/statements/file?${range}&form=${form}`, {
      headers: { cookie: person.cookie },
    })
    assert.equal(answer.status, 200)
    assert.match(
      answer.headers.get('content-disposition') ?? '',
      /^attachment; filename="[\w.-]+"$/,
    )
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (form === 'pdf') return { bytes, rows: [] as string[][] }
    const rows: string[][] = []
    for await (const { cells } of readTable(Readable.from([bytes]), limits)) rows.push(cells)
    return { bytes, rows }
  }

  it('has the same figures in CSV and XLSX, and they tie', async () => {
    const tables = await Promise.all(['csv', 'xlsx'].map((form) => rowsOf(owner, form)))
    const [csv = [], xlsx = []] = tables.map(({ rows }) =>
      rows.map((cells) => cells.slice(1).join('|')),
    )
    // A workbook has their sums too.
    const [sums = ''] = xlsx.splice(-2, 1)
    assert.match(sums, new RegExp(`^All movements\\|.*\\|${closing}$`))
    assert.deepEqual(csv.slice(1), xlsx.slice(1))
    const rows = tables[0]?.rows.slice(1) ?? []
    const amounts = rows.map((cells) => Number(cells[8] ?? 0))
    const sum = amounts.reduce((total, amount) => total + amount, 0)
    assert.equal(Number(rows.at(-1)?.[9]), closing)
    assert.equal(Number(rows.at(0)?.[9]) + sum, closing)
    // Read by a spreadsheet program, it is no formula.
    assert.ok(tables[0]?.bytes.includes(";'=cmd();"))
  })

  it('is a PDF file with its closing balance', async () => {
    const { bytes } = await rowsOf(owner, 'pdf')
    assert.match(bytes.subarray(0, 8).toString('latin1'), /^%PDF-1/)
    assert.match(bytes.subarray(-8).toString('latin1'), /%%EOF/)
  })

  for (const query of [`${range}&form=exe`, 'form=csv', `from=x&to=${today}&form=csv`])
    it(`as a file with ?${query} is a 404`, async () =>
      assert.equal((await owner.get(`/dashboard/statements/file?${query}`)).status, 404))

  for (const role of ['developer', 'support'] as const)
    it(`is refused to ${role}, on screen and as a file`, async () => {
      const person = await signedInAs(gateway, role)
      for (const path of ['/dashboard/balance', '/dashboard/statements'])
        assert.equal((await person.get(path)).status, 403)
      const file = await person.get(`/dashboard/statements/file?${range}&form=csv`)
      assert.equal(file.status, 403)
    })
})

it('what merchants and payers write is shown as text', async () => {
  const payload = xssPayloads[0] ?? '<script>'
  await call(
    gateway,
    'POST /api/v1/transaction/init',
    initBody({ externalTransactionId: payload.slice(0, 60), serviceCode: 'WALLETA_SN_CASHIN' }),
  )
  for (const path of ['/dashboard', '/dashboard/balance', '/dashboard/statements'])
    assert.ok(!(await owner.get(path)).text.includes(payload))
})

test('the screens are accessible on a phone, and work without scripts', async () => {
  const browser = await testBrowser()
  const email = await addPerson(gateway, { clientId, role: 'owner', language: 'fr' })
  await using scripted = await openPage(browser)
  await signInWith(scripted.page, url, email)
  const screens = ['', '/balance', '/statements', '/clients', '/nothing']
  await assertScreens(
    scripted.page,
    screens.map((path) => `/dashboard${path}`),
  )
  assert.deepEqual(scripted.complaints, [])
  await using plainPage = await openPage(browser, { javaScriptEnabled: false })
  const { page } = plainPage
  await signInWith(page, url, email)
  await page.locator('nav .bottom summary').click()
  await page.locator('nav .bottom details a[href="/dashboard/balance"]').click()
  await page.waitForURL(/balance/)
  assert.match(await page.innerText('main'), /Mouvements/)
  assert.ok((await page.innerText('main')).includes(formatAmount(closing).slice(0, 1)))
})

test('and the money holds', () => assertMoney(gateway))
