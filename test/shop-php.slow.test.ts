import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { readConfig } from '#base/config/config.ts'
import { systemClock as clock } from '#base/kit/clock.ts'
import { addWebhookSecret } from '#merchants/clients/webhook-secrets.ts'
import { accessibilityViolations, openPage, testBrowser } from './browser.ts'
import { listen } from './listen.ts'
import { liveGateway, post, script } from './live.ts'
import { assertMoney } from './money.ts'
import { missing } from './needs.ts'
import { dataFolder } from './program.ts'
import { eventually } from './wait.ts'
import { xssPayloads } from './xss-payloads.ts'

interface Sent {
  headers: Record<string, string>
  body: string
}

interface Kept {
  orders: Record<string, { state: string; receipt?: number; name: string }>
  receipts: number
}

/** The example shop behind a port that records the webhooks it is sent. */
async function openShop(gateway: { url: string; secret: string }, webhookSecret: string) {
  const folder = await dataFolder()
  const file = join(folder, 'shop.json')
  const webhooks: Sent[] = []
  const front = createServer((from, to) => {
    const { method, headers, url = '' } = from
    const body: Buffer[] = []
    from.on('data', (part: Buffer) => void body.push(part))
    from.on('end', () => {
      const raw = Buffer.concat(body)
      if (url.includes('page=webhook') && headers['user-agent'] !== 'test')
        webhooks.push({ headers: headers as Record<string, string>, body: raw.toString() })
      request(`${shopUrl}${url}`, { method, headers }, (answer) => {
        to.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(to)
      })
        .on('error', () => from.socket.destroy())
        .end(raw)
    })
  })
  const url = `${await listen(front)}/`
  after(() => {
    front.closeAllConnections()
    front.close()
  })
  const child = spawn('php', ['-S', '127.0.0.1:0', 'examples/shop-php/index.php'], {
    env: {
      ...process.env,
      PASSERELLE_URL: gateway.url,
      PASSERELLE_KEY: gateway.secret,
      PASSERELLE_WEBHOOK_SECRETS: webhookSecret,
      SHOP_URL: url,
      SHOP_FILE: file,
      // Several at once, as in a real web server.
      PHP_CLI_SERVER_WORKERS: '4',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    // Its workers are in its process group, and end with it.
    detached: true,
  })
  after(() => process.kill(-(child.pid ?? 0), 'SIGKILL'))
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const shopUrl = await eventually('the shop listens', () => /\((http:[^)]+)\)/.exec(log)?.[1])
  return {
    url,
    webhooks,
    log: () => log,
    kept: async (): Promise<Kept> => JSON.parse(await readFile(file, 'utf8')),
    /** Sends the shop a webhook; returns the status of its answer. */
    deliver: async ({ headers, body }: Sent): Promise<number> => {
      const target = `${url}?page=webhook`
      const given = { ...headers, 'user-agent': 'test', 'content-type': 'application/json' }
      const { 'content-length': _, host: __, connection: ___, ...own } = given as typeof headers
      return (await fetch(target, { method: 'POST', headers: own, body })).status
    },
  }
}

describe('the shop in PHP', { skip: missing('php') }, async () => {
  const gateway = await liveGateway({ pace: 10 })
  const { db, clientId } = gateway
  const { secretKey } = readConfig({ MODE: 'sandbox' })
  const secret = await db.transaction((tx) =>
    addWebhookSecret(tx, { secretKey, clock }, { clientId, overlapMs: 0 }),
  )
  const shop = await openShop(gateway, secret)
  const browser = await testBrowser()
  const { page, complaints } = await openPage(browser, { locale: 'fr-SN' })

  let payers = 0
  /** A phone whose owner answers when the test says so. */
  async function newPayer() {
    payers += 1
    const number = String(778_700_000 + payers)
    const later = [{ do: 'delay', ms: 600_000 }, { do: 'succeed' }, { do: 'callback' }]
    await script(gateway, number, later, true)
    return { number, approve: () => post(`${gateway.lab.url}/lab/continue`, { number }) }
  }

  async function check(page: Page): Promise<void> {
    assert.deepEqual(await accessibilityViolations(page), [])
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
    assert.deepEqual(complaints, [])
  }

  /** Fills the form in and sends it; returns the id of the order. */
  async function order(change: { name?: string; wallet?: string; number?: string } = {}) {
    await page.goto(shop.url)
    await page.fill('#mangues', '2')
    await page.fill('#cafe', '1')
    await page.fill('#name', change.name ?? 'Awa Ndiaye')
    await page.selectOption('#wallet', change.wallet ?? '')
    await page.fill('#number', change.number ?? '')
    await page.getByRole('button', { name: 'Commander' }).click()
    await page.waitForURL(/page=order/)
    return new URL(page.url()).searchParams.get('id') ?? ''
  }

  const orderPages = /page=order/
  /** Lets pages of orders stay: they load themselves anew, which would end a check half-way. */
  async function holdStill(): Promise<void> {
    await page.route(orderPages, async (route) => {
      // Not the page after a redirect: the browser asks for that one itself.
      const response = await route.fetch({ maxRedirects: 0 })
      const { refresh: _, ...headers } = response.headers()
      await route.fulfill({ response, headers })
    })
  }

  const text = async () => (await page.innerText('main')).replaceAll(/\s+/g, ' ')

  it('from the cart over the payment page to the receipt', async () => {
    await page.goto(shop.url)
    await check(page)
    await holdStill()
    const id = await order()
    assert.match(await text(), /2 × Mangues.* 3 000 F CFA.*Total 5 500 F CFA/)
    await check(page)
    await page.unroute(orderPages)
    await page.getByRole('link', { name: 'Payer' }).click()
    await page.fill('#phone', '77 123 45 67')
    await page.getByRole('button', { name: 'Continuer' }).click()
    await page.locator('.wallets label', { hasText: 'Wallet A' }).click()
    await page.getByRole('button', { name: /^Payer/ }).click()
    await page.getByRole('link', { name: 'Retour à la boutique' }).click()
    await page.locator('#receipt').waitFor()
    assert.match(await text(), /Merci Awa Ndiaye Paiement reçu\. Reçu n° 000001 /)
    await check(page)
    assert.equal((await shop.kept()).orders[id]?.state, 'paid')
  })

  it('from the cart over a prompt on the phone to the receipt', async () => {
    const { number, approve } = await newPayer()
    await holdStill()
    const id = await order({ wallet: 'WALLETA_SN_CASHOUT', number: `+221 ${number}` })
    assert.match(await text(), /Confirmez le paiement sur votre téléphone/)
    await check(page)
    await page.unroute(orderPages)
    await page.reload()
    await approve()
    await page.locator('#receipt').waitFor()
    assert.equal(await page.innerText('#receipt'), '000002')
    assert.equal((await shop.kept()).orders[id]?.receipt, 2)
  })

  it('makes one receipt of a webhook that is delivered twice', async () => {
    const before = await shop.kept()
    assert.equal(shop.webhooks.length, before.receipts)
    const again = shop.webhooks.flatMap((one) => [one, one, one])
    const answers = await Promise.all(again.map(shop.deliver))
    assert.deepEqual(new Set(answers), new Set([204]))
    assert.deepEqual(await shop.kept(), before)
  })

  it('refuses webhooks that the gateway did not sign', async () => {
    const { number, approve } = await newPayer()
    const id = await order({ wallet: 'WALLETA_SN_CASHOUT', number })
    const [real] = shop.webhooks
    assert.ok(real !== undefined)
    const body = JSON.stringify({
      ...JSON.parse(real.body),
      externalTransactionId: `shop-${id}`,
      AMOUNT: 5500,
      STATUS: 'SUCCESS',
    })
    const signedBy = (key: string, at: Date) => ({
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(key).sign('evt_1', at, body),
    })
    const now = clock.now()
    const stranger = `whsec_${Buffer.from('a stranger').toString('base64')}`
    const forged: Record<string, string>[] = [
      {},
      real.headers,
      signedBy(stranger, now),
      { ...signedBy(secret, now), 'webhook-id': 'evt_2' },
      signedBy(secret, new Date(now.getTime() - 3_600_000)),
      signedBy(secret, new Date(now.getTime() + 3_600_000)),
    ]
    for (const headers of forged) assert.equal(await shop.deliver({ headers, body }), 400)
    assert.equal((await shop.kept()).orders[id]?.state, 'open')
    // The same, signed by the gateway's secret just now, is believed: the reason was no other.
    await approve()
    await page.locator('#receipt').waitFor()
    assert.equal(await shop.deliver({ headers: signedBy(secret, now), body }), 204)
    assert.equal((await shop.kept()).receipts, 3)
  })

  it('takes a form that is sent twice as one order', async () => {
    const { number } = await newPayer()
    const id = '0123456789abcdef0123456789abcdef'
    const form = { id, name: 'Awa', mangues: '1', wallet: 'WALLETA_SN_CASHOUT', number }
    const send = () =>
      fetch(`${shop.url}?page=buy`, {
        method: 'POST',
        body: new URLSearchParams(form),
        redirect: 'manual',
      })
    const answers = await Promise.all([send(), send(), send()])
    assert.deepEqual(
      answers.map(({ status }) => status),
      [303, 303, 303],
    )
    const rows = await db`select id from transactions where phone = ${number}`
    assert.equal(rows.length, 1)
    await post(`${gateway.lab.url}/lab/continue`, { number })
    await eventually('it is paid', async () => (await shop.kept()).orders[id]?.state === 'paid')
  })

  it('says why a payment failed, and what is wrong with a form', async () => {
    await order({ wallet: 'WALLETA_SN_CASHOUT', number: '770000001' })
    await page.getByRole('link', { name: 'Recommencer' }).waitFor()
    assert.match(await text(), /Votre solde ne suffit pas/)
    await check(page)
    await page.goto(shop.url)
    await page.fill('#name', 'Awa')
    await page.selectOption('#wallet', 'WALLETA_SN_CASHOUT')
    await page.getByRole('button', { name: 'Commander' }).click()
    await page.getByRole('alert').waitFor()
    assert.match(await text(), /au moins un article\. Donnez le numéro du wallet : 9 chiffres\./)
    await check(page)
  })

  it('shows what customers type as text', async () => {
    for (const payload of xssPayloads.filter(({ length }) => length <= 80).slice(0, 12)) {
      const form = new URLSearchParams({ name: payload, number: payload, mangues: payload })
      const answer = await fetch(`${shop.url}?page=buy`, { method: 'POST', body: form })
      assert.equal(answer.status, 400)
      const html = await answer.text()
      assert.ok(!html.includes(payload), payload)
    }
    await order({ name: xssPayloads[0] ?? '', wallet: 'WALLETA_SN_CASHOUT', number: '771234567' })
    await page.locator('#receipt').waitFor()
    assert.ok((await text()).includes(`Merci ${xssPayloads[0]}`))
    assert.equal(await page.evaluate('"__xss" in window'), false)
    // Lists where texts are meant, and pages that are not there, are no errors of PHP.
    for (const path of ['?page[]=x', '?page=order&id[]=x', '?page=order', '?page=nothing'])
      assert.ok([200, 404].includes((await fetch(shop.url + path)).status), path)
    assert.doesNotMatch(shop.log(), /Warning|Fatal|Deprecated|Notice/)
  })

  it('leaves the books in order', () => assertMoney(gateway))
})
