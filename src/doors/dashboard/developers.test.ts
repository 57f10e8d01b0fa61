import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { formatAmount } from '#base/kit/money.ts'
import { keyRights, usualKeyRights } from '#merchants/clients/key-rights.ts'
import { readKeys } from '#merchants/clients/key-store.ts'
import { findClient } from '#merchants/clients/store.ts'
import { queueMail } from '#merchants/mail/queue.ts'
import { roles } from '#merchants/people/rights.ts'
import { assertScreens, openPage, testBrowser } from '#test/browser.ts'
import { signedInAs, signInWith, tokenIn } from '#test/dashboard.ts'
import { call, collected, initBody, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { openReceiver } from '#test/receiver.ts'
import { usualTest as it, slowTest } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import { xssPayloads } from '#test/xss-payloads.ts'

const gateway = await liveGateway({ pace: 50 })
const { db, clientId, url } = gateway
const receiver = await openReceiver()
const owner = await signedInAs(gateway, 'owner')
const support = await signedInAs(gateway, 'support')
const stranger = await signedInAs({ ...gateway, ...(await gateway.newMerchant()) }, 'owner')
const root = '/dashboard/developers'
const secretIn = (text: string) => /id="secret">([^<]+)</.exec(text)?.[1]
const balanceWith = async (secret: string | undefined) =>
  (await call({ url, secret: secret ?? '' }, 'GET /api/v1/api-services/balance')).status

describe('the pages of developers', () => {
  for (const role of roles)
    it(`are shown to those who may read them: ${role}`, async () => {
      const person = await signedInAs(gateway, role)
      const allowed = ['owner', 'admin', 'developer', 'support'].includes(role) ? 200 : 403
      for (const tab of ['', '/webhooks', '/events', '/requests', '/mails', '/sandbox'])
        assert.equal((await person.get(root + tab)).status, allowed, tab)
    })

  it('have an empty state each', async () => {
    for (const [tab, text] of [
      ['/webhooks', /No deliveries yet\./],
      ['/events', /No events yet\./],
      ['/requests', /No request in 30 days/],
      ['/mails', /No emails yet\./],
    ] as const)
      assert.match((await stranger.get(root + tab)).visible, text)
  })
})

describe('a key', () => {
  const rights = { 'right-read': 'yes', 'right-balance': 'yes' }
  const fields = { label: 'till', scope: 'client', ...rights, addresses: '127.0.0.0/8' }
  const make = (change: object = {}) =>
    owner.post(`${root}/keys/new`, { ...fields, rate: '50', ...change })
  const keyLabelled = async (label: string) =>
    (await readKeys(db, clientId)).find((one) => one.label === label)

  it('is made as asked; its secret is shown once, and works', async () => {
    assert.equal((await make()).location, root)
    const first = await owner.get(root)
    const secret = secretIn(first.text)
    assert.equal(await balanceWith(secret), 200)
    assert.equal(secretIn((await owner.get(root)).text), undefined)
    const key = await keyLabelled('till')
    assert.ok(key)
    const { rights, scope, allowedAddresses, ratePerMinute } = key
    assert.deepEqual(
      [rights, scope, allowedAddresses, ratePerMinute],
      [['read', 'balance'], 'client', ['127.0.0.0/8'], 50],
    )
    await eventually('its use is shown', async () => {
      const { visible } = await owner.get(`${root}/keys/${key.id}`)
      return !/Last use never/.test(visible)
    })
  })

  it('is made once by a form that is sent twice', async () => {
    const token = tokenIn((await owner.get(`${root}/keys/new`)).text)
    for (let sent = 0; sent < 2; sent += 1)
      await owner.post(`${root}/keys/new`, { ...fields, label: 'twice' }, { token })
    const made = (await readKeys(db, clientId)).filter(({ label }) => label === 'twice')
    assert.equal(made.length, 1)
  })

  it('is refused with a sentence for each field, which keeps what was typed', async () => {
    const { status, visible, text } = await make({ label: '', addresses: 'nowhere', rate: '101' })
    assert.equal(status, 422)
    assert.match(visible, /Give it a name/)
    assert.match(visible, /Not an address or network: nowhere/)
    assert.match(visible, /Enter a whole number from 1 to 100/)
    assert.match(text, /value="101"/)
  })

  it('gets a new secret, the old one serves on if asked; then it is revoked', async () => {
    await make({ label: 'site' })
    const old = secretIn((await owner.get(root)).text)
    const key = await keyLabelled('site')
    const path = `${root}/keys/${key?.id}`
    await owner.post(`${path}/rotate`, { overlap: 'hour' }, { from: path })
    const second = secretIn((await owner.get(path)).text)
    assert.deepEqual([await balanceWith(old), await balanceWith(second)], [200, 200])
    await owner.post(`${path}/rotate`, { overlap: 'none' }, { from: path })
    const third = secretIn((await owner.get(path)).text)
    await eventually('the others stop', async () => (await balanceWith(second)) === 401)
    assert.deepEqual([await balanceWith(old), await balanceWith(third)], [401, 200])
    await owner.post(`${path}/revoke`, {}, { from: path })
    await eventually('it is refused', async () => (await balanceWith(third)) === 401)
    assert.match((await owner.get(path)).visible, /Revoked/)
  })

  it('of another merchant is a 404, and support cannot change any', async () => {
    const key = await keyLabelled('till')
    const path = `${root}/keys/${key?.id}`
    assert.equal((await stranger.get(path)).status, 404)
    for (const verb of ['rotate', 'revoke']) {
      const from = `${root}/keys/new`
      assert.equal((await stranger.post(`${path}/${verb}`, {}, { from })).status, 404)
      assert.equal((await support.post(`${path}/${verb}`, {}, { from: root })).status, 403)
    }
    assert.equal((await support.get(`${root}/keys/new`)).status, 403)
    assert.equal((await keyLabelled('till'))?.revokedAt, null)
  })
})

describe('the rights of a key', () => {
  const newPage = `${root}/keys/new`
  const keyWith = async (label: string, rights: readonly string[], person = owner) => {
    const ticked = Object.fromEntries(rights.map((right) => [`right-${right}`, 'yes']))
    const answer = await person.post(newPage, { label, scope: 'client', ...ticked })
    const key = (await readKeys(db, clientId)).find((one) => one.label === label)
    const path = `${root}/keys/${key?.id}`
    return { answer, key, path, secret: secretIn((await person.get(root)).text) ?? '' }
  }

  it('are those ticked; at first those that take no money out', async () => {
    const { text } = await owner.get(newPage)
    const boxes = [...text.matchAll(/id="right-(\w+)"[^>]*?( checked)?>/g)]
    assert.deepEqual(
      boxes.map(([, right, ticked]) => [right, ticked !== undefined]),
      keyRights.map((right) => [right, usualKeyRights.includes(right)]),
    )
    const { answer } = await keyWith('none', [])
    assert.equal(answer.status, 422)
    assert.match(answer.visible, /Give it at least one right/)
  })

  for (const [role, given] of [
    ['owner', keyRights],
    ['admin', keyRights],
    ['developer', ['read', 'collect', 'links', 'prepare']],
  ] as const)
    it(`that a person may give are their own: ${role}`, async () => {
      const person = await signedInAs(gateway, role)
      const { text } = await person.get(newPage)
      assert.deepEqual(
        [...text.matchAll(/id="right-(\w+)"/g)].map(([, right]) => right),
        given,
      )
      for (const right of keyRights) {
        const { answer, key } = await keyWith(`${role} ${right}`, [right], person)
        const isGiven = given.some((one) => one === right)
        assert.deepEqual([answer.status, key?.rights], isGiven ? [303, [right]] : [422, undefined])
        if (!isGiven) assert.match(answer.visible, /Your role lacks these rights/)
      }
    })

  it('of a key of a developer take no money out', async () => {
    const developer = await signedInAs(gateway, 'developer')
    const { secret } = await keyWith('app', ['read', 'collect', 'links', 'prepare'], developer)
    const json = initBody({ serviceCode: 'WALLETA_SN_CASHIN' })
    const { status, body } = await call({ url, secret }, 'POST /api/v1/transaction/init', json)
    assert.deepEqual([status, body.code], [403, 'RIGHT_MISSING'])
    assert.equal(await balanceWith(secret), 403)
    await assertMoney(gateway)
  })

  it('that a person lacks keep them from a new secret, not from ending the key', async () => {
    const { path, secret } = await keyWith('payer', ['read', 'balance', 'pay'])
    const developer = await signedInAs(gateway, 'developer')
    const page = await developer.get(path)
    assert.match(
      page.visible,
      /that your role lacks: read the balance, pay \(payouts, airtime, bills\)/,
    )
    const refused = await developer.post(`${path}/rotate`, { overlap: 'none' }, { from: path })
    assert.equal(refused.status, 422)
    assert.match(refused.visible, /that your role lacks: read the balance, pay/)
    assert.equal(await balanceWith(secret), 200)
    await developer.post(`${path}/revoke`, {}, { from: path })
    await eventually('it is refused', async () => (await balanceWith(secret)) === 401)
  })
})

describe('webhooks', () => {
  const page = `${root}/webhooks`
  const send = (verb: string, fields: Record<string, string> = {}, person = owner) =>
    person.post(`${page}/${verb}`, fields, { from: page })
  const told = async () => (await owner.get(page)).visible

  it('go to the default address, which is checked as the interface does', async () => {
    const bad = await send('address', { address: 'ftp://shop' })
    assert.equal(bad.status, 422)
    assert.match(bad.visible, /The address must be a full http or https address/)
    assert.match(bad.text, /value="ftp:\/\/shop"/)
    await send('address', { address: `${receiver.url}/default` })
    assert.equal((await findClient(db, clientId))?.callbackUrl, `${receiver.url}/default`)
    assert.equal((await send('address', { address: 'http://x.test' }, support)).status, 403)
  })

  it('are tried with a test event, and the answer is told', async () => {
    await send('secret', { overlap: 'hour' })
    const secret = secretIn((await owner.get(page)).text)
    assert.match(String(secret), /^whsec_/)
    await send('test')
    assert.match(await told(), /Your address answered HTTP 200 in \d+ ms/)
    const [got] = await receiver.has(1)
    assert.equal(got?.path, '/default')
    assert.ok(got?.headers['webhook-signature'])
  })

  it('whose test event is refused say so as a failure, with what was answered', async () => {
    receiver.answer = (_got, response) => response.writeHead(403).end('no <b>entry</b>')
    await send('test')
    const { text } = await owner.get(page)
    receiver.answer = (_got, response) => response.end('ok')
    const [, tone, shown] = /id="told" class="notice (\w+)"(.*?)<\/div>/s.exec(text) ?? []
    assert.equal(tone, 'bad')
    assert.match(String(shown), /Your address refused the event: HTTP 403 .*no &lt;b&gt;entry&lt;/s)
  })

  it('are listed and shown with every try, and sent again: the true outcome is told', async () => {
    receiver.answer = (_got, response) => response.writeHead(500).end('<b>broken</b>')
    await collected(gateway, { callBackURL: `${receiver.url}/hook`, number: '771112233' })
    const list = await eventually('it is tried', async () => {
      const { text } = await owner.get(`${page}?state=pending`)
      return /HTTP 500/.test(text) && text
    })
    assert.match(list, /<code>cashout\.success<\/code>/)
    assert.ok(list.includes(`${formatAmount(5000)}</span>`))
    const [, id] = /developers\/webhooks\/([0-9a-f-]{36})"/.exec(list) ?? []
    const [, event] = /name="event-([0-9a-f-]{36})"/.exec(list) ?? []
    const path = `${page}/${id}`
    const { visible, text } = await owner.get(path)
    assert.match(visible, /Attempt 1 .*HTTP 500/)
    assert.ok(text.includes('&lt;b&gt;broken&lt;/b&gt;'))
    assert.match(text, /PHONE_NUMBER&quot;: &quot;771112233/)
    assert.doesNotMatch((await support.get(path)).text, /771112233/)
    assert.equal((await stranger.get(path)).status, 404)
    const events = `${root}/events/${event}`
    assert.equal((await stranger.get(events)).status, 404)
    const foreign = await stranger.post(`${events}/replay`, {}, { from: `${root}/keys/new` })
    assert.equal(foreign.status, 404)
    const failed = await owner.post(`${events}/replay`, {}, { from: path })
    assert.match(failed.location ?? '', /developers\/webhooks\/[0-9a-f-]{36}$/)
    const shown = await owner.get(failed.location ?? '')
    assert.match(shown.visible, /Resent: 1\. Delivered: 0\. Failed: 1\./)
    assert.match(shown.text, /id="told" class="notice bad"/)
    assert.match(shown.visible, /Type cashout\.success Your reference \S+ .*Amount 5.000.F CFA/)
    receiver.answer = (_got, response) => response.end('ok')
    await send('replay', { [`event-${event}`]: 'yes' }, support)
    assert.match((await support.get(page)).visible, /Resent: 1\. Delivered: 1\./)
    await send('replay', { 'event-00000000-0000-7000-8000-000000000000': 'yes' })
    assert.match(await told(), /Nothing was sent/)
    await assertMoney({ db })
  })

  it('of a range of time are sent again', async () => {
    const wrong = await send('replay-range', { from: 'soon', to: '2026-02-30T10:00' })
    assert.equal(wrong.status, 422)
    assert.equal(wrong.visible.match(/Write a day and a time/g)?.length, 4)
    await send('replay-range', { from: '2020-01-01T00:00', to: '2100-01-01T00:00', all: 'yes' })
    assert.match(await told(), /Resent: 1\. Delivered: 1\./)
  })
})

describe('events', () => {
  it('are filtered by type, and shown with their bodies', async () => {
    const all = await owner.get(`${root}/events`)
    const [, id] = /developers\/events\/([0-9a-f-]{36})"/.exec(all.text) ?? []
    assert.match(all.text, /<code>cashout\.success<\/code>.*data-copy="/s)
    assert.ok(all.text.includes(formatAmount(5000)))
    assert.match((await owner.get(`${root}/events?type=CASHOUT`)).text, new RegExp(`${id}`))
    assert.match((await owner.get(`${root}/events?type=REFUND`)).visible, /No event of this type/)
    const { text } = await owner.get(`${root}/events/${id}`)
    assert.match(text, /&quot;STATUS&quot;: &quot;SUCCESS&quot;/)
  })
})

describe('requests', () => {
  it('are found by their id with what was wrong, by their merchant alone', async () => {
    const answer = await call(gateway, 'POST /api/v1/transaction/init', initBody({ amount: 1 }))
    const id = answer.body.requestId
    const path = `${root}/requests?q=${id}`
    await eventually('it is shown', async () =>
      (await owner.get(path)).text.includes(`${id}</code>`),
    )
    const { visible } = await owner.get(path)
    assert.match(visible, /POST \/api\/v1\/transaction\/init INVALID_AMOUNT .*amount/)
    assert.match((await stranger.get(path)).visible, /No request req_/)
    assert.ok((await owner.get(`${root}/requests?state=failed`)).text.includes(id))
    assert.match((await owner.get(`${root}/requests?q=%3Cb%3E`)).visible, /No request/)
  })
})

describe('mails and the sandbox', () => {
  it('shows kept mails as text, those about records alone', async () => {
    const at = new Date()
    const mail = { clientId, recordId: clientIdAsId, to: 'a@b.example', language: 'fr' as const }
    const write = (kind: string, subject: string) =>
      db.transaction((tx) =>
        queueMail(tx, { ...mail, kind, subject, text: 'Client 771234567', html: '' }, at, false),
      )
    const id = await write('link_created', 'A link')
    const hidden = await write('password_reset', 'A password')
    const { visible } = await owner.get(`${root}/mails`)
    assert.match(visible, /A link .*Kept/)
    assert.doesNotMatch(visible, /A password/)
    assert.equal((await owner.get(`${root}/mails/${hidden}`)).status, 404)
    assert.equal((await stranger.get(`${root}/mails/${id}`)).status, 404)
    assert.match((await owner.get(`${root}/mails/${id}`)).visible, /Client 771234567/)
    assert.doesNotMatch((await support.get(`${root}/mails/${id}`)).text, /771234567/)
    const { location } = await owner.post(`${root}/mails/${id}/resend`, {}, { from: root })
    assert.match((await owner.get(location ?? '')).visible, /There is no mail server/)
  })

  it('lists the numbers of the lab', async () => {
    const { visible } = await owner.get(`${root}/sandbox`)
    assert.match(visible, /770000001 .*Not enough money/)
  })
})

const clientIdAsId = '00000000-0000-7000-8000-000000000001'

describe('in a browser', async () => {
  const browser = await testBrowser()

  slowTest('hostile texts do nothing, and every page is accessible on a phone', async () => {
    for (const label of xssPayloads.slice(0, 40))
      await owner.post(`${root}/keys/new`, { label: label.slice(0, 60), 'right-read': 'yes' })
    receiver.answer = (_got, response) => response.end(xssPayloads.join(' '))
    await collected(gateway, {
      callBackURL: `${receiver.url}/hook`,
      customData: JSON.stringify(xssPayloads[0]),
    })
    await using opened = await openPage(browser)
    const { page } = opened
    await signInWith(page, url, owner.email)
    const list = await eventually('it is delivered', async () => {
      const { text } = await owner.get(`${root}/webhooks?state=delivered`)
      return text.match(/developers\/webhooks\/[0-9a-f-]{36}"/g)?.[0]
    })
    const paths = [
      '',
      '/keys/new',
      '/webhooks',
      `/${list.slice(11, -1)}`,
      '/events',
      '/requests',
      '/mails',
      '/sandbox',
    ]
    await assertScreens(
      page,
      paths.map((path) => root + path),
    )
    assert.equal(await page.evaluate('window.__xss'), undefined)
    assert.deepEqual(opened.complaints, [])
  })

  slowTest('a key is made without JavaScript', async () => {
    await using opened = await openPage(browser, { javaScriptEnabled: false })
    const { page } = opened
    await signInWith(page, url, owner.email)
    await page.goto(`${url}${root}`)
    await page.click(`a[href="${root}/keys/new"]`)
    await page.fill('#label', 'without script')
    await page.click('main form button')
    assert.match(await page.innerText('#secret'), /^sk_sandbox_/)
  })
})
