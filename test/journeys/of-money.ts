import assert from 'node:assert/strict'
import { may, roles } from '#merchants/people/rights.ts'
import { openPage, testBrowser } from '../browser.ts'
import { cookiesOf, signedInAs } from '../dashboard.ts'
import { call, initBody } from '../live.ts'
import { eventually } from '../wait.ts'
import {
  download,
  formTo,
  type Journey,
  newPayment,
  open,
  press,
  type Stage,
  told,
  unfold,
} from './stage.ts'

async function pay(stage: Stage, kind: string, fields: Record<string, string>): Promise<void> {
  const { page } = stage
  await open(stage, `/dashboard/pay?kind=${kind}`)
  const { service, ...rest } = fields
  if (service !== undefined) await page.selectOption('#service', service)
  for (const [name, value] of Object.entries(rest)) await page.fill(`#${name}`, value)
  await press(page, 'main form button', 'main form[method=post] .facts')
  await page.click('main form[method=post] button')
  await page.waitForURL(/\/dashboard\/transactions\/[\w-]{36}$/)
}

/** What is paid, asked for and given back. */
export const ofMoney: Journey[] = [
  {
    name: 'finds a payment by its number and by filters, and reads it',
    action: 'transaction.read',
    by: 'support',
    walk: async (stage) => {
      const { page, role } = stage
      // A new one, which is on the first page of the list.
      const { id, number } = await newPayment(stage)
      const row = `main a[href="/dashboard/transactions/${id}"]`
      await open(stage, '/dashboard')
      await press(page, 'nav .side a[href="/dashboard/transactions"]', 'form.search')
      await page.fill('#q', number)
      await press(page, 'form.search button', '.chips a:has-text("Search")')
      await page.waitForSelector(row)
      await open(stage, '/dashboard/transactions')
      await page.click('details.fold:has(form.filters #status) summary')
      await page.selectOption('#status', 'SUCCESS')
      await press(page, 'form.filters:has(#status) button', '.chips a:has-text("Succeeded")')
      await press(page, row, '.head .label:has-text("Succeeded")')
      const text = await page.innerText('main')
      assert.equal(text.replaceAll(/\s/g, '').includes(number), may(role, 'number.read'))
      await press(page, 'a[href$="/receipt"]', `text=${id}`)
    },
  },
  {
    name: 'takes the list of payments home as a file',
    action: 'transaction.export',
    by: 'viewer',
    walk: async (stage) => {
      const {
        page,
        payment: { id },
      } = stage
      await open(stage, '/dashboard/transactions')
      const csv = await download(page, 'a[href^="/dashboard/transactions/export.csv"]')
      assert.ok(csv.includes(id))
      const xlsx = await download(page, 'a[href^="/dashboard/transactions/export.xlsx"]')
      assert.equal(xlsx.subarray(0, 2).toString(), 'PK')
    },
  },
  {
    name: 'gives a part of a payment back',
    action: 'transaction.refund',
    by: 'finance',
    walk: async (stage) => {
      const { page } = stage
      const { id } = await newPayment(stage)
      await open(stage, `/dashboard/transactions/${id}`)
      await press(page, `a[href$="${id}/refund"]`, '#amount')
      await page.fill('#amount', '5001')
      await press(page, 'main form button', '#amount-problem')
      await page.fill('#amount', '1200')
      await press(page, 'main form button', 'button:has-text("Refund 1 200 F CFA")')
      await press(page, formTo('/refund') + ' button', told('The refund is in progress'))
      await open(stage, `/dashboard/transactions/${id}`)
      assert.match(await page.innerText('main'), /1\s200/)
    },
  },
  {
    name: 'asks the provider how a payment stands',
    action: 'transaction.requery',
    by: 'support',
    walk: async (stage) => {
      const { page } = stage
      const { body } = await call(
        stage.gateway,
        'POST /api/v1/transaction/init',
        initBody({ number: '770000004' }),
      )
      await open(stage, `/dashboard/transactions/${body.transaction.transactionId}`)
      await press(page, 'button:has-text("Check status")', told('no result yet'))
    },
  },
  {
    name: 'makes a link, shares it by code, WhatsApp, SMS and mail',
    action: 'link.create',
    by: 'support',
    walk: async (stage) => {
      const { page, role, hasScripts } = stage
      await open(stage, '/dashboard/links')
      await press(page, 'main a[href="/dashboard/links/new"]', '#item')
      await page.fill('#item', `Bread, ${role}`)
      await page.fill('#amount', '2 500')
      await press(page, formTo('/new') + ' button', 'figure.qr svg')
      for (const way of ['https://wa.me/', 'sms:', 'mailto:'])
        assert.equal(await page.locator(`.share a[href^="${way}"]`).count(), 1, way)
      const address = (await page.getAttribute('.share a[href*="/pay/"]', 'href')) ?? ''
      assert.equal(await page.isVisible('button[data-print]'), hasScripts)
      const shown = await fetch(address)
      assert.match(await shown.text(), /Bread/)
    },
  },
  {
    name: 'ends a link',
    action: 'link.expire',
    by: 'finance',
    walk: async (stage) => {
      const { page, role } = stage
      await open(stage, '/dashboard/links/new')
      await page.fill('#item', `Late, ${role}`)
      await page.fill('#amount', '700')
      await press(page, formTo('/new') + ' button', 'figure.qr')
      await press(page, 'a[href$="/expire"]', 'h1:has-text("Deactivate this link?")')
      await press(page, formTo('/expire') + ' button', told('The link is deactivated'))
      assert.equal(await page.locator('figure.qr').count(), 0)
    },
  },
  {
    name: 'pays a person, airtime, and a bill by hand',
    action: 'payment.make',
    by: 'finance',
    walk: async (stage) => {
      const { page, role } = stage
      const to = `7712${String(40_000 + roles.indexOf(role)).padStart(5, '0')}`
      const payout = { service: 'WALLETA_SN_CASHIN', to, amount: '1500' }
      await pay(stage, 'payout', payout)
      await pay(stage, 'airtime', { service: 'OPERATOR1_SN_AIRTIME', to, amount: '1000' })
      await pay(stage, 'bill', { to: '100000001' })
      await page.waitForSelector('.head .label')
    },
  },
  {
    name: 'sends a file of payouts, which a second person approves, and watches it being paid',
    action: 'payout.propose',
    by: 'finance',
    walk: walkBatch,
  },
  {
    name: 'reads the balance and takes a statement home as CSV, Excel and PDF',
    action: 'statement.export',
    by: 'viewer',
    walk: async (stage) => {
      const { page } = stage
      const { id } = await newPayment(stage)
      await open(stage, '/dashboard')
      await press(page, 'nav .side a[href="/dashboard/balance"]', `main a[href$="${id}"]`)
      await press(page, 'nav .side a[href="/dashboard/statements"]', '.statement')
      const file = (form: string) => download(page, `.statement a[href$="form=${form}"]`)
      assert.ok((await file('csv')).subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])))
      assert.equal((await file('xlsx')).subarray(0, 2).toString(), 'PK')
      assert.equal((await file('pdf')).subarray(0, 5).toString(), '%PDF-')
    },
  },
]

async function walkBatch(stage: Stage): Promise<void> {
  const { page, role, hasScripts, gateway } = stage
  const name = `Salaries, ${role}`
  const lines = ['numero;service;montant;nom', '771234567;WALLETA_SN_CASHIN;1500;Awa']
  const send = async (text: string) => {
    await open(stage, '/dashboard/batches')
    await unfold(page, '#file')
    await page.fill('#name', name)
    const file = { name: 'salaries.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }
    await page.setInputFiles('#file', file)
    await press(page, 'main form:has(#file) button', '.head .label:has-text("Draft")')
  }
  await send([...lines, '12;NOPE;-5;Ibou'].join('\r\n'))
  assert.match(await page.innerText('main'), /1 line must be corrected/)
  assert.equal(await page.locator('button[value=propose]').count(), 0)
  await send([...lines, '771234568;WALLETA_SN_CASHIN;2500;Ibou'].join('\r\n'))
  await press(page, 'button[value=propose]', '.head .label:has-text("To be approved")')
  assert.equal(await page.locator('button[value=approve]').count(), 0, 'by the same person')
  const second = await signedInAs(gateway, role === 'owner' ? 'admin' : 'owner')
  await using other = await openPage(await testBrowser(), { javaScriptEnabled: hasScripts })
  await other.context.addCookies(cookiesOf(second, gateway.url))
  await other.page.goto(`${gateway.url}/dashboard/batches`)
  await press(other.page, `main a:has-text("${name}") >> nth=0`, 'button[value=approve]')
  await other.page.click('button[value=approve]')
  // Without scripts it is the reader who asks again.
  if (!hasScripts)
    await eventually('it is paid', async () => {
      await page.reload()
      return (await page.innerText('main')).includes('Finished')
    })
  await page.waitForSelector('.head .label:has-text("Finished")')
  assert.match(await page.innerText('main'), /2 of 2/)
  const result = await download(page, 'a[href$="result?form=csv"]')
  assert.match(result.toString(), /77.123.45.68/)
}
