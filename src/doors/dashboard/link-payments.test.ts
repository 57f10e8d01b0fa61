import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock } from '#base/kit/clock.ts'
import { dayOf } from '#base/kit/zoned-days.ts'
import { openPage, testBrowser } from '#test/browser.ts'
import { cookiesOf, signedInAs, signedInOperator } from '#test/dashboard.ts'
import { newLink, untilSeen } from '#test/links.ts'
import { call, isEnd, liveGateway, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { pagesOf } from '#test/pdf.ts'

const gateway = await liveGateway({ pace: 20 })
const { url, links } = gateway
const owner = await signedInAs(gateway, 'owner')
const today = dayOf(systemClock.now(), 'Africa/Dakar')
const order = { serviceCode: 'WALLETA_SN_CASHOUT', phone: '771234567' }

const link = await newLink(gateway, {
  ItemName: 'Robe wax',
  ItemPrice: 15_000,
  ClientName: 'Fatou Diop',
  externalTransactionId: 'FACT-12',
})
await links.checkout.pay(link, order)
await untilSeen(gateway, link, 'paid')
const [payment] = await gateway.transactions.search(gateway.clientId, 'FACT-12')
const paid = payment?.id ?? assert.fail('nothing was paid')
const { body } = await call(gateway, `POST /api/v1/transaction/refund/${link}`, { amount: 5000 })
const refund = String(body.refund.refundId)
await until(gateway, refund, isEnd)

const told = /Robe wax.*Fatou Diop.*FACT-12/s

/** A file as rows of cells, without quotes. */
async function fileAt(path: string): Promise<{ name: string; rows: string[][] }> {
  const answer = await fetch(url + path, { headers: { cookie: owner.cookie } })
  assert.equal(answer.status, 200)
  const [, name = ''] =
    /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '') ?? []
  const text = (await answer.text()).replace('\ufeff', '').replaceAll('\u00a0', ' ')
  const lines = text.trim().split('\r\n')
  return {
    name,
    rows: lines.map((line) => line.split(';').map((cell) => cell.replaceAll('"', ''))),
  }
}

describe('a payment by link is told with its item, customer and reference', () => {
  for (const path of ['/dashboard', '/dashboard/transactions?hide=none'])
    it(`on ${path}`, async () => {
      const { text } = await owner.get(path)
      const row = (id: string) => new RegExp(`id="t-${id}".*?</tr>`, 's').exec(text)?.[0] ?? ''
      assert.match(row(paid), path === '/dashboard' ? /Robe wax.*Fatou Diop/s : told)
      assert.match(row(refund), /Robe wax.*Fatou Diop/s)
    })

  for (const q of ['robe WAX', 'diop', '15000', '15 000 F', 'FACT-12'])
    it(`and found by ${q}`, async () => {
      const { text } = await owner.get(`/dashboard/transactions?q=${encodeURIComponent(q)}`)
      assert.match(text, new RegExp(`id="t-${paid}"`))
    })

  it('not by another amount, and not by another merchant', async () => {
    const none = /id="t-/
    assert.doesNotMatch((await owner.get('/dashboard/transactions?q=15001')).text, none)
    const other = { ...gateway, ...(await gateway.newMerchant()) }
    const person = await signedInAs(other, 'owner')
    for (const q of ['wax', '15000'])
      assert.doesNotMatch((await person.get(`/dashboard/transactions?q=${q}`)).text, none)
  })

  it('on its page, on its receipt, and to operators', async () => {
    const operator = await signedInOperator(gateway, 'operator')
    const of = (person: typeof owner, path: string) => person.get(path)
    assert.match((await of(owner, `/dashboard/transactions/${paid}`)).visible, told)
    assert.match((await of(owner, `/dashboard/transactions/${refund}`)).visible, /Robe wax/)
    const receipt = await of(owner, `/dashboard/transactions/${paid}/receipt`)
    assert.match(receipt.visible, /Robe wax.*FACT-12/)
    assert.match(receipt.text, /\/receipt\.pdf"/)
    const headers = { cookie: owner.cookie }
    const file = await fetch(`${url}/dashboard/transactions/${paid}/receipt.pdf`, { headers })
    const [page = []] = pagesOf(Buffer.from(await file.arrayBuffer()))
    for (const text of ['Robe wax', 'Fatou Diop', 'FACT-12', '15\u202f000\u00a0F CFA'])
      assert.ok(page.includes(text), `${text} in ${page.join(' | ')}`)
    assert.match((await of(operator, `/dashboard/ops/transactions/${paid}`)).visible, told)
    assert.match((await of(operator, '/dashboard/ops/transactions')).visible, told)
  })

  it('among the movements and in every file, fees below zero', async () => {
    const { visible } = await owner.get('/dashboard/balance')
    assert.match(visible, /Robe wax · Fatou Diop/)
    const all = await fileAt('/dashboard/transactions/export.csv')
    const one = all.rows.find((cells) => cells.includes(paid)) ?? []
    for (const cell of ['Robe wax', 'Fatou Diop', 'FACT-12', '77 123 45 67', '-300', '14700'])
      assert.ok(one.includes(cell), `${cell} in ${one.join(' | ')}`)
  })
})

describe('a statement', () => {
  const ofLink = 'Wallet A · SN|Robe wax|Fatou Diop|77 123 45 67|FACT-12'
  const range = `from=${today}&to=${today}`

  it('is named by its period, begins with the opening and goes on from the oldest', async () => {
    const { name, rows } = await fileAt(`/dashboard/statements/file?${range}&form=csv`)
    assert.equal(name, `statement-${today}-${today}.csv`)
    assert.deepEqual(rows[0], [
      'Date',
      'Description',
      'Item',
      'Customer',
      'Number',
      'Reference',
      'Gross',
      'Fee',
      'Net',
      'Balance',
    ])
    assert.deepEqual(
      rows.slice(1).map((cells) => cells.slice(1).join('|')),
      [
        'Opening balance||||||||0',
        'Funding||||funds|5000000|0|5000000|5000000',
        `Collection · ${ofLink}|15000|-300|14700|5014700`,
        `Refund · ${ofLink}|-5000|0|-5000|5009700`,
        'Closing balance||||||||5009700',
      ],
    )
    const list = await fileAt(`/dashboard/transactions/export.csv?${range}`)
    assert.equal(list.name, `transactions-${today}-${today}.csv`)
  })

  it('says its period as days', async () => {
    const french = await signedInAs(gateway, 'owner', 'fr')
    const asked = '/dashboard/statements?from=2026-10-01&to=2026-10-31'
    assert.match((await french.get(asked)).visible, /du 1er octobre 2026 au 31 octobre 2026/)
    const days = '/dashboard/transactions?from=2026-10-01'
    assert.match((await french.get(days)).visible, /Du : 1er octobre 2026/)
  })
})

it('the open page of a link turns paid by itself', async () => {
  const person = await signedInAs(gateway, 'owner', 'fr')
  await using opened = await openPage(await testBrowser())
  const { page, context, complaints } = opened
  await context.addCookies(cookiesOf(person, url))
  await page.goto(`${url}/dashboard/links/new`)
  await page.fill('[name=item]', 'Panier')
  await page.fill('[name=amount]', '7 500 F')
  await page.click('main form.card button')
  await page.waitForURL(/links\/[0-9a-f-]{36}/)
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  await page.waitForSelector('.label:has-text("En attente")')
  await links.checkout.pay(id, order)
  await untilSeen(gateway, id, 'paid')
  await page.waitForSelector('.large .label:has-text("Réussi")')
  assert.deepEqual(complaints, [])
})

it('leaves the money sound', () => assertMoney(gateway))
