import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addPerson, postReviewed, signedInAs, signIn, testPassword } from '#test/dashboard.ts'
import { liveGateway } from '#test/live.ts'
import { eventually } from '#test/wait.ts'
import { xssPayloads } from '#test/xss-payloads.ts'

const gateway = await liveGateway()
const { url, db, clientId } = gateway
const owner = await signedInAs(gateway, 'owner')
const admin = await signedInAs(gateway, 'admin')
const chosen = 'trois mots faciles'

const send = (path: string, fields: Record<string, string>) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  })

/** The address in the newest mail to somebody. */
async function linkTo(email: string): Promise<string> {
  let found = ''
  await eventually(
    () => `a mail to ${email}`,
    async () => {
      const [mail] = await db<{ text: string }>`
        select text_body as text from mails where recipient = ${email} order by id desc limit 1`
      found = /\/dashboard\/(?:join|reset)\/[\w-]+/.exec(mail?.text ?? '')?.[0] ?? ''
      return found !== ''
    },
  )
  return found
}

const invite = (by: typeof owner, email: string, role: string) =>
  by.post('/dashboard/team/invite', { email, role })
const idOf = async (email: string) => {
  const [row] = await db<{ id: string }>`select id from people where email = ${email}`
  return row?.id ?? ''
}

describe('an invitation', () => {
  it('adds a new person, once', async () => {
    assert.equal((await invite(admin, 'new@shop.example', 'finance')).location, '/dashboard/team')
    const link = await linkTo('new@shop.example')
    const weak = await send(link, { name: 'Awa', password: 'short' })
    assert.equal(weak.status, 422)
    const joined = await send(link, { name: xssPayloads[0] ?? '', password: chosen })
    assert.equal(joined.status, 303)
    assert.equal((await send(link, { name: 'Eve', password: chosen })).status, 404)
    const person = await signIn(url, 'new@shop.example', chosen)
    assert.equal((await person.get('/dashboard/team')).status, 200)
    assert.ok(!(await owner.get('/dashboard/team')).text.includes('<script>__xss'))
  })

  it('without a mail address says that one is needed', async () => {
    const { status, visible } = await invite(admin, ' ', 'finance')
    assert.deepEqual([status, /An email address is needed/.test(visible)], [422, true], visible)
  })

  it('to an owner is for owners alone to send', async () => {
    assert.equal((await invite(admin, 'boss@shop.example', 'owner')).status, 422)
    assert.equal((await invite(owner, 'boss@shop.example', 'owner')).status, 303)
  })

  it('for a person who exists needs them signed in', async () => {
    const { clientId: other } = await gateway.newMerchant()
    const email = await addPerson(gateway, { clientId: other, role: 'viewer' })
    await invite(owner, email, 'support')
    const link = await linkTo(email)
    const answer = await send(link, { name: 'Eve', password: chosen })
    assert.equal(answer.headers.get('location'), link)
    assert.equal((await owner.post(link, {}, { from: '/dashboard' })).location, link)
    const person = await signIn(url, email)
    assert.equal((await person.post(link, {}, { from: '/dashboard/team' })).location, '/dashboard')
  })
})

describe('a team', () => {
  it('keeps its last owner, and lets no admin touch owners', async () => {
    const path = `/dashboard/team/${await idOf(owner.email)}`
    const viewer = { role: 'viewer' }
    assert.equal((await postReviewed(admin, path, viewer)).status, 422)
    assert.equal((await owner.post(path, viewer)).status, 422)
    assert.equal((await owner.post(path, { what: 'remove' })).status, 422)
  })

  it('that a person is removed from is closed to their session at once', async () => {
    const gone = await signedInAs(gateway, 'support')
    const path = `/dashboard/team/${await idOf(gone.email)}`
    assert.equal((await admin.post(path, { what: 'remove' })).status, 303)
    assert.equal((await gone.get('/dashboard')).location, '/dashboard/clients')
  })

  it('of another client has no members here', async () => {
    const { clientId: other } = await gateway.newMerchant()
    const email = await addPerson(gateway, { clientId: other, role: 'owner' })
    assert.equal((await owner.get(`/dashboard/team/${await idOf(email)}`)).status, 404)
  })
})

describe('a forgotten password', () => {
  it('is chosen anew once, and ends every session', async () => {
    const email = await addPerson(gateway, { clientId, role: 'viewer' })
    const before = await signIn(url, email)
    const [known, unknown] = await Promise.all(
      [email, 'nobody@shop.example'].map((one) => send('/dashboard/forgotten', { email: one })),
    )
    assert.equal(known?.headers.get('location'), unknown?.headers.get('location'))
    const link = await linkTo(email)
    assert.equal((await send(link, { password: '1234567890' })).status, 422)
    assert.equal((await send(link, { password: chosen })).status, 303)
    assert.equal((await send(link, { password: chosen })).status, 404)
    assert.equal((await before.get('/dashboard')).location, '/dashboard/sign-in')
    const old = await send('/dashboard/sign-in', { email, password: testPassword })
    assert.equal(old.status, 422)
    await signIn(url, email, chosen)
  })
})
