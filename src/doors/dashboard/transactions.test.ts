import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addPerson, signedInAs, signIn } from '#test/dashboard.ts'
import { call, collected, initBody, isEnd, liveGateway, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { rowsOf } from '#test/tables.ts'
import { xssPayloads } from '#test/xss-payloads.ts'

const gateway = await liveGateway({ pace: 50 })
const { url, db, clientId } = gateway
const init = 'POST /api/v1/transaction/init'
const path = '/dashboard/transactions'

async function pay(change: object = {}): Promise<string> {
  const { body } = await call(gateway, init, initBody(change))
  const id = String(body.transaction.transactionId)
  await until(gateway, id, isEnd)
  return id
}

async function makeShop(name: string): Promise<string> {
  const body = { name, commercialName: 'Chez Awa', countries: ['SN'] }
  const answer = await call(gateway, 'POST /api/v1/sub-merchant', body)
  return String(answer.body.data.subMerchantId)
}

// The first one is named by payments that name none.
const usualId = await makeShop('Siège')
const shopId = await makeShop('Médina')
const paid = await collected(gateway, { externalTransactionId: 'panier-1', amount: 7500 })
const refused = await pay({ number: '770000002', externalTransactionId: '=cmd|calc', amount: 900 })
const sold = await collected(gateway, { sub_merchant_id: shopId, amount: 1200 })
const payout = await pay({ serviceCode: 'WALLETA_SN_CASHIN', number: '781112233', amount: 3000 })
const all = [payout, sold, refused, paid]
const owner = await signedInAs(gateway, 'owner')

/** The ids of the rows of a page, from the top. */
function idsIn(text: string): string[] {
  return [...text.matchAll(/<tr id="t-([^"]+)"/g)].map(([, id = '']) => id)
}

const idsAt = async (query: string) => idsIn((await owner.get(`${path}${query}`)).text)

describe('the list of transactions', () => {
  it('shows the newest first, with all that is asked for', async () => {
    const { status, visible, text } = await owner.get(path)
    assert.equal(status, 200)
    assert.deepEqual(idsIn(text), all)
    for (const expected of [
      'Collection',
      'Payout',
      'Wallet A · SN',
      '77 123 45 67',
      '7 500 F CFA',
      '−3 000 F CFA',
      '150 F CFA',
      'Succeeded',
      'Cancelled',
      'panier-1',
      'Médina',
    ])
      assert.ok(visible.replaceAll(/[\u202f\u00a0]/g, ' ').includes(expected), expected)
  })

  // query, the transactions that pass
  const table: [query: string, ids: string[]][] = [
    ['?status=SUCCESS', [payout, sold, paid]],
    ['?status=CANCELLED', [refused]],
    ['?kind=CASHIN', [payout]],
    ['?service=WALLETA_SN_CASHOUT&status=SUCCESS', [sold, paid]],
    ['?number=78+111+22+33', [payout]],
    ['?number=%2B221781112233', [payout]],
    [`?shop=${shopId}`, [sold]],
    [`?shop=${usualId}`, [payout, refused, paid]],
    ['?from=2001-01-01&to=2099-12-31', all],
    ['?to=2001-01-01', []],
    ['?from=2099-01-01', []],
    [`?q=${paid}`, [paid]],
    ['?q=panier-1', [paid]],
    ['?q=78+111+22+33', [payout]],
    ['?q=nothing+like+it', []],
    ['?q=%00', []],
  ]
  for (const [query, ids] of table)
    it(`of ${query} has ${ids.length}`, async () => assert.deepEqual(await idsAt(query), ids))

  it('finds the reference of the provider', async () => {
    const [row] = await db<{ reference: string }>`
      select reference from transactions where id = ${paid}`
    assert.deepEqual(await idsAt(`?q=${encodeURIComponent(row?.reference ?? '')}`), [paid])
  })

  it('has days of the zone of the merchant', async () => {
    const at = (zone: string) => db`update clients set time_zone = ${zone} where id = ${clientId}`
    const dayIn = (zone: string) =>
      new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format()
    // Twenty-six hours apart: one of the days differs from ours at any time.
    for (const zone of ['Pacific/Kiritimati', 'Etc/GMT+12', 'Africa/Dakar']) {
      await at(zone)
      const day = dayIn(zone)
      assert.deepEqual(await idsAt(`?from=${day}&to=${day}`), all, zone)
    }
  })

  it('shows a chip for each filter, which leads to the list without it', async () => {
    const { text } = await owner.get(`${path}?status=SUCCESS&kind=CASHIN&after=${paid}`)
    const chips = [...text.matchAll(/<li><a href="([^"]+)" aria-label="Remove[^"]*"/g)]
    assert.deepEqual(
      chips.map(([, href]) => href),
      [`${path}?kind=CASHIN`, `${path}?status=SUCCESS`],
    )
  })

  it('says what is wrong with each filter, and keeps what was typed', async () => {
    const query = '?from=2026-02-30&to=x&number=abc&status=NOPE&kind=x&service=y&shop=z'
    const { status, text, visible } = await owner.get(`${path}${query}`)
    assert.equal(status, 422)
    assert.equal(text.match(/class="wrong"/g)?.length, 7)
    assert.match(text, /value="2026-02-30"/)
    assert.match(visible, /such as 2026-11-16/)
    assert.deepEqual(idsIn(text), [])
  })

  it('goes on where a page ends, until there is no more', async () => {
    const merchant = await gateway.newMerchant()
    const person = await signedInAs({ ...gateway, ...merchant }, 'viewer')
    const { visible } = await person.get(path)
    assert.match(visible, /No transaction yet/)
    const made: string[] = []
    for (let count = 0; count < 27; count += 1) {
      const { body } = await call({ url, ...merchant }, init, initBody({ number: '770000003' }))
      made.unshift(body.transaction.transactionId)
    }
    const first = await person.get(path)
    const next = /href="([^"]*after=[^"]*)"/.exec(first.text)?.[1] ?? ''
    const second = await person.get(next)
    assert.deepEqual([...idsIn(first.text), ...idsIn(second.text)], made)
    assert.match(second.text, /Back to the newest/)
  })

  it('hides columns', async () => {
    const { text } = await owner.get(`${path}?hide=fee,shop,kind`)
    assert.match(text, /<div class="rows without-fee without-shop">/)
  })

  it('shows our ids only when it is asked to', async () => {
    const shown = async (query: string) => {
      const { text } = await owner.get(`${path}${query}`)
      const hrefs = [...text.matchAll(/<a href="([^"]*)" aria-label="(?:Hide|Show): ([^"]+)"/g)]
      return { text, ways: Object.fromEntries(hrefs.map(([, href, name]) => [name, href])) }
    }
    const usual = await shown('')
    assert.match(usual.text, /<div class="rows without-ours">/)
    assert.equal(usual.ways['Our reference'], `${path}?hide=none`)
    const all = await shown('?hide=none')
    assert.match(all.text, /<div class="rows">/)
    // Hidden again, the address is as short as before.
    assert.equal(all.ways['Our reference'], path)
  })

  it('shows texts as texts, whatever they are', async () => {
    const merchant = await gateway.newMerchant()
    const person = await signedInAs({ ...gateway, ...merchant }, 'viewer')
    const payloads = xssPayloads.filter((one) => /[<>"']/.test(one) && !/[\t\n\r\f\0]/.test(one))
    for (const payload of payloads) {
      await call({ url, ...merchant }, init, initBody({ externalTransactionId: payload }))
      const { text } = await person.get(`${path}?q=${encodeURIComponent(payload)}`)
      assert.equal(idsIn(text).length, 1, payload)
      assert.ok(!text.includes(payload), payload)
    }
  })

  it('masks numbers for support', async () => {
    const support = await signedInAs(gateway, 'support')
    const { text } = await support.get(path)
    assert.doesNotMatch(text, /771234567/)
    assert.match(text, /••••••67/)
  })

  it("has nothing of another merchant's", async () => {
    const other = await gateway.newMerchant()
    const person = await signedInAs({ ...gateway, ...other }, 'owner')
    for (const query of ['', `?q=${paid}`, '?number=771234567', `?shop=${shopId}`])
      assert.deepEqual(idsIn((await person.get(`${path}${query}`)).text), [], query)
  })
})

describe('the export', () => {
  const file = `${path}/export.csv`

  it('has the transactions of the filters, and no formulas', async () => {
    const { text, headers } = await owner.get(`${file}?status=CANCELLED&hide=fee`)
    assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="transactions-/)
    assert.match(headers.get('content-type') ?? '', /^text\/csv/)
    const [head, row, last, end] = text.split('\r\n')
    assert.match(head ?? '', /^\ufeff?Date;Operation;Provider;Number;Amount;Fee;Net;Status;/)
    assert.match(row ?? '', /;77 000 00 02;900;0;0;Cancelled;/)
    assert.match(row ?? '', new RegExp(`;${refused};'=cmd\\|calc;`))
    assert.equal(last, `Number of transactions: 1${';'.repeat(16)}`)
    assert.equal(end, '')
    const whole = await owner.get(file)
    assert.equal(whole.text.trimEnd().split('\r\n').length, 1 + all.length + 1)
    assert.match(whole.text, /;-3000;-60;-3060;Succeeded;/)
  })

  it('is the same as a workbook', async () => {
    const answer = await fetch(`${url}${path}/export.xlsx`, { headers: { cookie: owner.cookie } })
    const rows = await rowsOf(Buffer.from(await answer.arrayBuffer()))
    assert.equal(rows.length, 1 + all.length + 1)
    assert.ok(rows.some(({ cells }) => cells.includes('=cmd|calc')))
    const [found, total] = [rows.slice(1, -1), rows.at(-1)]
    for (const column of [5, 6]) {
      const sum = found.reduce((all, { cells }) => all + Number(cells[column]), 0)
      assert.equal(Number(total?.cells[column]), sum)
    }
  })

  it('begins with the mark by which spreadsheets know UTF-8', async () => {
    const answer = await fetch(`${url}${file}`, { headers: { cookie: owner.cookie } })
    const bytes = Buffer.from(await answer.arrayBuffer())
    assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf])
  })

  it('is not for support, who may not see numbers', async () => {
    const support = await signedInAs(gateway, 'support')
    assert.equal((await support.get(file)).status, 403)
    assert.doesNotMatch((await support.get(path)).text, /export\.csv/)
  })

  it('with a filter that is none is a 404', async () => {
    assert.equal((await owner.get(`${file}?from=x`)).status, 404)
  })

  it('of another merchant is without ours', async () => {
    const other = await gateway.newMerchant()
    const email = await addPerson(gateway, { clientId: other.clientId, role: 'owner' })
    const { text } = await (await signIn(url, email)).get(file)
    assert.match(text, /\r\nNumber of transactions: 0;/)
    assert.equal(text.trimEnd().split('\r\n').length, 2)
  })
})

it('reading moves no money', () => assertMoney(gateway))
