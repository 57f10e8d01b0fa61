import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { after, systemClock } from '#base/kit/clock.ts'
import { assertScreens, openPage, testBrowser } from '#test/browser.ts'
import { postReviewed, signedInAs, signedInOperator, signInWith, tokenIn } from '#test/dashboard.ts'
import { call, initBody, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { usualTest as it, slowTest } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import { xssPayloads } from '#test/xss-payloads.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, url, clientId } = gateway
const operator = await signedInOperator(gateway)
const finance = await signedInOperator(gateway, 'finance-operator', 'fr')
const support = await signedInOperator(gateway, 'support-operator')
const auditor = await signedInOperator(gateway, 'auditor')
const limits = '/dashboard/ops/limits'
const blocks = `${limits}/blocks`
const float = '/dashboard/ops/float'
const payload = xssPayloads[0] ?? ''
const init = 'POST /api/v1/transaction/init'
const collect = 'WALLETA_SN_CASHOUT'

describe('limits, in the dashboard', () => {
  it('are set by who may, listed with what is used, and removed', async () => {
    const fields = { client: String(clientId), scope: collect, amountMax: '6 000', countMax: '' }
    const { status, location, visible } = await postReviewed(finance, limits, fields)
    assert.deepEqual([status, location], [303, limits], visible)
    await eventually('it is limited', async () => {
      const { body } = await call(gateway, init, initBody({ amount: 3000 }))
      return body.code === 'DAILY_LIMIT_REACHED'
    })
    const shown = await auditor.get(limits)
    assert.match(shown.visible, /Wallet A · SN · Collection 6.000 F CFA 6.000 F CFA · 2/)
    assert.ok(!shown.text.includes('<form class="card"'))
    const token = tokenIn((await operator.get(limits)).text)
    for (const person of [support, auditor])
      assert.equal((await person.post(limits, fields, { token })).status, 403)
    const merchant = await signedInAs(gateway, 'owner')
    assert.equal((await merchant.get(limits)).status, 404)
    const remove = { client: String(clientId), scope: collect }
    const gone = await operator.post(`${limits}/remove`, remove, { from: limits })
    assert.equal(gone.location, limits)
    assert.match((await operator.get(limits)).visible, /No limits/)
    // Sent again, nothing is left to remove.
    const again = await operator.post(`${limits}/remove`, remove, { from: limits })
    assert.deepEqual([again.status, /There is no limit/.test(again.visible)], [422, true])
  })

  it('come back filled in, with a sentence for each field', async () => {
    const wrong = { client: payload, scope: 'NUMBERS', amountMax: '-5', attemptsMax: '1001' }
    const { status, text, visible } = await finance.post(limits, { ...wrong, countMax: '' })
    assert.equal(status, 422)
    assert.ok(!text.includes(payload))
    assert.match(visible, /Montant par jour : un nombre entier/)
    assert.match(visible, /Tentatives en dix minutes : un nombre entier/)
    const nobody = { client: '999999', scope: 'all', amountMax: '5', countMax: '', attemptsMax: '' }
    assert.match((await finance.post(limits, nobody)).visible, /pas de marchand 999999/)
    const none = { ...nobody, client: String(clientId), amountMax: '' }
    const sent = await postReviewed(finance, limits, none)
    assert.match(sent.visible, /Il faut un montant, un nombre/)
  })
})

describe('blocked numbers, in the dashboard', () => {
  it('are blocked once, shown masked to support, and freed', async () => {
    const fields = { number: '+221 77 333 00 01', country: '', reason: payload, expiresAt: '' }
    const token = tokenIn((await operator.get(blocks)).text)
    for (const _ of [1, 2])
      assert.equal((await operator.post(blocks, fields, { token })).location, blocks)
    const rows = await db`select from audit_log where action = 'block.add'`
    assert.equal(rows.length, 1)
    const { text, visible } = await operator.get(blocks)
    assert.ok(!text.includes(payload))
    assert.match(visible, /SN 77.333.00.01 is blocked/)
    const masked = await support.get(blocks)
    assert.ok(!masked.text.includes('773330001'))
    await eventually('it is blocked', async () => {
      const { body } = await call(gateway, init, initBody({ number: '773330001' }))
      return body.code === 'NUMBER_BLOCKED'
    })
    const free = await operator.post(
      `${blocks}/remove`,
      { number: 'SN773330001' },
      { from: blocks },
    )
    assert.equal(free.location, blocks)
    assert.match((await operator.get(blocks)).visible, /No blocked numbers/)
  })

  it('come back with a sentence for each field', async () => {
    const wrong = { number: '12', country: '', reason: ' ', expiresAt: '2020-01-01' }
    const { status, visible } = await finance.post(blocks, wrong)
    assert.equal(status, 422)
    for (const sentence of [/à aucun des pays/, /Donnez un motif/, /dans le futur/])
      assert.match(visible, sentence)
    for (const expiresAt of ['x', '2030-02-30', '2030-13-01']) {
      const noDay = await operator.post(blocks, { ...wrong, expiresAt })
      assert.match(noDay.visible, /Enter a date/)
    }
    assert.equal((await support.post(blocks, wrong, { token: 'x' })).status, 403)
  })
})

describe('float, in the dashboard', () => {
  it('is listed, plotted with its table, and has thresholds', async () => {
    const now = systemClock.now()
    await gateway.transactions.context.floats.sample(now)
    for (const [hoursAgo, balance] of [
      [30, 900_000],
      [20, 400_000],
      [10, 650_000],
    ] as const)
      await db`insert into float_samples (provider, country, at, balance)
        values ('WALLETD', 'SN', ${after(now, -hoursAgo * 3_600_000)}, ${balance})`
    const one = `${float}?provider=WALLETD_SN`
    const { text, visible } = await auditor.get(one)
    assert.match(text, /<svg class="chart"[^>]*aria-label="The last seven days"/)
    assert.match(text, /<path class="line" d="M[\d.]+ [\d.]+H[\d.]+V/)
    for (const amount of [/900.000/, /400.000/, /650.000/]) assert.match(visible, amount)
    assert.ok(!text.includes('name="warnBelow"'))
    const fields = { provider: 'WALLETD_SN', warnBelow: '500 000', alarmBelow: '600 000' }
    const wrong = await operator.post(float, { ...fields, balance: '' }, { from: one })
    assert.equal(wrong.status, 422)
    assert.match(wrong.visible, /must not be above the warning/)
    const right = { ...fields, alarmBelow: '100 000', balance: '450 000' }
    assert.equal((await operator.post(float, right, { from: one })).location, one)
    assert.match((await operator.get(one)).visible, /State Low Float 450.000/)
    const token = tokenIn((await operator.get(one)).text)
    assert.equal((await finance.post(float, right, { token })).status, 403)
    const unknown = { ...right, provider: payload }
    assert.equal((await operator.post(float, unknown, { from: one })).status, 404)
  })
})

slowTest('are usable in a browser, also without JavaScript', async () => {
  const browser = await testBrowser()
  {
    await using opened = await openPage(browser, { javaScriptEnabled: false })
    const { page } = opened
    await signInWith(page, url, operator.email)
    await page.goto(`${url}${blocks}`)
    await page.fill('#number', '77 333 00 02')
    await page.selectOption('#country', 'SN')
    await page.fill('#reason', 'fraude')
    await page.click('main button.danger')
    assert.match(await page.innerText('main'), /SN 77.333.00.02/)
  }
  await using opened = await openPage(browser)
  const { page } = opened
  await signInWith(page, url, operator.email)
  await page.goto(`${url}${limits}`)
  await page.fill('#client', String(clientId))
  await page.fill('#countMax', '1000')
  await page.selectOption('#scope', 'WALLETB_SN_CASHIN')
  await page.click('main form.card button')
  // Whose limit it is was typed: what it was taken for is shown first.
  await page.waitForSelector('text=Nothing was done yet')
  await page.click('main form button')
  await page.waitForSelector('text=The limit is saved')
  await assertScreens(page, [limits, blocks, float, `${float}?provider=WALLETD_SN`])
})

test('the money holds', () => assertMoney({ db }))
