import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testPeople } from '#test/people.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const [email, password] = ['awa@shop.example', 'trois mots faciles']
const { clock, people, add, addClient, signIn } = await testPeople()
const { sessions, forms } = people
const clientId = await addClient('Chez Awa')
const { person } = await add(email, { password, membership: { clientId, role: 'owner' } })

const find = (cookie: string) => sessions.find({ cookie, address: '127.0.0.1' })

/** A session of Awa's, with the value of its cookie. */
async function begun() {
  const { cookie, device } = await signIn(email, password)
  const session = await find(cookie)
  assert.ok(session !== undefined)
  return { cookie, device, session, sessionId: session.id }
}

describe('a session', () => {
  it('shows the client of the person, as their role', async () => {
    const { cookie, session } = await begun()
    assert.deepEqual(
      [session.email, session.clientId, session.role, session.operatorRole],
      [email, clientId, 'owner', null],
    )
    const shown = await sessions.shownBy([cookie, 'no such value'])
    assert.deepEqual([...shown.keys()], [cookie])
    assert.equal(await find('no such value'), undefined)
  })

  it('ends three days after the last visit', async () => {
    const { cookie } = await begun()
    clock.advance(3 * dayMs - minuteMs)
    assert.ok(await find(cookie))
    clock.advance(3 * dayMs + minuteMs)
    assert.equal(await find(cookie), undefined)
  })

  it('ends after thirty days, however often it is used', async () => {
    const { cookie } = await begun()
    for (let day = 0; day < 29; day += 1) {
      clock.advance(dayMs)
      assert.ok(await find(cookie), `day ${day + 1}`)
    }
    clock.advance(dayMs + 1)
    assert.equal(await find(cookie), undefined)
  })

  it('is swept away once it has ended, and no other', async () => {
    const old = await begun()
    clock.advance(3 * dayMs + 1)
    const { sessionId } = await begun()
    await people.sweep(clock.now())
    const left = new Set((await sessions.list(person.id)).map(({ id }) => id))
    assert.deepEqual([left.has(old.sessionId), left.has(sessionId)], [false, true])
  })

  it('ends by its own cookie, from another session, or with all others', async () => {
    const [one, two, three] = [await begun(), await begun(), await begun()]
    await sessions.end(one.cookie)
    assert.equal(await find(one.cookie), undefined)
    await sessions.endOne({ personId: person.id, id: two.sessionId })
    assert.equal(await find(two.cookie), undefined)
    const four = await begun()
    await sessions.endOthers({ personId: person.id, except: four.sessionId })
    assert.deepEqual(
      [await find(three.cookie), (await find(four.cookie))?.id],
      [undefined, four.sessionId],
    )
  })

  it('is proof of the person for a quarter of an hour', async () => {
    const { cookie, session, sessionId } = await begun()
    assert.ok(sessions.isConfirmed(session))
    clock.advance(15 * minuteMs)
    assert.ok(!sessions.isConfirmed(session))
    await sessions.confirm(sessionId)
    const again = await find(cookie)
    assert.ok(again !== undefined && sessions.isConfirmed(again))
  })
})

describe('what a session has to tell', () => {
  it('is told until it is forgotten, and what was told since then stays', async () => {
    const { cookie, sessionId } = await begun()
    await sessions.tell({ sessionId, message: { text: 'Saved.', secret: 'sk_1' } })
    const first = await find(cookie)
    assert.ok(first !== undefined)
    assert.deepEqual([first.message?.text, first.message?.secret], ['Saved.', 'sk_1'])
    await sessions.tell({ sessionId, message: { text: 'Saved again.' } })
    await sessions.forgetMessage(first)
    const second = await find(cookie)
    assert.ok(second !== undefined)
    assert.equal(second.message?.text, 'Saved again.')
    await sessions.forgetMessage(second)
    assert.equal((await find(cookie))?.message, null)
  })

  it('is told once more to this session alone', async () => {
    const [own, other] = [await begun(), await begun()]
    await sessions.tell({ sessionId: own.sessionId, message: { text: 'Saved.' } })
    const session = await find(own.cookie)
    const sealed = session?.message?.sealed ?? ''
    if (session !== undefined) await sessions.forgetMessage(session)
    await sessions.tellAgain({ sessionId: other.sessionId, sealed })
    await sessions.tellAgain({ sessionId: own.sessionId, sealed: 'not sealed by us' })
    assert.deepEqual(
      [(await find(other.cookie))?.message, (await find(own.cookie))?.message],
      [null, null],
    )
    await sessions.tellAgain({ sessionId: own.sessionId, sealed })
    assert.equal((await find(own.cookie))?.message?.text, 'Saved.')
  })
})

describe('a form', () => {
  const seen = { amount: 5000 }

  it('is read in its own session, as it was written', async () => {
    const [own, other] = [await begun(), await begun()]
    const token = forms.token({ sessionId: own.sessionId, clientId, seen })
    assert.deepEqual(forms.read({ sessionId: own.sessionId, token }), { clientId, seen })
    assert.equal(forms.read({ sessionId: other.sessionId, token }), undefined)
    const [random, , signature] = token.split('.')
    const forged = Buffer.from(JSON.stringify({ clientId: 7, seen })).toString('base64url')
    const text = `${random}.${forged}.${signature}`
    assert.equal(forms.read({ sessionId: own.sessionId, token: text }), undefined)
  })

  it('is claimed once, and leads where it has led', async () => {
    const { sessionId } = await begun()
    const form = { sessionId, token: 'a form' }
    assert.deepEqual(await forms.claim(form), { isNew: true, location: null })
    assert.deepEqual(await forms.claim(form), { isNew: false, location: null })
    await forms.finish({ ...form, location: '/dashboard' })
    clock.advance(dayMs)
    assert.deepEqual(await forms.claim(form), { isNew: false, location: '/dashboard' })
  })

  it('is claimed again when it was refused, or when nobody answers it any more', async () => {
    const { sessionId } = await begun()
    const form = { sessionId, token: 'another form' }
    await forms.claim(form)
    await forms.release(form)
    assert.equal((await forms.claim(form)).isNew, true)
    clock.advance(2 * minuteMs)
    assert.equal((await forms.claim(form)).isNew, false)
    clock.advance(1)
    assert.equal((await forms.claim(form)).isNew, true)
  })
})
