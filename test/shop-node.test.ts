import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { readConfig } from '#base/config/config.ts'
import { systemClock as clock } from '#base/kit/clock.ts'
import { addWebhookSecret } from '#merchants/clients/webhook-secrets.ts'
import { openShop } from '../examples/shop-node/shop.ts'
import { accessibilityViolations, openPage, testBrowser } from './browser.ts'
import { liveGateway } from './live.ts'
import { assertMoney } from './money.ts'
import { eventually } from './wait.ts'

// examples/shop-node, driven by a customer with a phone.

const gateway = await liveGateway({ pace: 20 })
const { db, clientId } = gateway
const { secretKey } = readConfig({ MODE: 'sandbox' })
const secret = await db.transaction((tx) =>
  addWebhookSecret(tx, { secretKey, clock }, { clientId, overlapMs: 0 }),
)
let shopUrl = ''
const shop = openShop({
  passerelleUrl: gateway.url,
  apiKey: gateway.secret,
  webhookSecrets: [secret],
  shopUrl: () => shopUrl,
})
shop.listen(0, '127.0.0.1')
await once(shop, 'listening')
shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`
after(() => {
  shop.closeAllConnections()
  shop.close()
})
const browser = await testBrowser()

describe('the shop in one file', () => {
  it('sells: cart, payment, webhook, receipt, without a script of anybody', async () => {
    await using opened = await openPage(browser, { locale: 'fr-SN' })
    const { page, complaints } = opened
    await page.goto(shopUrl)
    await page.getByRole('button', { name: 'Commander' }).click()
    assert.match(await page.innerText('[role=alert]'), /panier est vide/)
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.fill('#mangues', '2')
    await page.fill('#miel', '1')
    await page.fill('#customer', `Awa <img src=x onerror="__xss=1">'`)
    await page.getByRole('button', { name: 'Commander' }).click()
    await page.waitForSelector('table')
    await page.waitForLoadState('domcontentloaded')
    const order = page.url()
    assert.match(await page.innerText('table'), /7\s500\sF\sCFA/)
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.getByRole('link', { name: /^Payer/ }).click()
    await page.fill('#phone', '77 123 45 67')
    await page.getByRole('button', { name: 'Continuer' }).click()
    await page.locator('.wallets label', { hasText: 'Wallet A' }).click()
    await page.getByRole('button', { name: /^Payer/ }).click()
    await eventually('the payment', async () => {
      const [row] = await db<{ paid: number }>`
        select count(*) as paid from links where status = 'SUCCESS'`
      return row?.paid === 1
    })
    await page.goto(order)
    assert.equal(await page.innerText('h1'), 'Reçu')
    assert.match(await page.innerText('main'), /Merci, Awa <img src=x onerror="__xss=1">' !/)
    assert.deepEqual(await accessibilityViolations(page), [])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    assert.equal(await page.evaluate('window.__xss'), undefined)
    assert.deepEqual(complaints, [])
    // The webhook was believed, too: the gateway has its 204.
    await eventually('the delivery', async () => {
      const rows = await db`select 1 from deliveries where state = 'delivered'`
      return rows.length === 1
    })
  })

  it('believes no forged webhook', async () => {
    const body = JSON.stringify({ externalTransactionId: 'x', STATUS: 'SUCCESS', AMOUNT: 1500 })
    const time = String(Math.floor(clock.now().getTime() / 1000))
    const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': time }
    const forged = { ...headers, 'webhook-signature': 'v1,AAAA' }
    for (const own of [forged, headers])
      assert.equal(
        (await fetch(`${shopUrl}/webhooks`, { method: 'POST', headers: own, body })).status,
        400,
      )
  })

  it('moved the money once', () => assertMoney(gateway))
})
