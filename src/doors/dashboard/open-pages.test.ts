import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { openPage, testBrowser } from '#test/browser.ts'
import { cookiesOf, type SignedIn, signedInAs } from '#test/dashboard.ts'
import { newLink, untilSeen } from '#test/links.ts'
import { call, collected, initBody, liveGateway, post, script } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'

const gateway = await liveGateway({ pace: 50 })
const { url } = gateway
const browser = await testBrowser()
const owner = await signedInAs(gateway, 'owner')
const list = '/dashboard/transactions'
const questions = '**/dashboard/changes?*'

/** A page of somebody, whose clock goes on faster when a test says so. */
async function openFor(person: SignedIn) {
  const opened = await openPage(browser, { viewport: { width: 1280, height: 800 } })
  await opened.context.addCookies(cookiesOf(person, url))
  const { page } = opened
  await page.clock.install()
  let asked = 0
  page.on('request', (request) => {
    if (request.url().includes('/dashboard/changes?')) asked += 1
  })
  /** Until so many questions have been asked, the page's time passes quickly. */
  const untilAsked = (count: number) =>
    eventually(`question ${count}`, async () => {
      if (asked < count) await page.clock.runFor(1000)
      return asked >= count
    })
  return { ...opened, asked: () => asked, untilAsked }
}

/** The page shows a text after some seconds of its time, without being loaded by anybody. */
async function untilShown(page: Page, selector: string): Promise<void> {
  await eventually(`${selector} is shown`, async () => {
    // A page may go away meanwhile, to be followed by another one.
    await page.clock.runFor(1000).catch(() => {})
    return (await page.locator(selector).count()) > 0
  })
}

/** A page of the owner, each of whose questions is answered as the test wants. */
async function openOwn() {
  const opened = await openFor(owner)
  const { page } = opened
  let status = 204
  await page.route(questions, (route) => route.fulfill({ status }))
  return { ...opened, answer: (next: number) => (status = next) }
}

/** Holds the request that `send` makes by a form, until `goOn` lets it end like this. */
async function holdForm(page: Page, end: (route: Route) => Promise<void>) {
  const sent = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  await page.route('**/account/language', async (route) => {
    sent.resolve()
    await held.promise
    await end(route).catch(() => {})
  })
  return {
    send: async () => {
      await page.click('.person summary')
      await page.click('.person form[action$=language] button')
      await sent.promise
    },
    goOn: held.resolve,
    // A test that fails meanwhile ends, too.
    [Symbol.dispose]: held.resolve,
  }
}

describe('a page that is open shows by itself', () => {
  it('new payments and what became of them: home, the list and a transaction', async () => {
    const merchant = { ...gateway, ...(await gateway.newMerchant()) }
    const person = await signedInAs(merchant, 'owner')
    await using home = await openFor(person)
    await using all = await openFor(person)
    await using one = await openFor(person)
    await home.page.goto(`${url}/dashboard`)
    await all.page.goto(`${url}${list}`)
    const number = '771238001'
    await script(gateway, number, [{ do: 'delay', ms: 600_000 }, { do: 'succeed' }], true)
    const body = initBody({ number, amount: 4321 })
    const { body: answer } = await call(merchant, 'POST /api/v1/transaction/init', body)
    const id = String(answer.transaction.transactionId)
    for (const { page } of [home, all]) await untilShown(page, `#t-${id}:has-text("4 321")`)
    await one.page.goto(`${url}${list}/${id}`)
    await post(`${gateway.lab.url}/lab/continue`, { number })
    const label = '.label:has-text("Succeeded")'
    await untilShown(home.page, `#t-${id} ${label}`)
    await untilShown(home.page, '#figures :text("1 collection")')
    await untilShown(all.page, `#t-${id} ${label}`)
    await untilShown(one.page, `.head ${label}`)
    for (const { complaints } of [home, all, one]) assert.deepEqual(complaints, [])
  })

  it('that a link is paid', async () => {
    await using opened = await openFor(owner)
    const { page } = opened
    const id = await newLink(gateway)
    await page.goto(`${url}/dashboard/links/${id}`)
    assert.equal(await page.locator('.large .label:has-text("Succeeded")').count(), 0)
    const order = { serviceCode: 'WALLETA_SN_CASHOUT', phone: '771234567' }
    await gateway.links.checkout.pay(id, order)
    await untilSeen(gateway, id, 'paid')
    await untilShown(page, '.large .label:has-text("Succeeded")')
  })

  it('the way in, once its person has signed out elsewhere', async () => {
    const person = await signedInAs(gateway, 'support')
    await using opened = await openFor(person)
    const { page } = opened
    await page.goto(`${url}${list}`)
    await person.post('/dashboard/sign-out', {}, { from: '/dashboard' })
    await untilShown(page, 'input[type=password]')
    await page.waitForURL('**/dashboard/sign-in?then=*')
  })
})

describe('a page that is open', () => {
  it('asks at once and then now and again, while somebody looks at it', async () => {
    await using own = await openOwn()
    const { page, asked, untilAsked } = own
    const look = (isHidden: boolean) =>
      page.evaluate(`const hidden = { value: ${isHidden}, configurable: true }
        Object.defineProperty(document, 'hidden', hidden)
        document.dispatchEvent(new Event('visibilitychange'))`)
    await page.goto(`${url}${list}`)
    await untilAsked(1)
    await page.waitForSelector('.live:visible')
    await untilAsked(3)
    await look(true)
    await page.evaluate('0')
    const before = asked()
    await page.clock.runFor(60_000)
    await page.evaluate('0')
    assert.equal(asked(), before, 'nobody looks at it')
    const next = page.waitForRequest(questions)
    await look(false)
    await next
  })

  it('says that the line is lost, asks less often, and takes it back', async () => {
    await using own = await openOwn()
    const { page, answer, asked, untilAsked } = own
    await page.goto(`${url}${list}`)
    await page.waitForSelector('.live:visible')
    answer(503)
    await untilAsked(2)
    await page.waitForSelector('#lost:visible')
    await page.waitForSelector('.live', { state: 'hidden' })
    await untilAsked(5)
    const before = asked()
    await page.clock.runFor(20_000)
    await page.evaluate('0')
    assert.ok(asked() <= before + 1, 'after some failures it asks once a minute')
    answer(204)
    await untilAsked(before + 1)
    await page.waitForSelector('#lost', { state: 'hidden' })
    await page.waitForSelector('.live:visible')
  })

  it('lets a form be sent before it reads itself again', async () => {
    await using own = await openOwn()
    const { page, answer, asked, untilAsked, complaints } = own
    await page.goto(`${url}${list}`)
    await untilAsked(1)
    using form = await holdForm(page, (route) => route.continue())
    const ended: string[] = []
    page.on('requestfailed', (request) => ended.push(request.method()))
    await form.send()
    answer(205)
    await untilAsked(asked() + 2)
    await page.clock.runFor(1000)
    await page.evaluate('0')
    assert.ok(!ended.includes('POST'), 'the form is still being sent')
    answer(204)
    form.goOn()
    await page.waitForSelector('html[lang=fr]')
    await page.unroute('**/account/language')
    const read = page.waitForRequest(`${url}${list}`)
    answer(205)
    await untilAsked(asked() + 1)
    await read
    answer(204)
    await page.click('.person summary')
    await page.click('.person form[action$=language] button')
    await page.waitForSelector('html[lang=en]')
    assert.deepEqual(complaints, [])
  })

  it('reads itself again after a form that could not be sent', async () => {
    await using own = await openOwn()
    const { page, answer, asked, untilAsked } = own
    await page.goto(`${url}${list}`)
    await untilAsked(1)
    using form = await holdForm(page, (route) => route.abort())
    await form.send()
    answer(205)
    await untilAsked(asked() + 1)
    form.goOn()
    const read = page.waitForRequest(`${url}${list}`)
    await untilAsked(asked() + 2)
    await read
  })

  it('keeps what is being typed and was told, and takes the rest over', async () => {
    await using own = await openOwn()
    const { page, answer, untilAsked } = own
    await page.goto(`${url}${list}`)
    await page.evaluate("document.querySelector('details.fold').open = true")
    await page.fill('#q', '77 123')
    await page.selectOption('#status', 'SUCCESS')
    await page.evaluate("document.querySelector('h1').textContent = 'old'")
    await page.evaluate("document.querySelector('#from').value = '2020-01-01'")
    await page.evaluate(`document.querySelector('#main').insertAdjacentHTML('afterbegin',
      '<div id="told" class="notice good"><p>It is done</p></div>')`)
    answer(205)
    await untilAsked(2)
    await page.waitForSelector('h1:text("Transactions")')
    assert.equal(await page.inputValue('#q'), '77 123')
    assert.equal(await page.inputValue('#status'), 'SUCCESS')
    assert.equal(await page.inputValue('#from'), '')
    assert.equal(await page.locator('details.fold[open]').count(), 1)
    assert.equal(await page.innerText('#told'), 'It is done')
    await page.click('nav .side a[href="/dashboard/links"]')
    await page.waitForSelector('h1:text("Payment links")')
    assert.equal(await page.locator('#told').count(), 0)
  })
})

it('a button that copies has its own words again, pressed twice or not', async () => {
  const id = await collected(gateway)
  await using opened = await openFor(owner)
  const { page } = opened
  await page.addInitScript('navigator.clipboard.writeText = async () => {}')
  await page.goto(`${url}${list}/${id}`)
  const button = page.locator('button.copy[data-copied]').first()
  await button.waitFor()
  const label = await button.textContent()
  for (const _ of [1, 2]) await button.click()
  assert.equal(await button.textContent(), await button.getAttribute('data-copied'))
  await page.clock.runFor(3000)
  assert.equal(await button.textContent(), label)
})

it('the money is in order', () => assertMoney(gateway))
