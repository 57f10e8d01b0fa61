import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { readAudit } from '#data/db/audit-log.ts'
import { changeClient } from '#merchants/clients/clients.ts'
import { readKeys } from '#merchants/clients/key-store.ts'
import { shortOf } from '#money/links/link.ts'
import { accessibilityViolations, openPage, testBrowser } from '#test/browser.ts'
import { cookiesOf, signedInAs, tokenIn } from '#test/dashboard.ts'
import { eventsOf, getLink, linkBody, linkOf, newLink, untilSeen } from '#test/links.ts'
import { call, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { xssPayloads } from '#test/xss-payloads.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, clientId, url, links } = gateway
const owner = await signedInAs(gateway, 'owner')
const path = '/dashboard/links/new'
const whole = { item: 'Panier de légumes', amount: '7 500', lifetime: '86400' }

/** Creates a link by the form; returns its id. */
async function created(fields: Record<string, string> = {}): Promise<string> {
  const { status, location, visible } = await owner.post(path, { ...whole, ...fields })
  assert.equal(status, 303, visible)
  return location?.split('/').at(-1) ?? ''
}

describe('a link made in the dashboard', () => {
  it('belongs to the key of the dashboard, and can be paid', async () => {
    const id = await created({
      customer: 'Awa',
      phone: '+221 77 123 45 67',
      email: 'awa@a.example',
    })
    const link = await linkOf(db, id)
    const keys = await readKeys(db, clientId)
    assert.equal(link.keyId, keys.find(({ isDashboard }) => isDashboard)?.id)
    assert.match(link.externalId, /^dash-[\w-]{16}$/)
    assert.deepEqual(
      [link.itemName, link.amount, link.customerName, link.callbackUrl, link.successUrl],
      ['Panier de légumes', 7500, 'Awa', '', ''],
    )
    assert.equal(link.expiresAt.getTime() - link.createdAt.getTime(), 86_400_000)
    await links.checkout.pay(id, { serviceCode: 'WALLETA_SN_CASHOUT', phone: '771234567' })
    await untilSeen(gateway, id, 'paid')
    const { visible } = await owner.get(`/dashboard/links/${id}`)
    assert.match(visible, /Panier de légumes.*7 500 F CFA.*Succeeded.*1 \/ 5.*Wallet A · SN/s)
    assert.doesNotMatch(visible, /Deactivate link/)
    assert.deepEqual(
      (await eventsOf(db, id)).map(({ STATUS }) => STATUS),
      ['SUCCESS'],
    )
  })

  it('sends its event to the address of the client, where it has one', async () => {
    const change = { callbackUrl: 'http://127.0.0.1:9/of-client' }
    await changeClient({ db, clock }, { id: clientId, change, actor: 'test' })
    const id = await created()
    await links.withdraw({ clientId, id })
    const deliveries = await db<{ url: string }>`
      select d.url from deliveries d
      join events e on (e.client_id, e.id) = (d.client_id, d.event_id)
      where e.record_id = ${id}`
    assert.deepEqual(deliveries, [{ url: change.callbackUrl }])
    await changeClient(
      { db, clock },
      { id: clientId, change: { callbackUrl: null }, actor: 'test' },
    )
  })

  it('is made once by a form that is sent twice, also at once', async () => {
    const token = tokenIn((await owner.get(path)).text)
    const send = () => owner.post(path, { ...whole, item: 'Once' }, { token })
    const answers = [...(await Promise.all([send(), send()])), await send()]
    const places = new Set(
      answers.filter(({ status }) => status === 303).map((one) => one.location),
    )
    assert.equal(places.size, 1)
    // Also when the process died before it could note that the form was done.
    await db`delete from form_submissions`
    assert.equal((await send()).location, [...places][0])
    assert.equal((await owner.get('/dashboard/links?q=once')).text.match(/id="link-/g)?.length, 1)
  })

  it('takes a reference of its own, once', async () => {
    await created({ reference: 'F-2026-1' })
    const again = await owner.post(path, { ...whole, reference: 'F-2026-1' })
    assert.equal(again.status, 422)
    assert.match(again.visible, /Your reference: already used/)
    // At /api/v1/transaction/merchant is the list of links.
    const unusable = await owner.post(path, { ...whole, reference: 'merchant' })
    assert.match(unusable.visible, /Your reference: it must not be merchant/)
    assert.match(again.text, /value="F-2026-1"/)
  })

  it('comes back with a sentence for each field that is wrong, filled in', async () => {
    const { status, visible, text } = await owner.post(path, {
      item: ' ',
      amount: '99',
      lifetime: '7',
      shop: 'sm-000000000000',
      customer: 'a\u202eb',
      email: 'nobody',
      success: 'javascript:alert(1)',
      failure: 'ftp://x',
      reference: 'x'.repeat(129),
    })
    assert.equal(status, 422)
    for (const sentence of [
      /Item or service: please fill in/,
      /Amount \(F CFA\): a whole number from 100 F CFA to 1 000 000 F CFA/,
      /Valid for: choose one/,
      /This sub-merchant cannot be used/,
      /Customer’s name: one line/,
      /Customer’s email address: a complete email address/,
      /Return address after payment: a whole address/,
      /Return address if payment fails: a whole address/,
      /Your reference: at most 128 characters/,
    ])
      assert.match(visible, sentence)
    assert.match(text, /value="99"/)
    assert.match(text, /<details open>/)
  })

  it('takes amounts and numbers as people write them, and refuses what is no number', async () => {
    for (const amount of ['15 000 F', '15000 FCFA', '15\u202f000\u00a0F\u00a0CFA'])
      assert.equal((await linkOf(db, await created({ amount }))).amount, 15_000, amount)
    const id = await created({ phone: '77 123 45 67' })
    assert.equal((await linkOf(db, id)).customerPhone, '+221771234567')
    const { visible } = await owner.get(`/dashboard/links/${id}`)
    assert.match(visible.replaceAll('\u00a0', ' '), /Customer’s number 77 123 45 67/)
    for (const phone of ['77 123 45', 'Fatou', '+33 6 12 34 56 78']) {
      const answer = await owner.post(path, { ...whole, phone })
      assert.match(answer.visible, /Customer’s number: enter a complete number/, phone)
      assert.match(answer.text, /<details open>/)
    }
  })

  it('shows on a phone what is wrong in the part that is folded away', async () => {
    const viewport = { width: 360, height: 700 }
    await using opened = await openPage(await testBrowser(), { viewport })
    const { page } = opened
    await page.context().addCookies(cookiesOf(owner, gateway.url))
    const send = async (name: string, value: string) => {
      await page.goto(`${gateway.url}${path}`)
      await page.fill('#item', 'Robe')
      await page.fill('#amount', '5000')
      await page.click('main details summary')
      await page.fill(`#${name}`, value)
      await page.click('main details summary')
      await page.click('main form.card button')
      await page.waitForSelector(`main details[open] #${name}:focus`)
    }
    // By the browser itself, and by the server.
    await send('email', 'nobody')
    await send('phone', 'Fatou')
    const problem = page.locator('main details >> text=enter a complete number')
    const box = await problem.boundingBox()
    assert.ok(box !== null && box.y > 0 && box.y + box.height < viewport.height, `${box?.y}`)
    assert.deepEqual(await accessibilityViolations(page), [])
  })

  it('is refused to a merchant that is not active, in words', async () => {
    const fresh = await gateway.newMerchant()
    const change = { merchantStatus: 'suspended' as const }
    await changeClient({ db, clock }, { id: fresh.clientId, change, actor: 'test' })
    const person = await signedInAs({ ...gateway, ...fresh }, 'owner')
    const { status, visible, text } = await person.post(path, whole)
    assert.equal(status, 422)
    assert.match(visible, /Your merchant account is not active/)
    assert.match(text, /value="Panier de légumes"/)
  })

  it('can be like another one, without its customer', async () => {
    const id = await created({ item: 'Sac de riz', amount: '15000', customer: 'Moussa' })
    const { text, visible } = await owner.get(`${path}?like=${id}`)
    assert.match(text, /value="Sac de riz"/)
    assert.match(text, /value="15000"/)
    assert.doesNotMatch(text, /Moussa/)
    assert.match(visible, /Reuse the last link \(Sac de riz, 15 000 F CFA\)/)
  })
})

describe('the list of links', () => {
  const names = (text: string) =>
    [...text.matchAll(/href="\/dashboard\/links\/[\w-]{36}"><bdi>([^<]*)/g)].map(([, one]) => one)

  it('finds by item, customer, reference and number, and filters by state', async () => {
    const id = await created({
      item: 'Tissu Wax bleu',
      customer: 'Fatou Diop',
      reference: 'BON-77',
      phone: '776543210',
    })
    for (const q of ['wax', 'fatou', 'bon-77', '+221 77 654 32 10', '77 654 32 10'])
      assert.deepEqual(
        names((await owner.get(`/dashboard/links?q=${encodeURIComponent(q)}`)).text),
        ['Tissu Wax bleu'],
        q,
      )
    await links.withdraw({ clientId, id })
    assert.ok(
      names((await owner.get('/dashboard/links?status=EXPIRED')).text).includes('Tissu Wax bleu'),
    )
    assert.ok(
      !names((await owner.get('/dashboard/links?status=PENDING')).text).includes('Tissu Wax bleu'),
    )
  })

  it('says so when nothing matches, and offers a way out', async () => {
    const { visible } = await owner.get('/dashboard/links?q=zzz')
    assert.match(visible, /No link matches\. Show all links/)
  })

  it('is empty for a new merchant, and says what to do', async () => {
    const fresh = await gateway.newMerchant()
    const other = await signedInAs({ ...gateway, ...fresh }, 'viewer')
    assert.match((await other.get('/dashboard/links')).visible, /No link yet/)
  })

  it('pages, and takes odd addresses for what they are', async () => {
    const { text } = await owner.get('/dashboard/links')
    const [, first = ''] = /id="link-([\w-]+)"/.exec(text) ?? []
    const { text: rest } = await owner.get(`/dashboard/links?after=${first}`)
    assert.doesNotMatch(rest, new RegExp(`id="link-${first}"`))
    for (const query of ['after=x', 'after=%00', 'q=%00', 'q=%F0', 'status=x'])
      assert.ok((await owner.get(`/dashboard/links?${query}`)).status < 500, query)
  })
})

describe('a link in the dashboard', () => {
  it('can be shared, with its code, address and the phone’s own programs', async () => {
    const id = await created({ item: 'Thé & café', phone: '+221771234567', email: 'a+b@a.example' })
    const { text, visible } = await owner.get(`/dashboard/links/${id}`)
    const address = `${url}/pay/p/${shortOf(id)}`
    assert.ok(visible.includes(address))
    assert.match(text, /class="qr"><svg/)
    const hrefs = [...text.matchAll(/class="button(?: second)?" href="([^"]+)"/g)].map(
      ([, one = '']) => one.replaceAll('&amp;', '&'),
    )
    const wanted = [
      'https://wa.me/221771234567?text=',
      'sms:+221771234567?&body=',
      'mailto:a%2Bb@a',
    ]
    for (const start of wanted) {
      const href = hrefs.find((one) => one.startsWith(start))
      assert.ok(href !== undefined && decodeURIComponent(href).includes(address), start)
      assert.ok(decodeURIComponent(href).includes('Thé & café'))
    }
  })

  const written: [phone: string, sentTo: string][] = [
    ['77 123 45', ''],
    ['at the door', ''],
    ['77 123 45 67', '771234567'],
    ['+33 6 12 34 56 78', '+33612345678'],
  ]
  for (const [ClientPhone, sentTo] of written)
    it(`sends to the number of a program's ${ClientPhone}, if it is one`, async () => {
      const { body } = await call(gateway, getLink, linkBody({ ClientPhone }))
      const { text } = await owner.get(`/dashboard/links/${body.transactionId}`)
      assert.equal(/href="sms:([^?]*)\?/.exec(text)?.[1], sentTo)
    })

  it('hides numbers from support, in links too', async () => {
    const support = await signedInAs(gateway, 'support')
    const id = await created({ phone: '771119999' })
    const { text } = await support.get(`/dashboard/links/${id}`)
    assert.doesNotMatch(text, /771119999/)
    assert.match(text, /••••••99/)
  })

  it('expires after a review, once, and is in the audit log', async () => {
    const id = await created({ item: 'Too late' })
    const review = await owner.get(`/dashboard/links/${id}/expire`)
    assert.match(review.visible, /Deactivate this link\?.*Too late.*7 500 F CFA/)
    assert.equal((await linkOf(db, id)).status, 'PENDING')
    const answer = await owner.post(`/dashboard/links/${id}/expire`)
    assert.equal(answer.location, `/dashboard/links/${id}`)
    assert.match((await owner.get(answer.location ?? '')).visible, /The link is deactivated/)
    assert.equal((await linkOf(db, id)).status, 'EXPIRED')
    assert.deepEqual(
      (await eventsOf(db, id)).map(({ STATUS }) => STATUS),
      ['EXPIRED'],
    )
    assert.match((await owner.get(`/dashboard/links/${id}/expire`)).visible, /has already ended/)
    const [last] = await readAudit(db, { clientId, before: null, limit: 1 })
    assert.deepEqual([last?.actor, last?.action], [owner.email, 'link.expire'])
  })

  it('of another merchant is a 404 by every address', async () => {
    const other = await gateway.newMerchant()
    const id = await newLink({ url, secret: other.secret })
    for (const address of [`/dashboard/links/${id}`, `/dashboard/links/${id}/expire`])
      assert.equal((await owner.get(address)).status, 404, address)
    const { status } = await owner.post(`/dashboard/links/${id}/expire`, {}, { from: path })
    assert.equal(status, 404)
    assert.equal((await linkOf(db, id)).status, 'PENDING')
    assert.doesNotMatch((await owner.get(`${path}?like=${id}`)).text, /Panier de légumes"/)
  })

  it('shows hostile texts as texts', async () => {
    const texts = xssPayloads.filter((one) => !/[\t\n\r]/.test(one))
    const payload = texts.join(' ').slice(0, 190)
    const id = await created({ item: payload, customer: texts.slice(10).join(' ').slice(0, 190) })
    for (const address of ['/dashboard/links', `/dashboard/links/${id}`, `${path}?like=${id}`]) {
      const { text } = await owner.get(address)
      const body = text.slice(text.indexOf('<main'))
      assert.doesNotMatch(body, /<script|<img|<svg[ /]on|<body|onerror=(?!.*&gt;)/i, address)
      assert.ok(body.includes('&lt;script&gt;'), address)
    }
  })

  for (const [role, mayCreate, mayExpire] of [
    ['finance', true, true],
    ['developer', true, false],
    ['support', true, false],
    ['viewer', false, false],
  ] as const)
    it(`can be made by ${role}: ${mayCreate}, expired: ${mayExpire}`, async () => {
      const person = await signedInAs(gateway, role)
      const id = await created({ item: `For ${role}` })
      assert.equal((await person.get(`/dashboard/links/${id}`)).status, 200)
      const token = tokenIn((await person.get('/dashboard/links')).text)
      const made = await person.post(path, whole, { token })
      assert.equal(made.status, mayCreate ? 303 : 403)
      const at = `/dashboard/links/${id}/expire`
      const expired = await person.post(at, {}, { from: mayExpire ? at : '/dashboard' })
      assert.equal(expired.status, mayExpire ? 303 : 403)
      assert.equal((await linkOf(db, id)).status, mayExpire ? 'EXPIRED' : 'PENDING')
    })
})

it('keeps ledger, transactions, links and lab consistent', () => assertMoney(gateway))
