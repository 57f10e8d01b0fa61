import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { PayerState, PayerView } from '#money/links/checkout.ts'
import { testBrowser } from '#test/browser.ts'
import { attempt, states, wallets } from '#test/fake-checkout.ts'
import { testPayServer, unlimited } from '#test/pay-server.ts'
import { sized } from '#test/size.ts'
import { manyXssPayloads, xssPayloads } from '#test/xss-payloads.ts'

const payloads = sized(xssPayloads, manyXssPayloads)
const { checkout, get, post, submit, pageOf } = await testPayServer({ limits: unlimited })

/** A link with the same text in every field. */
function filledWith(text: string, state: PayerState): Partial<PayerView> {
  const own = { walletName: text, phone: text, country: text, serviceCode: text }
  return {
    state: {
      ...state,
      ...('attempt' in state ? { attempt: { ...attempt, ...own } } : {}),
      ...('receipt' in state
        ? { receipt: { ...state.receipt, ...own, providerReference: text } }
        : {}),
      ...('lastFailure' in state ? { lastFailure: { cause: 'declined' as const, ...own } } : {}),
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

// Tags of which a page has a fixed number, whatever texts it shows.
const countedTags = ['script', 'style', 'iframe', 'img', 'object', 'embed', 'base', 'body', 'math']

function assertInert(markup: string, payload: string): void {
  if (/[<>"'&]/.test(payload)) assert.ok(!markup.includes(payload), payload)
  const count = (tag: string) => markup.match(new RegExp(`<${tag}[\\s>/]`, 'gi'))?.length ?? 0
  assert.deepEqual(countedTags.map(count), [1, 1, 0, 0, 0, 0, 0, 1, 0], payload)
  assert.doesNotMatch(markup, /<[^>"]*(?:"[^"]*"[^>"]*)*\son[a-z]+=/i, payload)
  assert.doesNotMatch(markup, /(?:href|src|action)="\s*(?:java|vb|data:text)/i, payload)
}

describe('a text with markup or a script', () => {
  it('is tested in at least 200 forms, in npm test in 50', () =>
    assert.ok(manyXssPayloads.length >= 200 && new Set(payloads).size >= 50))

  for (const [at, [name, state]] of Object.entries(states).entries())
    it(`stays text in every field of the screen ${name}`, async () => {
      // In npm test each text on every fourth screen, each screen with every fourth text.
      for (const payload of payloads.filter((_, index) => (index + at) % sized(4, 1) === 0)) {
        const { status, markup } = await get(checkout.put(filledWith(payload, state)))
        assert.equal(status, 200)
        assertInert(markup, payload)
      }
    })

  it('stays text when it is sent with a form', async () => {
    const id = checkout.put()
    for (const payload of payloads.filter((one) => !one.includes('\0'))) {
      const fields = { phone: payload, serviceCode: payload, country: payload }
      assertInert((await submit(`${id}/review`, fields)).markup, payload)
    }
  })

  it('stays text when it is part of the URL', async () => {
    const id = checkout.put()
    const some = payloads.filter((_, index) => index % sized(3, 1) === 0)
    for (const payload of some.filter((one) => !one.includes('\0'))) {
      const text = encodeURIComponent(payload)
      assertInert(
        (await get(`${id}?lang=${text}&part=${text}&n=${text}&payer=${text}&${text}`)).markup,
        payload,
      )
      assertInert((await get(text)).markup, payload)
      const elsewhere = { 'sec-fetch-site': 'cross-site' }
      // A form is answered by an address, whose page is looked at.
      const { status, headers } = await post(`${text}/review`, {}, elsewhere)
      assert.equal(status, 303)
      assert.doesNotMatch(headers.get('location') ?? '', /[<>"]/)
    }
  })
})

describe('in a real browser', () => {
  it('no such text runs, even without the Content-Security-Policy', async () => {
    const browser = await testBrowser()
    const context = await browser.newContext({ bypassCSP: true })
    const page = await context.newPage()
    await page.route('**/{events,state}', (route) => route.abort())
    page.on('dialog', (dialog) => void dialog.dismiss())
    const seen = `[typeof __xss, document.scripts.length,
      [...document.querySelectorAll('bdi')].filter((one) => one.children.length > 0).length]`
    const names = ['choose-declined', 'push', 'paid']
    // In npm test every sixth, since the tests above show that all of them stay text.
    for (const [index, payload] of payloads.filter((_, at) => at % sized(6, 1) === 0).entries()) {
      const some = [names[index % names.length] ?? '']
      for (const name of sized(some, some, names)) {
        const view = filledWith(payload, states[name] as PayerState)
        await page.goto(pageOf(checkout.put(view)), { waitUntil: 'domcontentloaded' })
        assert.deepEqual(await page.evaluate(seen), ['undefined', 1, 0], payload)
      }
    }
  })
})
