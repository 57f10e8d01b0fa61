import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import { toStorable } from '#data/db/storable-text.ts'
import {
  addPerson,
  appCode,
  liveSettings,
  type SignedIn,
  signedInAs,
  signIn,
  switchFactorOn,
  testPassword,
} from '#test/dashboard.ts'
import { liveGateway } from '#test/live.ts'
import { eventually } from '#test/wait.ts'
import { xssPayloads } from '#test/xss-payloads.ts'

const gateway = await liveGateway()
const { url, db, clientId } = gateway

const send = (path: string, fields: Record<string, string>, cookie = '', base = url) =>
  fetch(`${base}${path}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    headers: { cookie },
    redirect: 'manual',
  })

const cookiesOf = ({ headers }: Response): string[] =>
  headers.getSetCookie().map((one) => one.split(';')[0] ?? '')

/** A person whose second factor is on. */
async function withFactor() {
  const email = await addPerson(gateway, { clientId, role: 'viewer' })
  const person = await signIn(url, email)
  return { email, person, ...(await switchFactorOn(person)) }
}

/** Gives the password; the cookie that is good for the second step. */
async function firstStep(email: string, password = testPassword): Promise<string> {
  const answer = await send('/dashboard/sign-in?then=/dashboard/links', { email, password })
  const then = '?then=%2Fdashboard%2Flinks'
  assert.equal(answer.headers.get('location'), `/dashboard/sign-in/code${then}`)
  const [proof = '', ...others] = cookiesOf(answer)
  assert.deepEqual(others, [], 'no session before the second step')
  return proof
}

const secondStep = (proof: string, code: string) =>
  send('/dashboard/sign-in/code?then=/dashboard/links', { code }, proof)

describe('the second step', () => {
  it('lets in with the code of the app, once, and leads on', async () => {
    const { email, secret, person } = await withFactor()
    // Switching it on has used the code of now.
    const code = appCode(secret, 1)
    const answer = await secondStep(await firstStep(email), code)
    assert.equal(answer.headers.get('location'), '/dashboard/links')
    const cookie = cookiesOf(answer).join('; ')
    const inside = await fetch(`${url}/dashboard`, { headers: { cookie }, redirect: 'manual' })
    assert.equal(inside.status, 200)
    assert.equal((await secondStep(await firstStep(email), code)).status, 422)
    assert.equal((await person.get('/dashboard')).status, 200)
  })

  it('refuses a wrong code, and gives no session', async () => {
    const { email, secret } = await withFactor()
    const wrong = appCode(secret, 20)
    const answer = await secondStep(await firstStep(email), wrong)
    assert.equal(answer.status, 422)
    assert.deepEqual(cookiesOf(answer), [])
  })

  it('takes each recovery code once, however it is typed', async () => {
    const { email, recoveryCodes } = await withFactor()
    assert.equal(recoveryCodes.length, 10)
    const [first = '', second = ''] = recoveryCodes
    assert.equal((await secondStep(await firstStep(email), first)).status, 303)
    assert.equal((await secondStep(await firstStep(email), first)).status, 422)
    const typed = ` ${second.replace('-', ' ').toUpperCase()} `
    assert.equal((await secondStep(await firstStep(email), typed)).status, 303)
  })

  it('is over after ten wrong codes, for the right one too', async () => {
    const { email, secret } = await withFactor()
    const proof = await firstStep(email)
    for (let tries = 0; tries < 10; tries += 1)
      assert.equal((await secondStep(proof, 'wrong-code')).status, 422)
    assert.equal((await secondStep(proof, 'wrong-code')).status, 429)
    assert.equal((await secondStep(proof, appCode(secret, 1))).status, 429)
  })

  it('needs the first, which a change of the password undoes', async () => {
    const { email, secret, person } = await withFactor()
    const proof = await firstStep(email)
    const fields = { 'old-password': testPassword, password: 'trois mots faciles' }
    assert.equal((await person.post('/dashboard/account/password', fields)).status, 303)
    for (const cookie of ['', 'proof=sealed:nonsense', proof]) {
      const answer = await secondStep(cookie, appCode(secret, 1))
      assert.equal(answer.headers.get('location'), '/dashboard/sign-in', cookie)
    }
  })

  it('has a secret of one session, shown after the password alone', async () => {
    const { email } = await signedInAs(gateway, 'viewer')
    const [mine, other] = [await signIn(url, email), await signIn(url, email)]
    const path = '/dashboard/account/second-factor'
    const offered = async (person: SignedIn) => {
      const { text } = await person.get(path)
      const [, secret = ''] = /<code>([A-Z2-7]+)<\/code>/.exec(text) ?? []
      const [, sealed = ''] = /name="sealed" value="([^"]+)"/.exec(text) ?? []
      return { secret, sealed, code: appCode(secret) }
    }
    const first = await offered(mine)
    const second = await offered(other)
    assert.notEqual(first.secret, second.secret)
    assert.equal((await other.post(path, { ...first })).status, 422, 'of another session')
    const own = { sealed: 'JBSWY3DPEHPK3PXP', code: appCode('JBSWY3DPEHPK3PXP') }
    assert.equal((await mine.post(path, own)).status, 422, 'chosen by the sender')
    await db`update sessions set confirmed_at = now() - interval '16 minutes'`
    const late = await mine.get(path)
    assert.doesNotMatch(late.text, /name="sealed"|<code>[A-Z2-7]{16}/)
    assert.equal((await mine.post(path, { what: 'begin' })).status, 403)
    const password = { what: 'begin', 'confirm-password': testPassword }
    assert.equal((await mine.post(path, password)).location, path)
    const { sealed, code } = await offered(mine)
    assert.equal((await mine.post(path, { sealed, code })).status, 303)
    assert.equal((await other.get('/dashboard')).status, 303, 'the other session has ended')
  })

  it('is off again after it was switched off, with the password', async () => {
    const { email, person } = await withFactor()
    await db`update sessions set confirmed_at = now() - interval '16 minutes'`
    const path = '/dashboard/account/second-factor'
    assert.equal((await person.post(path, { what: 'off' })).status, 403)
    const fields = { what: 'off', 'confirm-password': testPassword }
    assert.equal((await person.post(path, fields)).status, 303)
    await signIn(url, email)
  })
})

describe('a session', () => {
  const idOf = async (person: SignedIn) => {
    const { text } = await person.get('/dashboard/account/sessions')
    return /name="session" value="([\w-]{36})"/.exec(text)?.[1] ?? ''
  }

  for (const [what, column, limit] of [
    ['without a visit', 'last_seen_at', '3 days'],
    ['since it began', 'created_at', '30 days'],
  ] as const)
    it(`ends ${limit} ${what}`, async () => {
      const person = await signedInAs(gateway, 'viewer')
      const age = async (interval: string) => {
        const { email } = person
        if (column === 'created_at')
          await db`
            update sessions set created_at = now() - ${interval}::interval
            where person_id = (select id from people where email = ${email})`
        else
          await db`
            update sessions set last_seen_at = now() - ${interval}::interval
            where person_id = (select id from people where email = ${email})`
      }
      await age(`${limit} -1 minute`)
      assert.equal((await person.get('/dashboard')).status, 200)
      await age(`${limit} 1 minute`)
      assert.equal((await person.get('/dashboard')).location, '/dashboard/sign-in')
    })

  it('is ended from another one: a single one, or all others', async () => {
    const email = await addPerson(gateway, { clientId, role: 'viewer' })
    const here = await signIn(url, email)
    const path = '/dashboard/account/sessions'
    const phone = await signIn(url, email)
    assert.equal((await here.post(path, { session: await idOf(here) })).location, path)
    assert.equal((await phone.get('/dashboard')).location, '/dashboard/sign-in')
    const others = [await signIn(url, email), await signIn(url, email)]
    assert.equal((await here.post(path, { session: 'all' })).location, path)
    for (const one of others)
      assert.equal((await one.get('/dashboard')).location, '/dashboard/sign-in')
    assert.equal((await here.get('/dashboard')).status, 200)
  })

  it('of another person cannot be ended', async () => {
    const [one, other] = [await signedInAs(gateway, 'owner'), await signedInAs(gateway, 'viewer')]
    const more = await signIn(url, other.email)
    const foreign = await idOf(more)
    await one.post('/dashboard/account/sessions', { session: foreign })
    assert.equal((await other.get('/dashboard')).status, 200)
  })
})

describe('a person in several clients', () => {
  it('goes from one to the other, with the role of each', async () => {
    const other = await gateway.newMerchant()
    const email = await addPerson(gateway, { clientId, role: 'owner' })
    await db`
      insert into memberships (person_id, client_id, role, created_at)
      select id, ${other.clientId}, 'support', now() from people where email = ${email}`
    const person = await signIn(url, email)
    const show = (id: number) =>
      person.post('/dashboard/clients', { client: String(id) }, { from: '/dashboard/clients' })
    assert.equal((await show(clientId)).location, '/dashboard')
    assert.equal((await person.get('/dashboard/audit')).status, 200)
    assert.equal((await show(other.clientId)).location, '/dashboard')
    assert.equal((await person.get('/dashboard/audit')).status, 403)
    // The other session of the person still shows what it showed.
    const second = await signIn(url, email)
    await second.post('/dashboard/clients', { client: String(clientId) })
    assert.equal((await person.get('/dashboard/audit')).status, 403)
    assert.equal((await second.get('/dashboard/audit')).status, 200)
  })
})

describe('with https', async () => {
  const live = await liveGateway({ environment: liveSettings })
  const email = await addPerson(live, { clientId: live.clientId, role: 'viewer' })

  it('cookies belong to this host alone, and plain ones are not looked at', async () => {
    const answer = await send('/dashboard/sign-in', { email, password: testPassword }, '', live.url)
    const set = answer.headers.getSetCookie()
    assert.deepEqual(
      set.map((one) => one.split('=')[0]),
      ['__Host-session', '__Host-device', '__Host-proof'],
    )
    for (const one of set) {
      assert.match(one, /; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/)
      assert.doesNotMatch(one, /Domain/)
    }
    const [session = ''] = cookiesOf(answer)
    const open = (cookie: string) =>
      fetch(`${live.url}/dashboard`, { headers: { cookie }, redirect: 'manual' })
    assert.equal((await open(session)).status, 200)
    assert.equal((await open(session.replace('__Host-', ''))).status, 303)
  })
})

describe('the audit log', () => {
  it('shows what was done by whom and from where, to owners and admins', async () => {
    const owner = await signedInAs(gateway, 'owner')
    const email = 'invited@shop.example'
    await owner.post('/dashboard/team/invite', { email, role: 'viewer' })
    const { visible } = await owner.get(`/dashboard/audit?who=${owner.email}`)
    assert.match(visible, new RegExp(`${owner.email} Person invited ${email} .*127\\.0\\.0\\.1`))
    assert.doesNotMatch(visible, /Team changed/, 'the form has no line of its own')
    const none = await owner.get('/dashboard/audit?who=nobody@shop.example')
    assert.match(none.visible, /Nothing matches this filter/)
    const keys = await owner.get(`/dashboard/audit?who=${owner.email}&group=key`)
    assert.doesNotMatch(keys.visible, /Person invited/)
    const wrong = await owner.get('/dashboard/audit?from=2026-13-40&to=x&after=-1')
    assert.equal(wrong.status, 200)
    assert.match(wrong.visible, /Write a day that exists/)
  })

  it('shows what a form asked for that was refused', async () => {
    const owner = await signedInAs(gateway, 'owner')
    await owner.post('/dashboard/team/invite', { email: 'no address', role: 'viewer' })
    const { visible } = await owner.get(`/dashboard/audit?who=${owner.email}`)
    assert.match(visible, /Team changed no address .*path \/dashboard\/team\/invite/)
  })

  it('shows sign-ins, good and refused, to the client of the person', async () => {
    const email = await addPerson(gateway, { clientId, role: 'viewer' })
    assert.equal((await send('/dashboard/sign-in', { email, password: 'wrong' })).status, 422)
    await signIn(url, email)
    const owner = await signedInAs(gateway, 'owner')
    const audit = `/dashboard/audit?who=${email}&group=session`
    await eventually('both are recorded', async () =>
      /Signed in .*Sign-in refused .*step password/.test((await owner.get(audit)).visible),
    )
  })

  it('shows nothing of another client, and no secret', async () => {
    const owner = await signedInAs(gateway, 'owner')
    const other = await gateway.newMerchant()
    const stranger = await signedInAs({ ...gateway, ...other }, 'owner')
    await stranger.post('/dashboard/team/invite', { email: 'x@other.example', role: 'viewer' })
    const password = 'a password in a wrong field'
    await owner.post('/dashboard/account/password', { 'old-password': password, password })
    const { text } = await owner.get('/dashboard/audit')
    assert.doesNotMatch(text, /other\.example/)
    assert.ok(!text.includes(password))
  })

  it('escapes all that it shows', async () => {
    const owner = await signedInAs(gateway, 'owner')
    // As forms are read: what the database cannot hold is gone.
    for (const payload of xssPayloads.map(toStorable))
      await db.transaction((tx) =>
        recordAudit(tx, {
          at: clock.now(),
          actor: payload,
          action: payload,
          clientId,
          details: { [payload]: payload, from: payload, fields: { [payload]: payload } },
        }),
      )
    let path = '/dashboard/audit'
    const seen = new Set<string>()
    while (path !== '' && !seen.has(path)) {
      seen.add(path)
      const { text } = await owner.get(path)
      for (const payload of xssPayloads.filter((one) => /[<"]/.test(one)))
        assert.ok(!text.includes(payload), payload)
      path = /href="(\/dashboard\/audit\?after=\d+)"/.exec(text)?.[1] ?? ''
    }
    assert.ok(seen.size > 1)
  })
})
