import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text as readAll } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
// In a program of your own: from '@passerelle/client'.
import {
  OutcomeUnknownError,
  Passerelle,
  verifyWebhook,
  WebhookError,
} from '../../sdk/typescript/src/index.ts'

/** A shop in one file: cart, payment on the gateway's page, webhook, receipt. See README.md. */
export interface ShopSettings {
  passerelleUrl: string
  apiKey: string
  webhookSecrets: string[]
  /** Where customers and the gateway reach this shop. */
  shopUrl: () => string
}

interface Order {
  id: string
  customer: string
  lines: { name: string; count: number; price: number }[]
  total: number
  /** Empty until the gateway has answered. */
  paymentUrl: string
  status: 'PENDING' | 'SUCCESS' | 'FAILED' | 'EXPIRED'
  paidAt: string
}

const products = [
  { id: 'mangues', name: 'Mangues du Sénégal', unit: 'le kilo', price: 1500 },
  { id: 'bissap', name: 'Fleurs de bissap', unit: 'le sachet', price: 800 },
  { id: 'miel', name: 'Miel de Casamance', unit: 'le pot', price: 4500 },
]
const countMax = 20
const bodyBytesMax = 64 * 1024

/** The orders of the shop and their payments. They are kept in memory. */
function openOrders({ passerelleUrl: baseUrl, apiKey, shopUrl }: ShopSettings) {
  const passerelle = new Passerelle({ baseUrl, apiKey, language: 'fr' })
  const orders = new Map<string, Order>()

  /** Takes the order down first, then asks for its link: an answer that is lost loses no order. */
  async function checkOut(form: URLSearchParams): Promise<Order | undefined> {
    const lines = products
      .map(({ id, name, price }) => ({ name, price, count: countOf(form.get(id)) }))
      .filter(({ count }) => count > 0)
    if (lines.length === 0) return undefined
    const order: Order = {
      id: randomBytes(16).toString('hex'),
      customer: (form.get('customer') ?? '').trim().slice(0, 80),
      lines,
      // Prices are the shop's own: what a form says about them does not count.
      total: lines.reduce((sum, { count, price }) => sum + count * price, 0),
      paymentUrl: '',
      status: 'PENDING',
      paidAt: '',
    }
    orders.set(order.id, order)
    await askForLink(order)
    return order
  }

  /** May be called any number of times: the order's id makes it one link. */
  async function askForLink(order: Order): Promise<void> {
    try {
      const link = await passerelle.createLink({
        externalTransactionId: order.id,
        ItemName: order.lines.map(({ name, count }) => `${count} × ${name}`).join(', '),
        ItemPrice: order.total,
        callBackURL: `${shopUrl()}/webhooks`,
        successUrl: `${shopUrl()}/orders/${order.id}`,
        failureUrl: `${shopUrl()}/orders/${order.id}`,
      })
      order.paymentUrl = link.paymentUrl
    } catch (error) {
      // The order's page asks again.
      if (!(error instanceof OutcomeUnknownError)) throw error
    }
  }

  /** A webhook may be late, and the address that the browser came with can be forged. */
  async function lookUp(order: Order): Promise<void> {
    if (order.status !== 'PENDING') return
    const link = await passerelle.getLink(order.id).catch(() => undefined)
    if (link === undefined) return order.paymentUrl === '' ? askForLink(order) : undefined
    order.paymentUrl = link.paymentUrl
    settle(order, { ...link, amount: link.amount ?? 0 })
  }

  return { checkOut, lookUp, find: (id: string) => orders.get(id) }
}

/** Ends an order once, for the right amount: news may come several times, by webhook and lookup. */
function settle(
  order: Order,
  news: { status: string; amount: number; completedAt?: string },
): void {
  if (order.status !== 'PENDING' || !isEnd(news.status) || news.amount !== order.total) return
  order.status = news.status
  order.paidAt = news.completedAt ?? ''
}

/** The shop as a server that is not listening yet. */
export function openShop(settings: ShopSettings): Server {
  const { webhookSecrets } = settings
  const { checkOut, lookUp, find } = openOrders(settings)

  async function takeWebhook(request: IncomingMessage, body: string): Promise<number> {
    try {
      const event = await verifyWebhook(body, request.headers, webhookSecrets)
      const { AMOUNT: amount, STATUS: status, COMPLETED_AT: completedAt } = event
      const order = find(event.externalTransactionId)
      if (order !== undefined) settle(order, { status, amount, completedAt })
      return 204
    } catch (error) {
      if (error instanceof WebhookError) return 400
      throw error
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://shop')
    const route = `${request.method} ${pathname.replace(/^(\/orders)\/\w+$/, '$1')}`
    if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax)
      return void response.writeHead(413).end()
    const body = await readAll(request)
    if (route === 'POST /webhooks')
      return void response.writeHead(await takeWebhook(request, body)).end()
    if (route === 'GET /') return send(response, 200, cartPage(''))
    if (route === 'POST /checkout') {
      const order = await checkOut(new URLSearchParams(body))
      if (order === undefined) return send(response, 422, cartPage('Votre panier est vide.'))
      return void response.writeHead(303, { location: `/orders/${order.id}` }).end()
    }
    const order = find(pathname.split('/')[2] ?? '')
    if (route === 'GET /orders' && order !== undefined) {
      await lookUp(order)
      return send(response, 200, orderPage(order))
    }
    send(response, 404, page('Introuvable', '<p>Cette page n’existe pas.</p>'))
  }

  return createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error(error)
      const text = '<p>Réessayez dans un instant. Rien n’a été débité.</p>'
      if (!response.headersSent) send(response, 503, page('Service indisponible', text))
    })
  })
}

function isEnd(status: string): status is Exclude<Order['status'], 'PENDING'> {
  return ['SUCCESS', 'FAILED', 'EXPIRED'].includes(status)
}

function countOf(text: string | null): number {
  const count = /^\d{1,2}$/.test(text ?? '') ? Number(text) : 0
  return Math.min(count, countMax)
}

function cartPage(problem: string): string {
  const rows = products.map(
    ({ id, name, unit, price }) => `<li><label for="${id}"><b>${name}</b>
<span>${francs(price)} ${unit}</span></label>
<input id="${id}" name="${id}" type="number" inputmode="numeric" min="0" max="${countMax}"
 value="0"></li>`,
  )
  return page(
    'Marché Teranga',
    `${problem && `<p class="bad" role="alert">${problem}</p>`}
<form method="post" action="/checkout"><ul class="goods">${rows.join('')}</ul>
<label for="customer">Votre nom</label><input id="customer" name="customer" maxlength="80"
 autocomplete="name"><button>Commander</button></form>`,
  )
}

function orderPage({ id, customer, lines, total, status, paymentUrl, paidAt }: Order): string {
  const rows = lines.map(
    ({ name, count, price }) =>
      `<tr><td>${count} × ${name}</td><td>${francs(count * price)}</td></tr>`,
  )
  const bill = `<table><caption>Commande ${id.slice(0, 8)}</caption>${rows.join('')}
<tr class="total"><td>Total</td><td>${francs(total)}</td></tr></table>`
  const thanks = customer === '' ? 'Merci !' : `Merci, ${escape(customer)} !`
  const again = '<p><a class="button" href="/">Retour à la boutique</a></p>'
  if (status === 'SUCCESS') {
    const at = new Date(paidAt).toLocaleString('fr-SN', { timeZone: 'Africa/Dakar' })
    return page(
      'Reçu',
      `<p class="good" role="status">Payé le ${escape(at)}</p>
<p>${thanks}</p>${bill}<p class="small">Numéro de commande : ${id}</p>${again}`,
    )
  }
  if (status !== 'PENDING')
    return page(
      'Paiement non abouti',
      `<p class="bad" role="status">Rien n’a été débité.</p>${bill}${again}`,
    )
  if (paymentUrl === '')
    return page(
      'Nous vérifions votre commande',
      `<p role="status">Ne commandez pas deux fois : rechargez cette page.</p>${bill}`,
    )
  return page(
    'Votre commande',
    `${bill}<p><a class="button" href="${escape(paymentUrl)}">Payer ${francs(total)}</a></p>
<p class="small">Déjà payé ? Rechargez cette page pour voir votre reçu.</p>`,
  )
}

function francs(amount: number): string {
  return `${String(amount).replace(/\B(?=(\d{3})+$)/g, ' ')} F CFA`
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

const style = `:root{color-scheme:light dark;--ink:#1c2b24;--paper:#fbf8f2;--card:#fff;
--line:#ddd3c2;--leaf:#0b6b45;--bad:#a4262c}
@media(prefers-color-scheme:dark){:root{--ink:#eef3ef;--paper:#131a16;--card:#1d2721;--line:#3a473f;
--leaf:#6fd3a5;--bad:#ff9b93}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);
font:1.05rem/1.5 system-ui,sans-serif}
main{max-width:32rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.6rem;margin:0 0 1rem;color:var(--leaf)}
form,table{width:100%;background:var(--card);border:1px solid var(--line);border-radius:.75rem}
form{padding:1rem}table{border-collapse:separate;border-spacing:0;padding:.5rem 1rem}
caption{text-align:left;padding:.5rem 0}td{padding:.6rem 0;border-bottom:1px solid var(--line)}
td+td{text-align:right;white-space:nowrap}.total td{border:0;font-weight:700}
.goods{list-style:none;margin:0;padding:0}.goods li{display:flex;justify-content:space-between;
align-items:center;gap:1rem;padding:.75rem 0;border-bottom:1px solid var(--line)}
.goods span{display:block;opacity:.8}.goods input{width:4.5rem;text-align:center}
form>label{display:block;margin-top:1rem}
input{font:inherit;min-height:3rem;padding:.4rem .6rem;width:100%;color:inherit;
background:var(--paper);border:1px solid var(--ink);border-radius:.5rem}
button,.button{display:block;width:100%;min-height:3.25rem;margin-top:1.25rem;padding:.8rem;
border:0;border-radius:.5rem;background:var(--leaf);color:var(--paper);font:inherit;font-weight:700;
text-align:center;text-decoration:none;cursor:pointer}
.good,.bad{padding:.75rem 1rem;border-radius:.5rem;border:2px solid var(--leaf);font-weight:700}
.bad{border-color:var(--bad)}.small{font-size:.9rem;overflow-wrap:anywhere}`

function page(title: string, body: string): string {
  return `<!doctype html><html lang="fr"><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title>
<style nonce="{nonce}">${style}</style><main><h1>${title}</h1>${body}</main></html>`
}

const policy = "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

function send(response: ServerResponse, status: number, html: string): void {
  const nonce = randomBytes(16).toString('base64')
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': `${policy}; style-src 'nonce-${nonce}'`,
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  })
  response.end(html.replace('{nonce}', nonce))
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { SHOP_PORT = '3000', SHOP_URL: shopUrl = `http://127.0.0.1:${SHOP_PORT}` } = process.env
  const { PASSERELLE_URL, PASSERELLE_KEY, WEBHOOK_SECRETS } = process.env
  const shop = openShop({
    passerelleUrl: PASSERELLE_URL ?? 'http://127.0.0.1:8080',
    // The demo key and secret of a sandbox.
    apiKey: PASSERELLE_KEY ?? 'sk_sandbox_demo_standard',
    webhookSecrets: (WEBHOOK_SECRETS ?? 'whsec_c2FuZGJveC1kZW1vLXNlY3JldC0wMDAx').split(','),
    shopUrl: () => shopUrl,
  })
  shop.listen(Number(SHOP_PORT), '127.0.0.1', () => console.log(`The shop is open: ${shopUrl}`))
}
