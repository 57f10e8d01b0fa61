import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readConfig } from '#base/config/config.ts'
import { systemClock as clock } from '#base/kit/clock.ts'
import { readAudit } from '#data/db/audit-log.ts'
import { openSessions } from '#merchants/people/sessions/sessions.ts'
import { addPerson, signedInAs, signIn, testPassword, tokenIn } from '#test/dashboard.ts'
import { liveGateway } from '#test/live.ts'

const gateway = await liveGateway()
const { url, db, clientId } = gateway
const owner = await signedInAs(gateway, 'owner')

// Where a form asks to be led, and where it leads.
const goals = [
  ['/dashboard/transactions?status=FAILED', '/dashboard/transactions?status=FAILED'],
  ['https://evil.example/', '/dashboard'],
  ['//evil.example', '/dashboard'],
  ['/dashboard/../../evil', '/dashboard'],
  ['/dashboard\\evil', '/dashboard'],
  ['/dashboard?a=1\r\nSet-Cookie: a=1', '/dashboard'],
  ['/dashboard?name=é', '/dashboard'],
  ['/dashboard?name=\u{1f4a9}', '/dashboard'],
] as const

describe('signing in', () => {
  const attempt = (fields: Record<string, string>, query = '') =>
    fetch(`${url}/dashboard/sign-in${query}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    })

  it('sets a session cookie that scripts and other sites cannot use', async () => {
    const answer = await attempt({ email: owner.email, password: testPassword })
    assert.equal(answer.status, 303)
    const [session = ''] = answer.headers.getSetCookie()
    assert.match(session, /^session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/)
  })

  it('takes the mail address in any case', async () => {
    const { status } = await attempt({ email: owner.email.toUpperCase(), password: testPassword })
    assert.equal(status, 303)
  })

  for (const [what, fields] of [
    ['a wrong password', { email: owner.email, password: 'nope' }],
    ['an unknown address', { email: 'nobody@shop.example', password: testPassword }],
    ['nothing', {}],
  ] as const)
    it(`with ${what} shows the form again, with the same words`, async () => {
      const answer = await attempt(fields)
      assert.equal(answer.status, 422)
      assert.match(await answer.text(), /mot de passe incorrect/)
    })

  for (const [then, location] of goals)
    it(`from ${then} leads to ${location}`, async () => {
      const fields = { email: owner.email, password: testPassword }
      const answer = await attempt(fields, `?then=${encodeURIComponent(then)}`)
      assert.equal(answer.headers.get('location'), location)
      const back = { language: 'fr', back: then }
      const chosen = await owner.post('/dashboard/account/language', back, { from: '/dashboard' })
      assert.equal(chosen.location, location, 'of another form')
    })

  it('is needed for every page, and leads back to it', async () => {
    const answer = await fetch(`${url}/dashboard/account?a=1`, { redirect: 'manual' })
    assert.equal(answer.status, 303)
    assert.equal(
      answer.headers.get('location'),
      '/dashboard/sign-in?then=%2Fdashboard%2Faccount%3Fa%3D1',
    )
  })

  it('ends with signing out', async () => {
    const person = await signedInAs(gateway, 'viewer')
    assert.equal((await person.get('/dashboard')).status, 200)
    await person.post('/dashboard/sign-out', {}, { from: '/dashboard' })
    assert.equal((await person.get('/dashboard')).location, '/dashboard/sign-in')
  })
})

describe('attempts to sign in', () => {
  const attempt = (email: string, password: string, cookie = '') =>
    fetch(`${url}/dashboard/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ email, password }),
      headers: { cookie },
      redirect: 'manual',
    })

  it('are limited for strangers, and never for the device of the person', async () => {
    const email = await addPerson(gateway, { clientId, role: 'finance' })
    const known = await signIn(url, email)
    for (let tries = 0; tries < 10; tries += 1)
      assert.equal((await attempt(email, 'guess')).status, 422)
    assert.equal((await attempt(email, 'guess')).status, 429)
    assert.equal((await attempt(email, testPassword)).status, 429)
    assert.equal((await attempt(email, testPassword, known.cookie)).status, 303)
  })

  it('with the device of another person count as those of a stranger', async () => {
    const email = await addPerson(gateway, { clientId, role: 'finance' })
    for (let tries = 0; tries < 10; tries += 1) await attempt(email, 'guess', owner.cookie)
    assert.equal((await attempt(email, testPassword, owner.cookie)).status, 429)
  })
})

describe('a form', () => {
  const path = '/dashboard/account/language'
  const audits = async () =>
    (await readAudit(db, { clientId, before: null, limit: 100 })).filter(
      ({ actor }) => actor === owner.email,
    )

  it('without our token, or with that of another session, is refused', async () => {
    const other = await signedInAs(gateway, 'owner')
    const foreign = tokenIn((await other.get('/dashboard')).text)
    for (const token of ['', 'x.y', foreign])
      assert.equal((await owner.post(path, { language: 'fr' }, { token })).status, 403, token)
  })

  it('from another site is refused, even with the token', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' }
    const { status } = await owner.post(path, {}, { from: '/dashboard', headers })
    assert.equal(status, 403)
  })

  it('sent twice does its work once, and leads to the same page', async () => {
    const token = tokenIn((await owner.get('/dashboard')).text)
    const before = (await audits()).length
    const fields = { language: 'en', back: '/dashboard' }
    const first = await owner.post(path, fields, { token })
    const second = await owner.post(path, fields, { token })
    assert.deepEqual([first.status, first.location], [303, '/dashboard'])
    assert.deepEqual([second.status, second.location], [303, '/dashboard'])
    assert.equal((await audits()).length, before + 1)
  })

  it('is in the audit log with who, from where and what', async () => {
    const [last] = await audits()
    assert.equal(last?.action, 'account.change')
    assert.equal(last?.address, '127.0.0.1')
    const { form, ...details } = last?.details ?? {}
    assert.match(String(form), /^[\w-]{10,}$/)
    assert.deepEqual(details, { path, fields: { language: 'en', back: '/dashboard' } })
  })
})

describe('a page', () => {
  it('allows only our own style, scripts and connections', async () => {
    const { headers, text } = await owner.get('/dashboard')
    const policy = headers.get('content-security-policy') ?? ''
    const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? []
    assert.match(policy, /^default-src 'none'; .*frame-ancestors 'none'$/)
    assert.doesNotMatch(policy, /unsafe|\*|https?:/)
    assert.ok(nonce.length >= 20 && text.includes(`nonce="${nonce}"`))
    assert.doesNotMatch(text, / (on[a-z]+|style)="/)
    assert.doesNotMatch(text, /(src|href|action)="(https?:)?\/\//)
  })

  it('with all that it needs is at most 60 KB on the wire', async () => {
    const { text } = await owner.get('/dashboard')
    const files = [...text.matchAll(/(?:src|href)="(\/dashboard\/assets[^"]+)"/g)]
    assert.equal(files.length, 3)
    let bytes = Buffer.byteLength(text)
    for (const [, file = ''] of files) {
      const answer = await fetch(`${url}${file}`, { headers: { 'accept-encoding': 'br' } })
      assert.match(answer.headers.get('cache-control') ?? '', /immutable/)
      bytes += Number(answer.headers.get('content-length'))
    }
    assert.ok(bytes < 60 * 1024, `${bytes} bytes`)
  })

  it('that does not exist is a 404 in the frame', async () => {
    const { status, visible } = await owner.get('/dashboard/nothing/here')
    assert.equal(status, 404)
    assert.match(visible, /Page not found/)
  })

  it('of a client that a person does not belong to cannot be chosen', async () => {
    const { clientId: another } = await gateway.newMerchant()
    const chosen = await owner.post('/dashboard/clients', { client: String(another) })
    assert.equal(chosen.status, 200)
    assert.doesNotMatch((await owner.get('/dashboard')).text, new RegExp(`client ${another}\\b`))
  })
})

describe('what an action has to tell', () => {
  const page = '/dashboard/settings'
  const shop = { name: 'Chez Awa', email: 'awa@shop.example', language: 'en' }
  const fields = { ...shop, lifetime: '21600', timeZone: 'Africa/Dakar' }
  const prefetch = [{ 'sec-purpose': 'prefetch;prerender' }, { 'x-sec-purpose': 'prefetch' }]

  it('is told once, on the page that it leads to, and not to one that nobody sees', async () => {
    assert.equal((await owner.post(page, fields)).location, page)
    // A window that reads itself again, and links that somebody points at.
    assert.doesNotMatch((await owner.get('/dashboard')).visible, /Saved\./)
    for (const headers of prefetch)
      assert.doesNotMatch((await owner.get(page, headers)).visible, /Saved\./)
    assert.match((await owner.get(`${page}?lang=en`)).visible, /Saved\./)
    assert.doesNotMatch((await owner.get(page)).visible, /Saved\./)
  })

  it('is not forgotten by a page that showed what was told before', async () => {
    const { secretKey } = readConfig({ MODE: 'sandbox' })
    const sessions = openSessions({ db, clock, secretKey })
    const [, cookie = ''] = /session=([\w-]+)/.exec(owner.cookie) ?? []
    const find = () => sessions.find({ cookie, address: '127.0.0.1' })
    await owner.post(page, fields)
    const slow = await find()
    assert.ok(slow !== undefined && slow.message !== null)
    await owner.post(page, fields)
    await sessions.forgetMessage(slow)
    assert.match((await owner.get(page)).visible, /Saved\./)
  })
})
