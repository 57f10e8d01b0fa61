import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testBrowser } from '../../test/browser.ts'
import { attempt, states, wallets } from '../../test/fake-checkout.ts'
import { testPayServer } from '../../test/pay-server.ts'
import { xssPayloads } from '../../test/xss-payloads.ts'
import type { PayerState, PayerView } from '../links/checkout.ts'
import { openLimits } from './limits.ts'

const { checkout, get, post, pageOf } = await testPayServer({
  limits: { ...openLimits(), count: () => 0 },
})

/** A link whose every text is the same. */
function filled(text: string, state: PayerState): Partial<PayerView> {
  const own = { walletName: text, phone: text }
  return {
    state: {
      ...state,
      ...('attempt' in state ? { attempt: { ...attempt, ...own } } : {}),
      ...('receipt' in state
        ? { receipt: { ...state.receipt, ...own, providerReference: text } }
        : {}),
      ...('lastFailure' in state ? { lastFailure: { cause: 'declined', walletName: text } } : {}),
      ...('url' in state ? { url: text } : {}),
    },
    version: text,
    shop: text,
    item: text,
    reference: text,
    customerName: text,
    customerPhone: text,
    successUrl: text,
    failureUrl: text,
    wallets: wallets.map((one) => ({ ...one, name: text, serviceCode: text, country: text })),
  }
}

// What a page needs of its own, whatever it shows.
const ownTags = ['script', 'style', 'iframe', 'img', 'object', 'embed', 'base', 'body', 'math']

function assertInert(markup: string, payload: string): void {
  if (/[<>"'&]/.test(payload)) assert.ok(!markup.includes(payload), payload)
  const count = (tag: string) => markup.match(new RegExp(`<${tag}[\\s>/]`, 'gi'))?.length ?? 0
  assert.deepEqual(ownTags.map(count), [1, 1, 0, 0, 0, 0, 0, 1, 0], payload)
  assert.doesNotMatch(markup, /<[^>"]*(?:"[^"]*"[^>"]*)*\son[a-z]+=/i, payload)
  assert.doesNotMatch(markup, /(?:href|src|action)="\s*(?:java|vb|data:text)/i, payload)
}

describe('a text that would run', () => {
  it('is one of many', () => assert.ok(new Set(xssPayloads).size >= 50))

  for (const [name, state] of Object.entries(states))
    it(`is only text in every field of ${name}`, async () => {
      for (const payload of xssPayloads) {
        const { status, markup } = await get(checkout.put(filled(payload, state)))
        assert.equal(status, 200)
        assertInert(markup, payload)
      }
    })

  it('is only text when it comes back from a form', async () => {
    const id = checkout.put()
    for (const payload of xssPayloads.filter((one) => !one.includes('\0')))
      for (const edit of ['', 'yes']) {
        const fields = { phone: payload, serviceCode: payload, country: payload, edit }
        assertInert((await post(`${id}/review`, fields)).markup, payload)
      }
  })

  it('is only text in an address', async () => {
    const id = checkout.put()
    for (const payload of xssPayloads.filter((one) => !one.includes('\0'))) {
      const text = encodeURIComponent(payload)
      assertInert((await get(`${id}?lang=${text}&part=${text}&${text}`)).markup, payload)
      assertInert((await get(text)).markup, payload)
      const elsewhere = { 'sec-fetch-site': 'cross-site' }
      assertInert((await post(`${text}/review`, {}, elsewhere)).markup, payload)
    }
  })
})

describe('in a real browser', () => {
  it('nothing runs, even without the policy that forbids it', async () => {
    const browser = await testBrowser()
    const context = await browser.newContext({ bypassCSP: true })
    const page = await context.newPage()
    await page.route('**/{events,state}', (route) => route.abort())
    page.on('dialog', (dialog) => void dialog.dismiss())
    const seen = `[typeof __xss, document.scripts.length,
      [...document.querySelectorAll('bdi')].filter((one) => one.children.length > 0).length]`
    for (const name of ['choose-declined', 'push', 'paid'])
      for (const payload of xssPayloads) {
        const view = filled(payload, states[name] as PayerState)
        await page.goto(pageOf(checkout.put(view)), { waitUntil: 'domcontentloaded' })
        assert.deepEqual(await page.evaluate(seen), ['undefined', 1, 0], payload)
      }
  })
})
