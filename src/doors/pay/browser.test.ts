import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { PayerState } from '#money/links/checkout.ts'
import { accessibilityViolations, openPage, openWatchedPage, testBrowser } from '#test/browser.ts'
import { attempt, manyWallets, states } from '#test/fake-checkout.ts'
import { stopTime } from '#test/page-time.ts'
import { testPayServer, unlimited } from '#test/pay-server.ts'
import { scenesOf } from '#test/scenes.ts'
import { usualTest as it, sized, slowTest } from '#test/size.ts'

const server = await testPayServer({ limits: unlimited })
const { checkout, pageOf } = server
const browser = await testBrowser()
const paid = states.paid as PayerState
const push = states.push as PayerState

// Elements to tap that are smaller than 48 px; the target of a radio button is its label.
const smallTargets = `[...document.querySelectorAll('a,button,summary,input:not([type=hidden])')]
  .map((one) => one.closest('label') ?? one)
  .filter((one) => one.checkVisibility())
  .map((one) => [one.outerHTML.slice(0, 80), one.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < 48 || height < 48)
  .map(([html, { width, height }]) => html + ' ' + width + 'x' + height)`

// width, language, colour scheme: every pair of values occurs.
const looks = [
  [360, 'fr', 'light'],
  [360, 'en', 'dark'],
  [1280, 'fr', 'dark'],
  [1280, 'en', 'light'],
] as const

// choose-refused and choose-timeout differ from choose-declined in one sentence only.
const scenes = scenesOf(server).filter(({ name }) => !/^choose-(refused|timeout)$/.test(name))

/** Every look of a scene; or two of them that have no value in common; or one. */
function looksOf({ name }: { name: string }, index: number): (typeof looks)[number][] {
  const all = looks.filter(([width]) => width === 360 || !name.startsWith('stress'))
  const half = all.filter((_, at) => all.length < 4 || at % 2 === index % 2)
  return sized(all.slice((index / 3) % all.length).slice(0, 1), half, all)
}

describe('every screen is accessible, fits 320 px and complains of nothing', async () => {
  // One page for all: a browser takes longer to open a page than to show and check a screen.
  const { page, complaints } = await openWatchedPage(server, browser)
  // Else receipts count down and lead back to the shop while they are looked at.
  await page.addInitScript('setInterval = () => 0')
  const some = [...scenes.entries()].filter(([index]) => index % sized(3, 1) === 0)
  for (const [index, scene] of some)
    for (const [width, lang, colorScheme] of looksOf(scene, index))
      test(`${scene.name} at ${width} px in ${lang}, ${colorScheme}`, async () => {
        complaints.length = 0
        await page.setViewportSize({ width, height: 800 })
        await page.emulateMedia({ colorScheme })
        await scene.open(page, lang)
        assert.equal(await page.evaluate('document.documentElement.lang'), lang)
        assert.deepEqual(await accessibilityViolations(page), [])
        assert.deepEqual(await page.evaluate(smallTargets), [])
        await page.setViewportSize({ width: 320, height: 640 })
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
        const expected = /status of (404|422)/
        const real = complaints.filter((one) => scene.status === 200 || !expected.test(one))
        assert.deepEqual(real, [])
        // The wallet that last paid.
        await page.evaluate('localStorage.clear()')
      })
})

/** Fills in the first screen, confirms the second, and waits for the third. */
async function payWithWalletA(page: Page): Promise<void> {
  await page.fill('#phone', '+221 77 123 45 67')
  await page.click('text=Continuer')
  assert.match((await page.textContent('.echo')) ?? '', /77\s123\s45\s67/)
  assert.equal(await page.isChecked('[value=WALLETA_SN_CASHOUT]'), true)
  await page.click('text=/Payer 5/')
  await page.waitForSelector('text=Confirmez sur votre téléphone')
}

describe('a payer without JavaScript', () => {
  it('pays, from the first screen to the receipt', async () => {
    checkout.reset()
    await using opened = await openWatchedPage(server, browser, { javaScriptEnabled: false })
    const { page, complaints } = opened
    const id = checkout.put()
    await page.goto(pageOf(id))
    await payWithWalletA(page)
    assert.equal(page.url(), `${pageOf(id)}?payer=1`)
    await page.click('button:text("Vérifier mon paiement")')
    await page.waitForSelector('text=Confirmez sur votre téléphone')
    checkout.change(id, { state: paid })
    await page.click('button:text("Vérifier mon paiement")')
    await page.waitForSelector('text=Paiement réussi')
    assert.match((await page.textContent('dl')) ?? '', /MP260115\.1003\.A48213/)
    assert.equal(await page.isVisible('text=Retour automatique'), false)
    assert.equal(await page.isVisible('text=Imprimer'), false)
    assert.match(
      (await page.getAttribute('text=Retour à la boutique', 'href')) ?? '',
      /^https:\/\/shop\.example\/thanks\?cart=42&transactionId=.*&status=SUCCESS$/,
    )
    assert.deepEqual(checkout.calls, ['pay WALLETA_SN_CASHOUT 771234567'])
    assert.deepEqual(complaints, [])
  })

  slowTest(
    'sees the wallets of the number’s country only, and may change the suggestion',
    async () => {
      checkout.reset()
      await using opened = await openWatchedPage(server, browser, { javaScriptEnabled: false })
      const { page } = opened
      await page.goto(pageOf(checkout.put({ wallets: manyWallets })))
      await page.fill('#phone', '07 12 34 56 78')
      await page.click('text=Continuer')
      await page.waitForSelector('text=Wallet G')
      assert.equal(await page.isVisible('text=Wallet D'), false)
      assert.equal(await page.isChecked('[value=WALLETA_CI_CASHOUT]'), true)
      await page.click('text=Wallet E')
      await page.click('text=/Payer 5/')
      await page.waitForSelector('text=Confirmez sur votre téléphone')
      assert.deepEqual(checkout.calls, ['pay WALLETE_CI_CASHOUT 712345678'])
    },
  )

  slowTest('changes the number and the language, then gives up', async () => {
    await using opened = await openWatchedPage(server, browser, { javaScriptEnabled: false })
    const { page } = opened
    const id = checkout.put()
    await page.goto(pageOf(id))
    await page.fill('#phone', '771234567')
    await page.click('text=Continuer')
    await page.click('text=English')
    await page.waitForSelector('text=Check your number')
    await page.click('text=Change')
    assert.match(await page.inputValue('#phone'), /^77\s123\s45\s67$/)
    await page.click('text=Cancel this payment')
    await page.click('text=Yes, cancel')
    await page.waitForSelector('text=Payment cancelled')
    assert.equal(page.url(), `${pageOf(id)}?lang=en&payer=1`)
  })
})

it('a page without JavaScript turns paid by itself', async () => {
  await using opened = await openWatchedPage(server, browser, { javaScriptEnabled: false })
  const { page } = opened
  const id = checkout.put({ state: push })
  await page.goto(`${pageOf(id)}?payer=1`)
  checkout.change(id, { state: paid })
  await page.waitForSelector('text=Paiement réussi')
})

describe('the field for the number', async () => {
  const { page } = await openPage(browser)
  const open = async (width: number, customerPhone = '+225 07 08 88 88 88') => {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(pageOf(checkout.put({ wallets: manyWallets, customerPhone })))
  }

  it('is not cut by the list of countries', async () => {
    await open(360)
    const ground = "getComputedStyle(document.querySelector('#country')).backgroundColor"
    assert.equal(await page.evaluate(ground), 'rgba(0, 0, 0, 0)')
  })

  it('shows the whole number on a phone of 360 px at twice the size', async () => {
    await open(180)
    const size = (name: string) => page.evaluate(`document.querySelector('#phone').${name}`)
    const [whole, seen] = [Number(await size('scrollWidth')), Number(await size('clientWidth'))]
    assert.ok(whole <= seen, `${whole} px in ${seen}`)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 180)
    assert.ok(Number(await size('clientWidth')) >= 100)
  })
})

it('the picture of a prompt has nothing that looks as if it could be pressed', async () => {
  await using opened = await openWatchedPage(server, browser)
  const { page } = opened
  await page.goto(pageOf(checkout.put({ state: push })))
  const look = await page.evaluate(`[...document.querySelectorAll('.prompt, .prompt *')]
    .map((one) => getComputedStyle(one))
    .filter((style) => style.boxShadow !== 'none' || style.cursor === 'pointer')
    .length`)
  assert.equal(look, 0)
  // Its keys are words: no box around them, none in bold.
  const keys = await page.evaluate(`[...document.querySelectorAll('.keys, .keys *')]
    .map((one) => getComputedStyle(one))
    .map((style) => style.borderWidth + style.backgroundColor + style.fontWeight)`)
  assert.deepEqual(keys, Array(3).fill('0pxrgba(0, 0, 0, 0)400'))
  // That it is an example is said before it.
  assert.equal(
    await page.evaluate("document.querySelector('.prompt').firstChild.tagName"),
    'FIGCAPTION',
  )
})

describe('a payer with JavaScript', () => {
  it('sees each new state without a reload, and a screen reader announces it', async () => {
    checkout.reset()
    await using opened = await openWatchedPage(server, browser)
    const { page, complaints } = opened
    const id = checkout.put()
    await page.goto(pageOf(id))
    await payWithWalletA(page)
    await page.focus('button:text("Vérifier mon paiement")')
    checkout.change(id, { state: { kind: 'checking', attempt } })
    await page.waitForSelector('text=Ne payez pas deux fois')
    checkout.change(id, { state: paid })
    await page.waitForSelector('text=Paiement réussi')
    assert.equal(await page.textContent('[role=status]#live'), 'Paiement réussi')
    assert.match(await page.title(), /^Paiement réussi/)
    assert.equal(await page.evaluate('document.activeElement.id'), 'title')
    assert.equal(page.url(), pageOf(id))
    assert.deepEqual(complaints, [])
  })

  slowTest('sees a new state where streams are blocked, polled at growing intervals', async () => {
    await using opened = await openWatchedPage(server, browser)
    const { page } = opened
    const id = checkout.put({ state: push })
    await page.route('**/events', (route) => route.abort())
    const { pass } = await stopTime(page)
    let polled = 0
    page.on('response', (response) => {
      if (response.url().endsWith('/state')) polled += 1
    })
    await page.goto(pageOf(id))
    await pass(120)
    assert.ok(polled >= 7 && polled <= 20, `${polled} times in two minutes`)
    checkout.change(id, { state: { kind: 'checking', attempt } })
    await pass(20)
    await page.waitForSelector('text=Ne payez pas deux fois')
  })

  slowTest('sees a new state when the network is back', async () => {
    await using opened = await openWatchedPage(server, browser)
    const { page } = opened
    const id = checkout.put({ state: push })
    const network = '**/{events,state}'
    await page.route(network, (route) => route.abort())
    await page.goto(pageOf(id))
    await page.waitForSelector('text=Vous êtes hors connexion')
    checkout.change(id, { state: paid })
    await page.unroute(network)
    await page.evaluate("dispatchEvent(new Event('online'))")
    await page.waitForSelector('text=Paiement réussi')
    await page.waitForSelector('#offline', { state: 'hidden' })
  })

  slowTest('sees a new state at once when the tab becomes visible again', async () => {
    await using opened = await openWatchedPage(server, browser)
    const { page } = opened
    const id = checkout.put({ state: push })
    await page.route('**/events', (route) => route.abort())
    await stopTime(page)
    const polled = page.waitForResponse('**/state')
    await page.goto(pageOf(id))
    await polled
    checkout.change(id, { state: paid })
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await page.waitForSelector('text=Paiement réussi')
  })

  slowTest('does not wait for an answer that was under way when the tab was hidden', async () => {
    await using opened = await openWatchedPage(server, browser)
    const { page } = opened
    const id = checkout.put({ state: push })
    await page.route('**/events', (route) => route.abort())
    const unanswered = Promise.withResolvers<void>()
    // Only the first request of the state is never answered.
    await page.route('**/state', () => unanswered.resolve(), { times: 1 })
    await stopTime(page)
    await page.goto(pageOf(id))
    await unanswered.promise
    checkout.change(id, { state: paid })
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await page.waitForSelector('text=Paiement réussi')
    assert.equal(await page.isVisible('#offline'), false)
  })

  slowTest('sees when the page last asked the server', async () => {
    await using opened = await openWatchedPage(server, browser)
    const { page } = opened
    await page.goto(pageOf(checkout.put({ state: push })))
    await page.evaluate("document.querySelector('#looked').textContent = 'long ago'")
    await page.evaluate("dispatchEvent(new Event('online'))")
    await page.waitForSelector('text=/Dernière vérification à \\d\\d:\\d\\d:\\d\\d GMT/')
  })

  it('keeps the input of a form until another screen replaces it', async () => {
    await using opened = await openWatchedPage(server, browser)
    const { page } = opened
    const id = checkout.put()
    const subscribed = page.waitForRequest('**/events')
    await page.goto(pageOf(id))
    await subscribed
    await page.fill('#phone', '77 12')
    const updated = page.waitForResponse('**/*part=main')
    checkout.change(id, { attemptsLeft: 3 })
    await updated
    assert.equal(await page.inputValue('#phone'), '77 12')
    checkout.change(id, { state: push })
    await page.waitForSelector('text=Confirmez sur votre téléphone')
  })

  it('sends the form once when the button is pressed twice', async () => {
    checkout.reset()
    await using opened = await openWatchedPage(server, browser)
    const { page } = opened
    await page.goto(pageOf(checkout.put()))
    await page.fill('#phone', '771234567')
    await page.click('text=Continuer')
    await page.waitForSelector('text=/Payer 5/')
    let sent = 0
    const isPressedAgain = Promise.withResolvers<void>()
    await page.route('**/pay', async (route) => {
      sent += 1
      await isPressedAgain.promise
      await route.continue()
    })
    page.on('console', (message) => {
      if (message.text() === 'pressed again') isPressedAgain.resolve()
    })
    await page.evaluate(`{
      const button = document.querySelector('form[action$=pay] button')
      button.click()
      setTimeout(() => {
        button.click()
        console.info('pressed again')
      }, 100)
    }`)
    await page.waitForSelector('text=Confirmez sur votre téléphone')
    assert.equal(sent, 1)
    assert.equal(checkout.calls.length, 1)
  })

  slowTest('finds the wallet preselected that last paid on this device', async () => {
    await using opened = await openWatchedPage(server, browser)
    const { page } = opened
    await page.goto(`${pageOf(checkout.put({ state: paid }))}?payer=1`)
    const review = async (phone: string) => {
      await page.goto(pageOf(checkout.put({ wallets: manyWallets })))
      await page.fill('#phone', phone)
      await page.click('text=Continuer')
      await page.waitForSelector('.echo')
    }
    await review('75 123 45 67')
    assert.equal(await page.isChecked('[value=WALLETA_SN_CASHOUT]'), true)
    // What the number suggests counts more.
    await review('70 123 45 67')
    assert.equal(await page.isChecked('[value=WALLETD_SN_CASHOUT]'), true)
    await review('6 22 23 45 67')
    assert.equal(await page.isVisible(':checked'), false)
  })

  it('can pay by keyboard', async () => {
    checkout.reset()
    await using opened = await openWatchedPage(server, browser)
    const { page } = opened
    await page.goto(pageOf(checkout.put()))
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type('771234567')
    await page.keyboard.press('Enter')
    await page.waitForSelector('text=Vérifiez votre numéro')
    await page.waitForLoadState('domcontentloaded')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    // From the suggested wallet over the one that is down to the last one.
    await page.keyboard.press('ArrowUp')
    assert.equal(await page.isChecked('[value=WALLETD_SN_CASHOUT]'), true)
    await page.keyboard.press('Enter')
    await page.waitForSelector('text=Confirmez sur votre téléphone')
    assert.deepEqual(checkout.calls, ['pay WALLETD_SN_CASHOUT 771234567'])
  })

  slowTest('gets the focus on the first field with an error', async () => {
    await using opened = await openWatchedPage(server, browser)
    const { page } = opened
    await page.goto(pageOf(checkout.put()))
    await page.click('text=Continuer')
    await page.waitForSelector('#phone-error')
    await page.waitForSelector('#phone:focus')
    await page.fill('#phone', '75 123 45 67')
    await page.click('text=Continuer')
    await page.click('text=/Payer 5/')
    await page.waitForSelector('#wallet-error')
    await page.waitForSelector('#wallet-0:focus')
  })
})

describe('the return to the shop', () => {
  async function openPaid(state: PayerState = paid) {
    const opened = await openWatchedPage(server, browser)
    const { page } = opened
    await page.route('https://shop.example/**', (route) => route.fulfill({ body: 'shop' }))
    await stopTime(page)
    const id = checkout.put({ state })
    await page.goto(`${pageOf(id)}?payer=1`)
    await page.waitForSelector('text=Retour automatique dans')
    return { ...opened, id }
  }

  slowTest('happens by itself after 8 seconds, once', async () => {
    await using opened = await openPaid()
    const { page, id } = opened
    await page.clock.runFor(7000)
    assert.match((await page.textContent('.auto')) ?? '', /dans 1 s/)
    await page.clock.runFor(1000)
    await page.waitForURL(/^https:\/\/shop\.example\/thanks\?cart=42&/)
    const { searchParams } = new URL(page.url())
    assert.equal(searchParams.get('transactionId'), id)
    assert.equal(searchParams.get('externalTransactionId'), 'CMD-2026-0042')
    assert.equal(searchParams.get('status'), 'SUCCESS')
    await page.goBack({ waitUntil: 'load' })
    assert.equal(page.url(), pageOf(id))
    assert.equal(await page.isVisible('text=Déjà payé, le 15 janvier 2026'), true)
    assert.equal(await page.isVisible('.auto'), false)
  })

  slowTest('does not happen after a click on “stay here”', async () => {
    await using opened = await openPaid()
    const { page, id } = opened
    await page.click('text=Rester ici')
    await page.clock.runFor(60_000)
    assert.equal(page.url(), pageOf(id))
    assert.equal(await page.isVisible('.auto'), false)
  })

  slowTest('leads to failureUrl after a failure', async () => {
    await using opened = await openPaid(states.exhausted)
    const { page } = opened
    await page.clock.runFor(20_000)
    await page.waitForURL(/^https:\/\/shop\.example\/sorry\?.*&status=FAILED$/)
  })

  slowTest('is not on the printed receipt', async () => {
    await using opened = await openPaid()
    const { page } = opened
    await page.emulateMedia({ media: 'print' })
    assert.equal(await page.isVisible('text=Retour à la boutique'), false)
    assert.equal(await page.isVisible('text=Imprimer le reçu'), false)
    assert.equal(await page.isVisible('text=MP260115.1003.A48213'), true)
  })
})

describe('the receipt', () => {
  slowTest('is shared by its address where the browser can', async () => {
    await using opened = await openWatchedPage(server, browser)
    const { page } = opened
    // The headless browser has no such dialog: this takes its place.
    await page.addInitScript('navigator.share = async (what) => { window.shared = what }')
    const id = checkout.put({ state: paid })
    await page.goto(`${pageOf(id)}?payer=1`)
    await page.click('text=Partager le reçu')
    const shared = await page.evaluate('window.shared')
    assert.deepEqual(shared, { title: 'Paiement réussi · Boutique Démo', url: pageOf(id) })
  })

  slowTest('is shared by copying its address elsewhere', async () => {
    await using opened = await openWatchedPage(server, browser)
    const { page, context } = opened
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.addInitScript('delete Navigator.prototype.share')
    const id = checkout.put({ state: paid })
    await page.goto(pageOf(id))
    await page.click('text=Partager le reçu')
    await page.waitForSelector('button:text("Lien du reçu copié")')
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), pageOf(id))
  })

  slowTest('has no button to share it without JavaScript', async () => {
    await using opened = await openWatchedPage(server, browser, { javaScriptEnabled: false })
    await opened.page.goto(pageOf(checkout.put({ state: paid })))
    assert.equal(await opened.page.isVisible('text=Partager le reçu'), false)
  })
})
