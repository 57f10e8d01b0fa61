import { text } from '../fields.ts'
import type { Order, OrderBook } from '../order.ts'
import { findById } from '../order-book.ts'
import type { Answer, Call, Routes } from '../router.ts'
import { replaceScript, resumeHeld, runDueSteps, skipDelay } from '../run-script.ts'

/** The page on which the payer of a checkout session approves or refuses. */
export function checkoutPage(book: OrderBook): Routes {
  const act = (handle: (order: Order) => void) => (call: Call) => {
    const order = sessionOf(book, call)
    if (order === undefined) return unknownPage
    if (order.status === 'pending') handle(order)
    return show(book, order)
  }
  return {
    'GET /checkout/:id': act(() => undefined),
    'POST /checkout/:id/approve': act((order) => skipDelay(book, order)),
    'POST /checkout/:id/refuse': act((order) =>
      replaceScript(book, order, [{ do: 'decline', reason: 'refused' }, { do: 'callback' }]),
    ),
  }
}

// The URL of a page does not name a mount, so the order is found by its id alone.
function sessionOf(book: OrderBook, { params: [id = ''] }: Call): Order | undefined {
  const order = findById(book, Number(id.replace('cos-', '')))
  return order?.reference === id ? runDueSteps(book, resumeHeld(order)) : undefined
}

/** The page while the session is open; then a redirect to the merchant. */
function show(book: OrderBook, order: Order): Answer {
  if (order.status === 'pending') {
    const refresh = `${Math.ceil(3 / book.pace)};url=/checkout/${order.reference}`
    return page(200, waiting(order), { refresh })
  }
  const url = order.status === 'succeeded' ? order.echo.success_url : order.echo.error_url
  // `href` encodes the characters that a header cannot contain.
  return { status: 303, headers: { location: new URL(text(url)).href } }
}

function waiting({ reference, amount, mount, echo }: Order): string {
  const price = `${amount.toLocaleString('fr-FR')} ${mount.currency}`
  const payee = text(echo.aggregated_merchant_id) || mount.provider
  return `<h1>${escape(price)}</h1>
<p>À payer à <b>${escape(payee)}</b><br><small lang="en">To be paid to ${escape(payee)}</small></p>
<form method="post" action="/checkout/${reference}/approve">
<button class="yes">Approuver <small lang="en">Approve</small></button></form>
<form method="post" action="/checkout/${reference}/refuse">
<button>Refuser <small lang="en">Refuse</small></button></form>
<p><small>Page d’essai, sans argent : elle s’approuve seule en 3 secondes.<br>
<span lang="en">Test page, no money: it approves itself after 3 seconds.</span></small></p>`
}

const unknownPage = page(
  404,
  '<h1>Paiement inconnu</h1><p lang="en">This payment is not known.</p>',
)

function page(status: number, content: string, headers: Record<string, string> = {}): Answer {
  const policy = "default-src 'none'; style-src 'unsafe-inline'"
  return {
    status,
    headers: { ...headers, 'content-security-policy': policy },
    html: `<!doctype html>
<html lang="fr"><head><meta charset="utf-8"><title>Paiement</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { max-width: 22rem; margin: 0 auto; padding: 1rem; font: 1.1rem/1.5 system-ui, sans-serif;
  color: #1d2433; text-align: center }
small { color: #556 }
button { width: 100%; min-height: 3.2rem; margin: .4rem 0; border: 2px solid #1d2433;
  border-radius: .6rem; background: #fff; font: inherit; cursor: pointer }
button.yes { background: #0b6b46; border-color: #0b6b46; color: #fff }
button.yes small { color: #e6f4ee }
</style></head><body>
${content}
</body></html>`,
  }
}

function escape(raw: string): string {
  return raw.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
