import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { summariseAll } from '#backoffice/reports/summarise.ts'
import { systemClock as clock } from '#base/kit/clock.ts'
import { readAudit } from '#data/db/audit-log.ts'
import { readKeys } from '#merchants/clients/key-store.ts'
import { issueKey } from '#merchants/clients/keys.ts'
import { assertScreens, openPage, testBrowser } from '#test/browser.ts'
import { newClient } from '#test/clients.ts'
import { addPerson, signedInOperator, signInWith, tokenIn } from '#test/dashboard.ts'
import { getLink, linkBody } from '#test/links.ts'
import { call, collected, initBody, isEnd, liveGateway, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { usualTest as it, slowTest } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import { xssPayloads } from '#test/xss-payloads.ts'

const gateway = await liveGateway()
const { url, db, clientId } = gateway
const operator = await signedInOperator(gateway)
const auditor = await signedInOperator(gateway, 'auditor')
const list = '/dashboard/ops/clients'
const own = `${list}/${clientId}`
const init = 'POST /api/v1/transaction/init'

const secretIn = (text: string) => /<code id="secret">([^<]+)</.exec(text)?.[1] ?? ''

let shops = 0

/** A client without services or keys; returns the address of its page. */
async function emptyClient(): Promise<{ id: number; page: string }> {
  const id = await newClient(db, clock)
  shops += 1
  return { id, page: `${list}/${id}` }
}

/** Issues a key in the browser; returns its secret and its page. */
async function issue(page: string): Promise<{ secret: string; at: string }> {
  const { status, location, visible } = await operator.post(`${page}/keys/new`, {
    label: 'till',
    'right-collect': 'yes',
    'right-balance': 'yes',
  })
  assert.equal(status, 303, visible)
  const at = location ?? ''
  return { secret: secretIn((await operator.get(at)).text), at }
}

describe('creating a client', () => {
  const fields = { name: 'New shop', email: '', language: 'fr', callbackUrl: '', tier: 'standard' }

  it('tells what is wrong with each field, and keeps what was typed', async () => {
    const typed = { name: ' ', email: 'no mail', language: 'fr', callbackUrl: 'nonsense' }
    const answer = await operator.post(`${list}/new`, { ...typed, tier: 'enterprise' })
    assert.equal(answer.status, 422)
    for (const field of ['name', 'email', 'callbackUrl', 'ratePerMinute'])
      assert.match(answer.text, new RegExp(`id="${field}-problem"`), field)
    assert.match(answer.text, /value="no mail"/)
    assert.match(answer.text, /value="nonsense"/)
    const rate = await operator.post(`${list}/new`, { ...fields, ratePerMinute: '7' })
    assert.match(rate.visible, /Only the enterprise tier has a limit of its own/)
  })

  it('happens once for a form sent twice; the webhook secret is shown once', async () => {
    const token = tokenIn((await operator.get(`${list}/new`)).text)
    const [first, second] = [
      await operator.post(`${list}/new`, fields, { token }),
      await operator.post(`${list}/new`, fields, { token }),
    ]
    assert.equal(first.status, 303, first.visible)
    assert.equal(second.location, first.location)
    const page = first.location ?? ''
    assert.match(secretIn((await operator.get(page)).text), /^whsec_/)
    assert.equal(secretIn((await operator.get(page)).text), '')
    assert.equal((await db`select from clients where name = ${fields.name}`).length, 1)
    const created = Number(page.split('/').at(-1))
    const log = await readAudit(db, { clientId: created, before: null, limit: 5 })
    assert.deepEqual(
      log.map(({ action, actor }) => [action, actor]),
      [['client.create', operator.email]],
    )
    const taken = await operator.post(`${list}/new`, fields)
    assert.equal(taken.status, 422)
    assert.match(taken.visible, /already a client named New shop/)
  })
})

describe('the list of clients', () => {
  const names = (text: string) =>
    [...text.matchAll(/ops\/clients\/(\d+)"><bdi>/g)].map(([, id]) => Number(id))

  it('is searched by name and number, filtered by state and read page by page', async () => {
    const ids: number[] = []
    for (let count = 0; count < 52; count += 1) ids.push(await newClient(db, clock))
    const payload = xssPayloads[0] ?? ''
    await db`update clients set name = ${payload}, merchant_status = 'suspended'
      where id = ${ids[0]}`
    const first = await operator.get(list)
    assert.ok(!first.text.includes('<script>__xss'))
    assert.equal(names(first.text).length, 50)
    const [, after = ''] = /after=(\d+)/.exec(first.text) ?? []
    assert.deepEqual(names((await operator.get(`${list}?after=${after}`)).text).slice(0, 2), [
      ids[1],
      ids[0],
    ])
    await db`update clients set name = 'Boutique Étoile' where id = ${ids[3]}`
    assert.deepEqual(names((await operator.get(`${list}?q=ÉTOI`)).text), [ids[3]])
    assert.ok(names((await operator.get(`${list}?q=${ids[3]}`)).text).includes(ids[3] ?? 0))
    assert.deepEqual(names((await operator.get(`${list}?state=suspended`)).text), [ids[0]])
    const none = await operator.get(`${list}?q=%25nobody`)
    assert.match(none.visible, /No matching merchants/)
  })

  it('shows money and the traffic of a day; the page of a client its errors too', async () => {
    const paid = await collected(gateway)
    const { body } = await call(gateway, `POST /api/v1/transaction/refund/${paid}`, {
      amount: 1000,
    })
    assert.equal(await until(gateway, body.refund.refundId, isEnd), 'SUCCESS')
    const payout = initBody({ serviceCode: 'WALLETA_SN_CASHIN', amount: 2000 })
    assert.equal((await call(gateway, init, payout)).status, 201)
    assert.equal(await until(gateway, payout.externalTransactionId, isEnd), 'SUCCESS')
    const refused = await call(gateway, init, initBody({ amount: -1 }))
    assert.equal(refused.status, 400)
    const email = await addPerson(gateway, { clientId, role: 'owner' })
    await summariseAll(db)
    const rows = (await operator.get(`${list}?q=${clientId}`)).text.split('<tr')
    const row = rows.find((one) => one.includes(`href="${own}"`)) ?? ''
    assert.match(row.replaceAll(/\s/g, ' '), /5 001 860 F CFA.*>3<.*100\.0%/)
    await eventually('the refused request is kept', async () =>
      (await operator.get(own)).text.includes('INVALID_AMOUNT'),
    )
    const { visible, text } = await auditor.get(own)
    const plain = visible.replaceAll(/\s/g, ' ')
    assert.match(plain, /Collected in 24 hours 4 000 F CFA Paid out: 2 000 F CFA 3 ended/)
    assert.match(plain, /Wallet A · SN · Collection 1 100\.0% 5 000 F CFA/)
    assert.match(plain, /Wallet A · SN · Refund 1 100\.0% −1 000 F CFA/)
    assert.match(plain, /Wallet A · SN · Payout 1 100\.0% −2 000 F CFA/)
    assert.match(visible, new RegExp(email))
    assert.match(visible, /Webhooks waiting 3/)
    assert.match(text, new RegExp(`/dashboard/ops/transactions\\?client=${clientId}"`))
    assert.doesNotMatch(text, /approvals\/new|\/status"/)
    const finance = await signedInOperator(gateway, 'finance-operator')
    const fund = `/dashboard/ops/approvals/new?client=${clientId}&amp;kind=fund"`
    assert.ok((await finance.get(own)).text.includes(fund))
    for (const wrong of [`${list}/999999`, `${list}/none`, `${list}/999999/services`])
      assert.equal((await operator.get(wrong)).status, 404, wrong)
    await assertMoney(gateway)
  })
})

describe('services of a client', () => {
  const code = 'WALLETA_SN_CASHOUT'

  it('open once they have a fee, or are meant to be free, and close', async () => {
    const { page } = await emptyClient()
    const at = `${page}/services/${code}`
    const { secret } = await issue(page)
    const tried = async (amount = 5000) => {
      const { status, body } = await call({ url, secret }, init, initBody({ amount }))
      return status === 201 ? 'taken' : body.code
    }
    const unpriced = await operator.post(at, { what: 'open' })
    assert.equal(unpriced.status, 422)
    assert.match(unpriced.visible, /The fee is 0: enter one, or tick/)
    assert.equal(await tried(), 'SERVICE_NOT_ENABLED')
    const free = await operator.post(at, { what: 'fee', fixed: '0', basisPoints: '0' })
    assert.equal(free.status, 422)
    const wrong = { what: 'fee', fixed: '1,5', basisPoints: '10001', min: '9', max: '8' }
    const refused = await operator.post(at, wrong)
    for (const field of ['fixed', 'basisPoints'])
      assert.match(refused.text, new RegExp(`id="${field}-problem"`), field)
    assert.match(refused.text, /value="1,5"/)
    const crossed = await operator.post(at, { what: 'fee', fixed: '1', min: '9', max: '8' })
    assert.match(crossed.text, /id="max-problem"/)
    const priced = await operator.post(at, { what: 'fee', fixed: '50', basisPoints: '150' })
    assert.equal(priced.location, at)
    assert.match((await operator.get(at)).visible, /1\.5% \+ 50 F CFA/)
    assert.equal((await operator.post(at, { what: 'open' })).status, 303)
    await eventually('it is open', async () => (await tried()) === 'taken')
    await operator.post(at, { what: 'amounts', amountMin: '6000' })
    await eventually('small amounts are refused', async () => (await tried()) === 'INVALID_AMOUNT')
    assert.equal((await operator.post(at, { what: 'close' })).status, 303)
    await eventually('it is closed', async () => (await tried(7000)) === 'SERVICE_NOT_ENABLED')
    assert.equal((await operator.post(at, { what: 'else' })).status, 422)
    assert.equal((await operator.get(`${page}/services/NOTHING_SN_CASHIN`)).status, 404)
    await assertMoney(gateway)
  })

  it('change together, each keeping what is not changed', async () => {
    const { id, page } = await emptyClient()
    const all = `${page}/services/all`
    assert.match((await operator.get(all)).visible, /Airtime always costs 1%/)
    assert.equal((await operator.post(all, { what: 'open' })).status, 422)
    assert.equal((await operator.post(all, { what: 'open', free: 'yes' })).status, 303)
    await operator.post(`${page}/services/${code}`, { what: 'fee', basisPoints: '200' })
    await operator.post(all, { what: 'amounts', amountMax: '700000' })
    const rows = await db<{ is_enabled: boolean; amount_max: number; points: number }>`
      select is_enabled, amount_max, fee_basis_points as points from client_services
      where client_id = ${id}`
    assert.ok(rows.length > 20)
    assert.ok(rows.every((one) => one.is_enabled && one.amount_max === 700_000))
    assert.deepEqual(rows.map(({ points }) => points).filter(Boolean), [200])
    const { visible, text } = await auditor.get(`${page}/services`)
    assert.match(visible, /Wallet A · SN · Collection Open 2% 200 F CFA – 700 000 F CFA/)
    assert.doesNotMatch(text, /services\/WALLET/)
    assert.equal((await auditor.get(all)).status, 403)
  })
})

describe('keys of a client', () => {
  it('are issued, given a new secret and revoked; each secret is shown once', async () => {
    const { id, page } = await emptyClient()
    const { secret, at } = await issue(page)
    const balanceOf = async (key: string) =>
      (await call({ url, secret: key }, 'GET /api/v1/api-services/balance')).status
    assert.equal(await balanceOf(secret), 200)
    assert.equal(secretIn((await operator.get(at)).text), '')
    await operator.post(`${at}/rotate`, { overlap: 'none' }, { from: at })
    const next = secretIn((await operator.get(at)).text)
    assert.equal(await balanceOf(next), 200)
    await eventually('the old one ends', async () => (await balanceOf(secret)) === 401)
    const token = tokenIn((await operator.get(at)).text)
    const revoke = async () => (await operator.post(`${at}/revoke`, {}, { token })).location
    assert.deepEqual([await revoke(), await revoke()], [at, at])
    await eventually('it is revoked', async () => (await balanceOf(next)) === 401)
    const log = await readAudit(db, { clientId: id, before: null, limit: 5 })
    const told = log.map(({ action, actor }) => `${action} ${actor}`)
    for (const action of ['key.issue', 'key.rotate', 'key.revoke'])
      assert.equal(told.filter((one) => one === `${action} ${operator.email}`).length, 1, action)
    const wrong = { label: '', addresses: 'here', rate: '0' }
    const refused = await operator.post(`${page}/keys/new`, wrong)
    for (const field of ['label', 'addresses', 'rate'])
      assert.match(refused.text, new RegExp(`id="${field}-problem"`), field)
  })

  it('that pay or refund are neither issued nor given a new secret by an operator', async () => {
    const { id, page } = await emptyClient()
    for (const right of ['pay', 'refund'] as const) {
      const typed = { label: right, [`right-${right}`]: 'yes' }
      const answer = await operator.post(`${page}/keys/new`, typed)
      assert.equal(answer.status, 422)
      assert.match(answer.visible, /Your role lacks these rights/)
      const order = {
        clientId: id,
        label: 'till',
        rights: ['balance', right],
        actor: 'test',
      } as const
      const { id: keyId, secret } = await db.transaction((tx) =>
        issueKey(tx, { clock, mode: 'sandbox' }, order),
      )
      const at = `${page}/keys/${keyId}`
      const refused = await operator.post(`${at}/rotate`, { overlap: 'none' }, { from: at })
      assert.match(refused.visible, /that your role lacks: (pay|refund)/)
      const balance = await call({ url, secret }, 'GET /api/v1/api-services/balance')
      assert.equal(balance.status, 200)
      await operator.post(`${at}/revoke`, {}, { from: at })
    }
    const keys = await readKeys(db, id)
    assert.deepEqual(
      keys.map(({ label, revokedAt }) => [label, revokedAt !== null]),
      [
        ['till', true],
        ['till', true],
      ],
    )
  })

  it('of another client, and the key of the dashboard, cannot be touched', async () => {
    const { page } = await emptyClient()
    const [key] = await readKeys(db, clientId)
    const foreign = `${page}/keys/${key?.id}`
    assert.equal((await operator.get(foreign)).status, 404)
    for (const verb of ['rotate', 'revoke'])
      assert.equal((await operator.post(`${foreign}/${verb}`, {}, { from: own })).status, 404)
    assert.equal((await auditor.get(`${own}/keys/${key?.id}`)).status, 200)
    assert.doesNotMatch((await auditor.get(`${own}/keys/${key?.id}`)).text, /rotate|revoke/)
  })
})

describe('settings and state of a client', () => {
  it('are changed by the operator, and shown to others', async () => {
    const { page } = await emptyClient()
    const at = `${page}/settings`
    const fields = {
      name: `Shop ${shops}`,
      email: 'shop@example.sn',
      language: 'en',
      callbackUrl: 'https://shop.example/hook',
      tier: 'enterprise',
      ratePerMinute: '500',
      timeZone: 'Africa/Dakar',
      lifetime: '900',
    }
    assert.equal((await operator.post(at, fields)).location, at)
    const shown = await auditor.get(at)
    for (const text of [fields.name, fields.email, fields.callbackUrl, '500', '900'])
      assert.ok(shown.visible.includes(text), text)
    assert.doesNotMatch(shown.text, /<form class="card"/)
    const wrong = { ...fields, name: '', lifetime: '5', timeZone: 'Mars' }
    const refused = await operator.post(at, wrong)
    assert.equal(refused.status, 422)
    for (const field of ['name', 'lifetime', 'timeZone'])
      assert.match(refused.text, new RegExp(`id="${field}-problem"`), field)
  })

  it('a suspended client creates no links until it is active again', async () => {
    const merchant = await gateway.newMerchant()
    const page = `${list}/${merchant.clientId}`
    const at = `${page}/status`
    assert.match((await operator.get(at)).visible, /It cannot start anything new/)
    assert.equal((await operator.post(at, { status: 'suspended' })).location, page)
    assert.match((await operator.get(page)).visible, /New state: Suspended/)
    const caller = { url, ...merchant }
    const made = async () => (await call(caller, getLink, linkBody())).status
    await eventually('links are refused', async () => (await made()) === 403)
    await operator.post(at, { status: 'active' })
    await eventually('links are made', async () => (await made()) === 201)
    assert.equal((await operator.post(at, { status: 'gone' })).status, 404)
    assert.equal((await auditor.get(at)).status, 403)
  })
})

describe('in a browser', async () => {
  const browser = await testBrowser()

  slowTest('an operator sets a client up, on a phone and without scripts', async () => {
    await using opened = await openPage(browser, { javaScriptEnabled: false })
    const { page } = opened
    await signInWith(page, url, operator.email)
    await page.goto(`${url}${list}`)
    await page.click('text=Create a merchant')
    await page.fill('#name', 'Phone shop')
    await page.click('main button')
    assert.match(await page.innerText('#secret'), /^whsec_/)
    await page.click('.tabs >> text=Services')
    await page.click('text=Change all services')
    await page.fill('#basisPoints', '100')
    await page.click('text=Save the fee')
    await page.click('text=Open all services')
    assert.match(await page.innerText('main'), /Saved/)
    await page.goBack()
    await page.click('main p >> a')
    await page.click('.tabs >> text=Keys')
    await page.click('text=Create a key')
    await page.fill('#label', 'till')
    await page.click('main button')
    assert.match(await page.innerText('#secret'), /^sk_sandbox_/)
  })

  slowTest('the screens have no faults of accessibility', async () => {
    await using opened = await openPage(browser)
    const { page } = opened
    await signInWith(page, url, operator.email)
    const [key] = await readKeys(db, clientId)
    await assertScreens(page, [
      list,
      `${list}/new`,
      own,
      `${own}/status`,
      `${own}/settings`,
      `${own}/services`,
      `${own}/services/WALLETA_SN_CASHOUT`,
      `${own}/services/all`,
      `${own}/keys`,
      `${own}/keys/new`,
      `${own}/keys/${key?.id}`,
      '/dashboard/ops/providers',
      '/dashboard/ops/providers/WALLETA_SN',
      '/dashboard/ops/providers/WALLETA_SN/pause',
    ])
  })
})
