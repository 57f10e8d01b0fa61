import assert from 'node:assert/strict'
import { createHash, createPrivateKey, sign } from 'node:crypto'
import { describe, it } from 'node:test'
import { accessibilityViolations, openPage, testBrowser } from '#test/browser.ts'
import { addPerson, signedInAs, signIn, signInWith, testPassword } from '#test/dashboard.ts'
import { liveGateway } from '#test/live.ts'

// Browsers have passkeys for names alone, and without https for localhost alone.
const named = (url: string) => url.replace('127.0.0.1', 'localhost')
const gateway = await liveGateway({ publicUrl: named })
const { db, clientId } = gateway
const url = named(gateway.url)
const browser = await testBrowser()
const email = await addPerson(gateway, { clientId, role: 'finance' })
const list = '/dashboard/account/passkeys'

interface Device {
  credentialId: string
  userHandle: string
  privateKey: string
  counter: number
}

// What the device of the journey holds, with which later tests sign what a browser would not.
let device: Device

describe('a passkey in a browser', () => {
  it('is made, named, listed, and signs in without a password', async () => {
    await using opened = await openPage(browser)
    const { page, context } = opened
    const cdp = await context.newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
    } as const
    const added = await cdp.send('WebAuthn.addVirtualAuthenticator', { options })
    const { authenticatorId } = added
    const earlier = await signIn(gateway.url, email)

    await signInWith(page, url, email)
    await page.goto(`${url}${list}`)
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.click('main a.button')
    await page.fill('#name', 'Phone <b>of Awa</b>')
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.click('main button')
    await page.waitForSelector('#secret')
    assert.match(await page.innerText('main'), /each works once.*Phone <b>of Awa<\/b>/s)
    // It is a second factor now: sessions that began without one are over.
    assert.equal((await earlier.get('/dashboard')).location, '/dashboard/sign-in')

    await page.click('.person summary')
    await page.click('.person form[action$="sign-out"] button')
    await page.click('.with-passkeys a')
    await page.waitForSelector('[data-passkey]')
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.click('main button')
    await page.waitForSelector('nav')
    assert.match(await page.innerText('header'), /Person/)

    await page.click('.person summary')
    await page.click('.person form[action$="sign-out"] button')
    await page.fill('#email', email)
    await page.fill('#password', testPassword)
    await page.click('main button')
    await page.waitForURL(/sign-in\/code/)
    // Without a finger or a PIN the device says no, and the page tells.
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await page.click('[data-passkey] button')
    await page.waitForSelector('[data-refused]:not([hidden])')
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
    await page.click('[data-passkey] button')
    await page.waitForSelector('nav')

    // What is sensitive is confirmed by the device, and then goes on as it was typed.
    await page.goto(`${url}/dashboard/account/second-factor`)
    await db`update sessions set confirmed_at = now() - interval '16 minutes'`
    await page.fill('#code', '000000')
    await page.click('main form button:not([type=button])')
    await page.waitForSelector('[data-passkey]')
    assert.deepEqual(await accessibilityViolations(page), [])
    await page.click('[data-passkey] button')
    await page.waitForSelector('#code-problem')

    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    const [one] = credentials
    assert.ok(one?.userHandle !== undefined && credentials.length === 1)
    const { privateKey, signCount } = one
    const [credentialId, userHandle] = [base64url(one.credentialId), base64url(one.userHandle)]
    device = { credentialId, userHandle, privateKey, counter: signCount }
  })
})

describe('the form of a passkey', () => {
  /** The page to sign in with a passkey, on a device that answers as this script says. */
  async function openForm(get: string) {
    const opened = await openPage(browser)
    const { page } = opened
    await page.addInitScript(`window.asked = 0
      navigator.credentials.get = () => {
        window.asked += 1
        return ${get}
      }`)
    await page.goto(`${url}/dashboard/sign-in`)
    await page.click('.with-passkeys a')
    await page.waitForSelector('[data-passkey]')
    return opened
  }

  it('asks the device once, however often it is pressed', async () => {
    await using opened = await openForm('new Promise(() => {})')
    const { page } = opened
    await page.click('main button')
    await page.click('main button')
    assert.equal(await page.evaluate('window.asked'), 1)
  })

  it('can be sent again when its request fails', async () => {
    await using opened = await openForm('new Promise((done) => setTimeout(() => done({})))')
    const { page } = opened
    await page.route('**/sign-in/**', async (route) => {
      await page.waitForSelector('main button:disabled')
      await route.abort()
    })
    const failed = page.waitForEvent('requestfailed')
    await page.click('main button')
    await failed
    await page.waitForSelector('main button:enabled')
  })
})

function base64url(base64: string): string {
  return Buffer.from(base64, 'base64').toString('base64url')
}

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest()

interface Claim {
  challenge?: string
  origin?: string
  site?: string
  flags?: number
  counter?: number
  change?: (signed: Record<string, unknown>) => void
}

const [present, verified] = [1, 4]

/** What a browser sends for a challenge, signed by the device; each part can be another. */
function signed(challenge: string, claim: Claim = {}): string {
  device.counter += 1
  const { origin = url, site = 'localhost', flags = present + verified } = claim
  const clientData = Buffer.from(
    JSON.stringify({
      type: 'webauthn.get',
      challenge: claim.challenge ?? challenge,
      origin,
      crossOrigin: false,
    }),
  )
  const counter = Buffer.alloc(4)
  counter.writeUInt32BE(claim.counter ?? device.counter)
  const authenticatorData = Buffer.concat([sha256(site), Buffer.from([flags]), counter])
  const key = createPrivateKey({
    key: Buffer.from(device.privateKey, 'base64'),
    format: 'der',
    type: 'pkcs8',
  })
  const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(clientData)]), key)
  const response: Record<string, unknown> = {
    clientDataJSON: clientData.toString('base64url'),
    authenticatorData: authenticatorData.toString('base64url'),
    signature: signature.toString('base64url'),
    userHandle: device.userHandle,
  }
  claim.change?.(response)
  const { credentialId: id } = device
  return JSON.stringify({
    id,
    rawId: id,
    type: 'public-key',
    clientExtensionResults: {},
    response,
  })
}

const page = '/dashboard/sign-in/passkey'

/** A new challenge of the page to sign in, or of another page of passkeys. */
async function challengeOf(path = page, cookie = ''): Promise<string> {
  const text = await (await fetch(`${gateway.url}${path}`, { headers: { cookie } })).text()
  return /&quot;challenge&quot;:&quot;([\w-]+)/.exec(text)?.[1] ?? ''
}

const send = (credential: string, path = page, cookie = '') =>
  fetch(`${gateway.url}${path}`, {
    method: 'POST',
    body: new URLSearchParams({ credential }),
    headers: { cookie },
    redirect: 'manual',
  })

function cookiesOf({ headers }: Response): string {
  const cookies = headers.getSetCookie()
  return cookies.map((one) => one.split(';')[0]).join('; ')
}

/** Gives the password; the cookie stands for the second step. */
async function givePassword(who: string): Promise<string> {
  const answer = await fetch(`${gateway.url}/dashboard/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ email: who, password: testPassword }),
    redirect: 'manual',
  })
  assert.equal(answer.headers.get('location'), '/dashboard/sign-in/code')
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
}

describe('what a device has signed', () => {
  it('signs in once, also where the device does not count', async () => {
    await db`update passkeys set counter = 0`
    const credential = signed(await challengeOf(), { counter: 0 })
    assert.equal((await send(credential)).status, 303)
    assert.equal((await send(credential)).status, 422)
    await db`update passkeys set counter = ${device.counter}`
  })

  const wrong: [what: string, claim: Claim][] = [
    ['for another site', { origin: 'http://evil.example' }],
    ['for another name', { site: 'evil.example' }],
    ['without a finger or PIN', { flags: present }],
    ['with a challenge that is not ours', { challenge: 'A'.repeat(43) }],
    ['with a counter that was there before', { counter: 1 }],
    ['with another signature', { change: (one) => (one.signature = 'MEUCIQDv') }],
    ['for another person', { change: (one) => (one.userHandle = 'AAAA') }],
  ]
  for (const [what, claim] of wrong)
    it(`${what} is refused`, async () =>
      assert.equal((await send(signed(await challengeOf(), claim))).status, 422))

  for (const nonsense of ['', '{', 'null', '[]', '{"id":1}', '{"id":"x","response":{}}'])
    it(`as ${nonsense || 'nothing'} is refused`, async () =>
      assert.equal((await send(nonsense)).status, 422))

  it('after its time is refused', async () => {
    const challenge = await challengeOf()
    await db`update passkey_challenges set expires_at = now() - interval '1 second'`
    assert.equal((await send(signed(challenge))).status, 422)
  })

  it('for the second step of one person serves for that alone', async () => {
    const code = '/dashboard/sign-in/code'
    const [own, other] = [
      await givePassword(email),
      await addPerson(gateway, { operatorRole: 'auditor' }),
    ]
    assert.equal((await send(signed(await challengeOf(code, own)))).status, 422)
    assert.equal((await send(signed(await challengeOf()), code, own)).status, 422)
    const foreign = await signIn(gateway.url, other)
    const foreignNew = await challengeOf(`${list}/new`, foreign.cookie)
    assert.equal((await send(signed(foreignNew))).status, 422)
    const inside = await send(signed(await challengeOf(code, own)), code, own)
    assert.equal(inside.status, 303)
    const ownNew = await challengeOf(`${list}/new`, cookiesOf(inside))
    assert.notEqual(ownNew, '')
    assert.equal((await send(signed(ownNew), code, own)).status, 422)
  })
})

describe('a person with a passkey', () => {
  it('removes it after giving the password again, and it opens nothing any more', async () => {
    const answer = await send(signed(await challengeOf()))
    const cookie = cookiesOf(answer)
    await db`update sessions set confirmed_at = now() - interval '16 minutes'`
    const get = async () => (await fetch(`${gateway.url}${list}`, { headers: { cookie } })).text()
    const token = /name="token" value="([^"]+)"/.exec(await get())?.[1] ?? ''
    const remove = (fields: Record<string, string>) =>
      fetch(`${gateway.url}${list}`, {
        method: 'POST',
        body: new URLSearchParams({ token, passkey: device.credentialId, ...fields }),
        headers: { cookie },
        redirect: 'manual',
      })
    const asked = await (await remove({})).text()
    const [, challenge = ''] = /&quot;challenge&quot;:&quot;([\w-]+)/.exec(asked) ?? []
    const forSignIn = signed(await challengeOf())
    for (const wrong of [signed(challenge, { origin: 'http://evil.example' }), forSignIn, '{']) {
      const refused = await remove({ 'confirm-passkey': wrong })
      assert.equal(refused.status, 422)
      assert.match(await refused.text(), /This passkey was not recognised/)
    }
    assert.equal((await remove({})).status, 403)
    assert.equal((await remove({ 'confirm-password': testPassword })).status, 303)
    assert.match(await get(), /You have none yet/)
    assert.equal((await send(signed(await challengeOf()))).status, 422)
    // The recovery codes stood for the passkey: the password alone is enough again.
    await signIn(gateway.url, email)
    assert.deepEqual(await db`select from recovery_codes`, [])
  })

  it('cannot remove that of another, nor add one without a name or a device', async () => {
    const one = await signedInAs(gateway, 'viewer')
    assert.equal((await one.post(list, { passkey: device.credentialId })).status, 404)
    for (const [name, sentence] of [
      ['', /Give the passkey a name/],
      ['Phone', /could not be verified/],
    ] as const) {
      const { status, visible } = await one.post(`${list}/new`, { name, credential: '{}' })
      assert.equal(status, 422)
      assert.match(visible, sentence)
    }
  })
})

it('without scripts, or at an address without a name, none are offered', async () => {
  const { text } = await (await signedInAs(gateway, 'viewer')).get(list)
  assert.match(text, /<p class="with-passkeys" hidden>/)
  const plain = await liveGateway()
  const answer = await fetch(`${plain.url}/dashboard/sign-in`)
  assert.doesNotMatch(await answer.text(), /sign-in\/passkey/)
  const person = await signedInAs(plain, 'viewer')
  assert.equal((await person.get(`${list}/new`)).status, 404)
  assert.match((await person.get(list)).visible, /address without a name/)
})
