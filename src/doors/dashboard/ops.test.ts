import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { after, systemClock as clock } from '#base/kit/clock.ts'
import { readAudit } from '#data/db/audit-log.ts'
import { queueMail } from '#merchants/mail/queue.ts'
import { noClient } from '#merchants/mail/states.ts'
import { assertScreens, openPage, testBrowser } from '#test/browser.ts'
import {
  addPerson,
  liveSettings,
  type SignedIn,
  signedInAs,
  signedInOperator,
  signIn,
  signInWith,
  switchFactorOn,
} from '#test/dashboard.ts'
import { liveGateway } from '#test/live.ts'
import { usualTest as it, slowTest } from '#test/size.ts'
import { xssPayloads } from '#test/xss-payloads.ts'

const gateway = await liveGateway()
const { url, db, clientId } = gateway
const operator = await signedInOperator(gateway)
const users = '/dashboard/ops/users'
const chosen = 'trois mots faciles'

async function idOf(email: string): Promise<string> {
  const [row] = await db<{ id: string }>`select id from people where email = ${email}`
  return row?.id ?? ''
}

const join = (link: string, fields: Record<string, string>) =>
  fetch(link, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })

/** Invites somebody; the link is shown, since there is no mail server. */
async function invite(email: string, role: string): Promise<string> {
  const { status, visible } = await operator.post(`${users}/invite`, { email, role })
  assert.equal(status, 303, visible)
  const { text } = await operator.get(users)
  return /<code id="secret">([^<]+)</.exec(text)?.[1] ?? ''
}

describe('an operator', () => {
  it('comes to the operations after signing in', async () => {
    assert.equal((await operator.get('/dashboard')).location, '/dashboard/ops')
    const { visible, text } = await operator.get('/dashboard/ops')
    assert.match(visible, /Operations .*Gateway health/)
    assert.doesNotMatch(text, /href="\/dashboard\/(transactions|clients)"/)
  })

  it('has an own account and gets a 404 in the own frame', async () => {
    const account = await operator.get('/dashboard/account')
    assert.match(account.visible, /Role operator/)
    const { status, text } = await operator.get('/dashboard/ops/nothing/here')
    assert.equal(status, 404)
    assert.match(text, /href="\/dashboard\/ops\/users"/)
  })

  it('cannot choose a client without belonging to it', async () => {
    const { location } = await operator.post(
      '/dashboard/clients',
      { client: String(clientId) },
      { from: '/dashboard/ops' },
    )
    assert.notEqual(location, '/dashboard')
    assert.equal((await operator.get('/dashboard/transactions')).location, '/dashboard/ops')
  })

  it('who is also in a client reaches both, with the role of each', async () => {
    const roles = { clientId, role: 'viewer', operatorRole: 'auditor' } as const
    const both = await signIn(url, await addPerson(gateway, roles))
    const home = await both.get('/dashboard')
    assert.match(home.text, /href="\/dashboard\/ops"/)
    assert.equal((await both.get('/dashboard/audit')).status, 403)
    const ops = await both.get('/dashboard/ops')
    assert.match(ops.text, /href="\/dashboard\/clients"/)
    assert.equal((await both.get(`${users}/invite`)).status, 403)
  })
})

describe('an invitation to the operators', () => {
  it('makes a new person an operator of the role, once', async () => {
    const link = await invite('new@gateway.example', 'auditor')
    const page = await (await fetch(link, { headers: { 'accept-language': 'en' } })).text()
    assert.match(page, /Join the operators/)
    assert.equal((await join(link, { name: xssPayloads[0] ?? '', password: chosen })).status, 303)
    assert.equal((await join(link, { name: 'Eve', password: chosen })).status, 404)
    const person = await signIn(url, 'new@gateway.example', chosen)
    assert.equal((await person.get(users)).status, 200)
    assert.equal((await person.get(`${users}/invite`)).status, 403)
    const { text } = await operator.get(users)
    assert.ok(!text.includes('<script>__xss'))
    const again = await operator.post(`${users}/invite`, { email: 'new@gateway.example' })
    assert.equal(again.status, 422)
  })

  it('adds the operations to a person of a client, who must be signed in', async () => {
    const member = await signedInAs(gateway, 'finance')
    const link = await invite(member.email, 'support-operator')
    const path = new URL(link).pathname
    assert.equal(
      (await join(link, { name: 'Eve', password: chosen })).headers.get('location'),
      path,
    )
    const { location } = await member.post(path, {}, { from: '/dashboard' })
    assert.equal(location, '/dashboard/ops')
    assert.equal((await member.get('/dashboard/ops')).status, 200)
    assert.equal((await member.get('/dashboard/balance')).status, 200)
  })

  it('can be withdrawn, and needs a mail address', async () => {
    const link = await invite('late@gateway.example', 'auditor')
    const { text } = await operator.get(users)
    const [path = ''] = /\/dashboard\/ops\/users\/invitations\/[\w-]+/.exec(text) ?? []
    assert.equal((await operator.post(path, {}, { from: users })).location, users)
    assert.equal((await join(link, { name: 'Eve', password: chosen })).status, 404)
    const wrong = await operator.post(`${users}/invite`, { email: 'nobody', role: 'auditor' })
    assert.equal(wrong.status, 422)
    assert.match(wrong.text, /value="nobody"/)
  })
})

describe('an invitation of somebody who may approve', () => {
  it('is sent once another person has approved it', async () => {
    const email = 'second@gateway.example'
    const { location } = await operator.post(`${users}/invite`, { email, role: 'operator' })
    const shown = location ?? ''
    assert.match(shown, /^\/dashboard\/ops\/approvals\//)
    assert.deepEqual(await db`select from access_codes where email = ${email}`, [])
    assert.match((await operator.get(shown)).visible, /Another person has to approve it/)
    const second = await signedInOperator(gateway)
    await second.post(`${shown}/decide`, { verb: 'approve' }, { from: shown })
    assert.equal((await db`select from access_codes where email = ${email}`).length, 1)
  })
})

describe('the role of an operator', () => {
  const change = async (by: SignedIn, email: string, fields: Record<string, string>) =>
    by.post(`${users}/${await idOf(email)}`, fields)

  it('changes and ends at once, in the audit log with who did it', async () => {
    const other = await signedInOperator(gateway, 'support-operator')
    const { location } = await change(operator, other.email, { role: 'operator' })
    assert.equal((await other.get(`${users}/invite`)).status, 403)
    const second = await signedInOperator(gateway)
    const shown = location ?? ''
    assert.match((await second.get(shown)).visible, new RegExp(other.email))
    await second.post(`${shown}/decide`, { verb: 'approve' }, { from: shown })
    assert.equal((await other.get(`${users}/invite`)).status, 200)
    assert.equal((await change(operator, other.email, { what: 'remove' })).location, users)
    assert.equal((await other.get('/dashboard/ops')).status, 404)
    const log = await readAudit(db, { clientId: null, before: null, limit: 5 })
    const told = log.map(({ action, actor, clientId: of }) => [action, actor, of])
    assert.deepEqual(told.slice(0, 2), [
      ['operator.remove', operator.email, null],
      ['ops.users.change', operator.email, null],
    ])
  })

  it('of the last operator stays, also when two remove each other at once', async () => {
    const other = await signedInOperator(gateway)
    await db`
      update people set operator_role = null
      where email not in (${operator.email}, ${other.email})`
    const answers = await Promise.all([
      change(operator, other.email, { what: 'remove' }),
      change(other, operator.email, { what: 'remove' }),
    ])
    const left = await db`select email from people where operator_role = 'operator'`
    assert.equal(left.length, 1, answers.map(({ status }) => status).join())
    await db`update people set operator_role = 'operator' where email = ${operator.email}`
    await db`update people set operator_role = null where email = ${other.email}`
    for (const fields of [{ what: 'remove' }, { role: 'auditor' }]) {
      const { status, visible } = await change(operator, operator.email, fields)
      assert.equal(status, 422)
      assert.match(visible, /must keep at least one operator/)
    }
  })
})

/** Stores a mail; one about an account holds a code. */
function mail(to: typeof db, subject: string, about: number, at = clock.now()): Promise<string> {
  const text = `${subject}\nhttps://pay.example/dashboard/reset/secret-code\n+221771234567`
  const one = { clientId: about, kind: 'password', recordId: 'r', to: 'awa@shop.example' }
  const letter = { ...one, language: 'fr', subject, text, html: text } as const
  return to.transaction((tx) => queueMail(tx, letter, at, false))
}

describe('mails', () => {
  const path = '/dashboard/ops/mails'

  it('are listed by state and page by page, whatever they hold', async () => {
    const payload = xssPayloads[0] ?? ''
    // Of one millisecond, none would be the newer one.
    const now = clock.now()
    for (let count = 0; count < 60; count += 1)
      await mail(db, `${payload} ${count}`, clientId, after(now, count))
    const first = await operator.get(`${path}?state=kept`)
    assert.ok(!first.text.includes('<script>__xss'))
    const [, next = ''] = /after=([\w-]+)/.exec(first.text) ?? []
    const second = await operator.get(`${path}?state=kept&after=${next}`)
    const subjects = (text: string) =>
      [...text.matchAll(/mails\/[^<]+<bdi>[^<]* (\d+)</g)].map(([, n]) => n)
    assert.equal(subjects(first.text).length, 50)
    assert.deepEqual(subjects(second.text).slice(0, 2), ['9', '8'])
    assert.match((await operator.get(`${path}?state=failed`)).visible, /No emails in this state/)
    const last = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
    assert.equal((await operator.get(`${path}?after=${last}`)).status, 200)
  })

  it('show their text in a sandbox, with masked numbers for support', async () => {
    const id = await mail(db, 'About an account', noClient)
    assert.match((await operator.get(`${path}/${id}`)).visible, /reset\/secret-code \+221771234567/)
    const support = await signedInOperator(gateway, 'support-operator')
    assert.doesNotMatch((await support.get(`${path}/${id}`)).visible, /771234567/)
    assert.equal((await operator.get(`${path}/${id.replaceAll(/\d/g, '1')}`)).status, 404)
  })
})

describe('in live mode', async () => {
  const live = await liveGateway({ environment: liveSettings })

  it('an operator reaches nothing before the second factor is on', async () => {
    const roles = { clientId: live.clientId, role: 'owner', operatorRole: 'operator' } as const
    const person = await signIn(live.url, await addPerson(live, roles))
    const setUp = '/dashboard/account/second-factor'
    for (const place of [
      '/dashboard',
      '/dashboard/ops',
      users,
      '/dashboard/clients',
      '/dashboard/team/invite',
      '/dashboard/account',
    ])
      assert.equal((await person.get(place)).location, setUp, place)
    const fields = { email: 'eve@gateway.example', role: 'operator' }
    const sent = await person.post(`${users}/invite`, fields, { from: setUp })
    assert.equal(sent.location, setUp)
    assert.match((await person.get(setUp)).visible, /Operators need it/)
    await switchFactorOn(person)
    assert.equal((await person.get('/dashboard/ops')).status, 200)
    assert.equal((await person.get('/dashboard')).status, 200)
  })

  it('a member of a client needs none', async () => {
    const owner = await signedInAs(live, 'owner')
    assert.equal((await owner.get('/dashboard')).status, 200)
  })

  it('mails about accounts do not show their text, and stuck ones are sent again', async () => {
    const person = await signedInOperator(live)
    await switchFactorOn(person)
    const id = await mail(live.db, 'About an account', noClient)
    const path = `/dashboard/ops/mails/${id}`
    const { text, visible } = await person.get(path)
    assert.doesNotMatch(text, /secret-code/)
    assert.match(visible, /The text is not shown/)
    assert.equal((await person.post(`${path}/resend`, {}, { from: path })).location, path)
    assert.match((await person.get(path)).visible, /is being sent again.*Waiting/)
    await person.post(`${path}/resend`, {}, { from: '/dashboard/ops' })
    assert.match((await person.get(path)).visible, /on its way or already sent/)
    const other = await mail(live.db, 'About a client', live.clientId)
    const auditor = await signedInOperator(live, 'auditor')
    await switchFactorOn(auditor)
    const shown = await auditor.get(`/dashboard/ops/mails/${other}`)
    assert.match(shown.visible, /secret-code/)
    assert.doesNotMatch(shown.text, /resend/)
  })
})

describe('in a browser', async () => {
  const browser = await testBrowser()

  slowTest('an operator invites another, on a phone and without scripts', async () => {
    const look = { javaScriptEnabled: false }
    await using opened = await openPage(browser, look)
    const { page } = opened
    await signInWith(page, url, operator.email)
    await page.goto(`${url}${users}`)
    await page.click('text=Invite')
    await page.fill('#email', 'phone@gateway.example')
    await page.selectOption('#role', 'auditor')
    await page.click('main button')
    assert.match(await page.innerText('main'), /give this link to phone@gateway\.example/)
  })

  slowTest('the screens of operators have no faults of accessibility', async () => {
    await using opened = await openPage(browser)
    const { page } = opened
    await signInWith(page, url, operator.email)
    const id = await mail(db, 'Seen in a browser', clientId)
    await assertScreens(page, [
      '/dashboard/ops',
      users,
      `${users}/invite`,
      `${users}/${await idOf(operator.email)}`,
      '/dashboard/ops/mails',
      `/dashboard/ops/mails/${id}`,
      '/dashboard/ops/audit',
      '/dashboard/ops/webhooks',
      `/dashboard/ops/webhooks/${clientId}`,
      '/dashboard/ops/runbooks/parked',
    ])
  })
})
