import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { languages } from '#base/kit/language.ts'
import type { PayerState } from '#money/links/checkout.ts'
import { accessibilityViolations, openPage, reloadFollowed, testBrowser } from '#test/browser.ts'
import { attempt, manyWallets, states } from '#test/fake-checkout.ts'
import { stopTime } from '#test/page-time.ts'
import { testPayServer, unlimited } from '#test/pay-server.ts'
import { scenesOf } from '#test/scenes.ts'
import { usualTest as it, sized, slowTest } from '#test/size.ts'
import { textsOf } from './texts.ts'

const server = await testPayServer({ limits: unlimited })
const { checkout, pageOf } = server
const browser = await testBrowser()
const push = states.push as PayerState
const paid = states.paid as PayerState

describe('the first screen of a phone of 360 × 640', async () => {
  // One page for all: a browser takes longer to open a page than to show a screen.
  const { page } = await openPage(browser, { viewport: { width: 360, height: 640 } })

  async function assertButtonIsSeen(): Promise<void> {
    assert.equal(await page.evaluate('scrollY'), 0)
    const box = await page.locator('form[action*=review] .button').boundingBox()
    const bottom = (box?.y ?? Number.NaN) + (box?.height ?? 0)
    assert.ok(bottom <= 640, `it ends at ${bottom} px`)
  }

  // scene of test/scenes.ts
  for (const name of ['choose', 'countries', 'errors', 'which-country'])
    for (const lang of languages)
      it(`${name} in ${lang} shows the whole button to continue`, async () => {
        await scenesOf(server)
          .find((scene) => scene.name === name)
          ?.open(page, lang)
        await page.waitForSelector(name === 'choose' || name === 'countries' ? '#phone' : '.wrong')
        await assertButtonIsSeen()
      })

  for (const lang of languages)
    test(`shows it after a decline for any reason, in ${lang}`, async () => {
      const causes = Object.entries(textsOf(lang).failures)
        .sort(([, one], [, other]) => other.length - one.length)
        .map(([cause]) => cause)
      // In npm test those with the longest texts.
      for (const cause of causes.slice(0, sized(3, causes.length))) {
        const { lastFailure } = states['choose-declined'] as { lastFailure: object }
        const state = { kind: 'choose', lastFailure: { ...lastFailure, cause } } as PayerState
        await page.goto(`${pageOf(checkout.put({ state }))}?lang=${lang}`)
        await assertButtonIsSeen()
      }
    })

  it('shows every digit of the longest number', async () => {
    await using opened = await openPage(browser, { viewport: { width: 320, height: 640 } })
    const { page } = opened
    const customerPhone = '+225 07 08 88 88 88'
    await page.goto(pageOf(checkout.put({ wallets: manyWallets, customerPhone })))
    const whole = Number(await page.evaluate("document.querySelector('#phone').scrollWidth"))
    const seen = Number(await page.evaluate("document.querySelector('#phone').clientWidth"))
    assert.ok(whole <= seen, `${whole} px in ${seen}`)
  })
})

/** Waits until the page after this one has asked for its state and opens a stream. */
function followedAfter(page: Page, address: string): Promise<Request> {
  return page.waitForRequest(
    (one) => one.url().endsWith('/events') && one.frame().url() !== address,
  )
}

describe('a payer whose network fails', () => {
  slowTest('sees a notice while the browser is offline', async () => {
    await using opened = await openPage(browser)
    const { page, context } = opened
    await page.goto(pageOf(checkout.put({ state: push })))
    await reloadFollowed(page)
    await context.setOffline(true)
    await page.waitForSelector('text=Cette page reprendra dès que le réseau revient')
    const padding = "parseFloat(getComputedStyle(document.querySelector('#offline')).paddingTop)"
    assert.ok(Number(await page.evaluate(padding)) >= 12)
    assert.deepEqual(await accessibilityViolations(page), [])
    await context.setOffline(false)
    await page.waitForSelector('#offline', { state: 'hidden' })
  })

  it('who continues while offline keeps what was typed, and it is sent afterwards', async () => {
    checkout.reset()
    await using opened = await openPage(browser)
    const { page, context } = opened
    const id = checkout.put()
    await page.goto(pageOf(id))
    await reloadFollowed(page)
    await page.fill('#phone', '77 123 45 67')
    await context.setOffline(true)
    await page.click('text=Continuer')
    await page.waitForSelector('text=Votre demande partira dès que le réseau revient')
    await page.click('text=Continuer')
    // The notice is seen wherever the page is scrolled to.
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    assert.ok(((await page.locator('#offline').boundingBox())?.y ?? -1) >= 0)
    assert.equal(await page.inputValue('#phone'), '77 123 45 67')
    const followed = followedAfter(page, pageOf(id))
    await context.setOffline(false)
    await page.waitForSelector('text=Vérifiez votre numéro')
    await page.waitForLoadState('domcontentloaded')
    assert.equal(await page.isVisible('#offline'), false)
    await followed
    // The same for the payment: it begins once.
    await context.setOffline(true)
    await page.click('text=/Payer 5/')
    await page.waitForSelector('text=Votre demande partira dès que le réseau revient')
    assert.deepEqual(checkout.calls, [])
    await context.setOffline(false)
    await page.waitForSelector('text=Confirmez sur votre téléphone')
    assert.deepEqual(checkout.calls, ['pay WALLETA_SN_CASHOUT 771234567'])
  })

  slowTest('pays with a browser that takes itself for offline and is not', async () => {
    checkout.reset()
    await using opened = await openPage(browser)
    const { page } = opened
    // As on a machine without a network, with the gateway on it.
    await page.addInitScript("Object.defineProperty(navigator, 'onLine', { value: false })")
    await page.goto(pageOf(checkout.put()))
    await page.fill('#phone', '77 123 45 67')
    await page.click('text=Continuer')
    await page.click('text=/Payer 5/')
    await page.waitForSelector('text=Confirmez sur votre téléphone')
    assert.deepEqual(checkout.calls, ['pay WALLETA_SN_CASHOUT 771234567'])
  })

  slowTest('whose form waited while another tab paid sees that, and sends nothing', async () => {
    checkout.reset()
    await using opened = await openPage(browser)
    const { page, context } = opened
    const id = checkout.put()
    await page.goto(pageOf(id))
    await page.fill('#phone', '77 123 45 67')
    const followed = followedAfter(page, pageOf(id))
    await page.click('text=Continuer')
    await page.waitForSelector('text=/Payer 5/')
    await followed
    await context.setOffline(true)
    await page.click('text=/Payer 5/')
    checkout.change(id, { state: paid })
    await context.setOffline(false)
    await page.waitForSelector('text=/Paiement réussi|Déjà payé/')
    assert.deepEqual(checkout.calls, [])
  })
})

describe('a payer whose network is slow', () => {
  it('does not see an older state that arrives after a newer one', async () => {
    await using opened = await openPage(browser)
    const { page } = opened
    const id = checkout.put({ state: push })
    const subscribed = page.waitForRequest('**/events')
    await page.goto(pageOf(id))
    await subscribed
    const older = Promise.withResolvers<Request>()
    const isNewerShown = Promise.withResolvers<void>()
    await page.route(
      '**/*part=main',
      async (route) => {
        const response = await route.fetch()
        older.resolve(route.request())
        await isNewerShown.promise
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    checkout.change(id, { state: { kind: 'checking', attempt } })
    const request = await older.promise
    checkout.change(id, { state: states['choose-declined'] as PayerState })
    await page.waitForSelector('#phone')
    const late = page.waitForEvent('requestfinished', (one) => one === request)
    isNewerShown.resolve()
    await late
    await page.evaluate("fetch('').then((answer) => answer.text())")
    assert.ok(await page.isVisible('#phone'))
  })

  it('sees a state soon whose page failed while the stream was open', async () => {
    await using opened = await openPage(browser)
    const { page } = opened
    const id = checkout.put({ state: push })
    const { pass } = await stopTime(page)
    const subscribed = page.waitForRequest('**/events')
    await page.goto(pageOf(id))
    await subscribed
    const main = '**/*part=main'
    await page.route(main, (route) => route.fulfill({ status: 503 }), { times: 1 })
    const failed = page.waitForResponse(main)
    checkout.change(id, { state: { kind: 'checking', attempt } })
    await failed
    // Less than the 30 s between two polls of a page that is told of changes.
    await pass(20)
    assert.ok(await page.isVisible('text=Ne payez pas deux fois'))
  })
})
