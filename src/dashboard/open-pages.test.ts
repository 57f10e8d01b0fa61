import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { openPage, testBrowser } from '../../test/browser.ts'
import type { SignedIn } from '../../test/dashboard.ts'
import { cookiesOf, signedInAs, signedInOperator } from '../../test/dashboard.ts'
import { collected, liveGateway } from '../../test/live.ts'
import { assertMoney } from '../../test/money.ts'
import { eventually } from '../../test/wait.ts'

const gateway = await liveGateway()
const { url, db } = gateway
const browser = await testBrowser()
const owner = await signedInAs(gateway, 'owner')
const list = '/dashboard/transactions'

/** A page of somebody; `told` waits until it has handled an event. */
async function openFor(person: SignedIn) {
  const opened = await openPage(browser, { viewport: { width: 1280, height: 800 } })
  await opened.context.addCookies(cookiesOf(person, url))
  const { page } = opened
  // So that no wait is needed for what the page does a moment later.
  await page.clock.install()
  await page.addInitScript(`EventSource = class extends EventSource {
    constructor(address) {
      super(address)
      this.addEventListener('message', () => setTimeout(() => console.info('told')))
    }
  }`)
  const told = () => page.waitForEvent('console', (message) => message.text() === 'told')
  return { ...opened, told }
}

/** A page of the owner, whose streams say what the test wants. */
async function openOwn() {
  const opened = await openFor(owner)
  return { ...opened, streams: await answerStreams(opened.page) }
}

/** Answers each stream when `refresh` is called: the page is to read itself again. */
async function answerStreams(page: Page) {
  const waiting: PromiseWithResolvers<void>[] = []
  const of = (index: number) => (waiting[index] ??= Promise.withResolvers<void>())
  let count = 0
  const contentType = 'text/event-stream'
  const body = 'retry: 600000\n\nid: 1\ndata: <turbo-stream action="refresh"></turbo-stream>\n\n'
  await page.route('**/live?*', async (route) => {
    const index = count
    count += 1
    await of(index).promise
    await route.fulfill({ contentType, body }).catch(() => 'closed meanwhile')
  })
  return {
    isOpened: (index: number) => eventually('the next stream', () => count > index),
    refresh: (index: number) => of(index).resolve(),
  }
}

/** Holds the request that `send` makes by a form, until `goOn` lets it end like this. */
async function holdForm(page: Page, end: (route: Route) => Promise<void>) {
  const sent = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  await page.route('**/account/language', async (route) => {
    sent.resolve()
    await held.promise
    await end(route)
  })
  return {
    send: async () => {
      await page.click('footer form[action$=language] button')
      await sent.promise
    },
    goOn: held.resolve,
  }
}

describe('a page that is told to read itself again', () => {
  it('lets a form be sent first, and follows anew then', async () => {
    await using own = await openOwn()
    const { page, streams, told, complaints } = own
    await page.goto(`${url}${list}`)
    await streams.isOpened(0)
    const form = await holdForm(page, (route) => route.continue())
    const ended: string[] = []
    page.on('requestfailed', (request) => ended.push(request.method()))
    await form.send()
    const first = told()
    streams.refresh(0)
    await first
    await page.clock.runFor(1000)
    await page.evaluate('0')
    assert.ok(!ended.includes('POST'), 'the form is still being sent')
    form.goOn()
    await page.waitForSelector('html[lang=fr]')
    // The stream of the page that follows tells what is newer than that page.
    await streams.isOpened(1)
    const read = page.waitForRequest(`${url}${list}`)
    streams.refresh(1)
    await read
    await page.click('footer form[action$=language] button')
    await page.waitForSelector('html[lang=en]')
    assert.deepEqual(complaints, [])
  })

  it('follows anew at once when a form could not be sent', async () => {
    await using own = await openOwn()
    const { page, streams, told } = own
    await page.goto(`${url}${list}`)
    await streams.isOpened(0)
    const form = await holdForm(page, (route) => route.abort())
    await form.send()
    const first = told()
    streams.refresh(0)
    await first
    form.goOn()
    await streams.isOpened(1)
    const read = page.waitForRequest(`${url}${list}`)
    streams.refresh(1)
    await read
  })

  it('keeps what is being typed, and takes the rest over', async () => {
    await using own = await openOwn()
    const { page, streams } = own
    await page.goto(`${url}${list}`)
    await page.evaluate("document.querySelector('details.fold').open = true")
    await page.fill('#q', '77 123')
    await page.selectOption('#status', 'SUCCESS')
    await page.evaluate("document.querySelector('h1').textContent = 'old'")
    await page.evaluate("document.querySelector('#from').value = '2020-01-01'")
    await streams.isOpened(0)
    streams.refresh(0)
    await page.waitForSelector('h1:text("Transactions")')
    assert.equal(await page.inputValue('#q'), '77 123')
    assert.equal(await page.inputValue('#status'), 'SUCCESS')
    assert.equal(await page.inputValue('#from'), '')
  })

  it('sees a change that it is told of while it reads itself, on a slow line', async () => {
    const id = randomUUID()
    await db`
      insert into proofs (id, asked_by, asked_at, state, started_at, done, total, due_at)
      values (${id}, 'test', now(), 'running', now(), 1, 100, now() + interval '1 hour')`
    const come = (done: number) =>
      db`update proofs set done = ${done}, version = version + 1 where id = ${id}`
    const path = `/dashboard/ops/proof/${id}`
    await using opened = await openFor(await signedInOperator(gateway))
    const { page, told } = opened
    const subscribed = page.waitForResponse(`**${path}/live?*`)
    await page.goto(`${url}${path}`)
    await subscribed
    const isRead = Promise.withResolvers<void>()
    const isTold = Promise.withResolvers<void>()
    await page.route(
      `**${path}`,
      async (route) => {
        const response = await route.fetch()
        isRead.resolve()
        await isTold.promise
        await route.fulfill({ response })
      },
      { times: 1 },
    )
    await come(10)
    await isRead.promise
    const again = told()
    await come(50)
    await again
    // Turbo's own refresh would come by now.
    await page.clock.runFor(1000)
    isTold.resolve()
    await page.waitForSelector('progress[value="50"]')
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
