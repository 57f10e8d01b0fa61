import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { appCode } from '#test/dashboard.ts'
import { testPeople } from '#test/people.ts'

const stepMs = 30_000
const quarterMs = 15 * 60_000
const { clock, people, add } = await testPeople()
const { factors } = people
const sessionId = '01890000-0000-7000-8000-000000000001'
let added = 0

/** A person with an app, whose first code was used a step ago. */
async function withApp() {
  added += 1
  const actor = `person-${added}@shop.example`
  const { person } = await add(actor, {})
  const personId = person.id
  const { secret, sealed } = factors.offer({ email: actor, sessionId })
  const code = (stepsLater = 0) => appCode(secret, stepsLater, clock.now())
  const order = { personId, actor, sessionId, sealed }
  const codes = await factors.confirm({ ...order, code: code() })
  clock.advance(stepMs)
  return {
    personId,
    actor,
    code,
    codes,
    order,
    check: (given: string) => factors.check({ personId, code: given }),
  }
}

describe('an authenticator app', () => {
  it('gives codes that work once, and none from before', async () => {
    const { check, code } = await withApp()
    assert.equal(await check(code()), 'right')
    assert.equal(await check(code()), 'wrong', 'used')
    assert.equal(await check(code(-1)), 'wrong', 'older than the one used last')
    assert.equal(await check(code(1)), 'right', 'of a clock that is ahead')
    assert.equal(await check(code(2)), 'wrong', 'too far ahead')
  })

  it('is set up with its own first code, in the session that it was offered to', async () => {
    const { person } = await add('new@shop.example', {})
    const { secret, sealed } = factors.offer({ email: person.email, sessionId })
    const order = { personId: person.id, actor: person.email, sealed, sessionId }
    const code = appCode(secret, 0, clock.now())
    const elsewhere = '01890000-0000-7000-8000-000000000002'
    await assert.rejects(factors.confirm({ ...order, code: '000000' }), /Incorrect code/)
    await assert.rejects(
      factors.confirm({ ...order, code, sessionId: elsewhere }),
      /Incorrect code/,
    )
    const offered = { email: person.email, sealed }
    assert.equal(factors.offered({ ...offered, sessionId })?.secret, secret)
    assert.equal(factors.offered({ ...offered, sessionId: elsewhere }), undefined)
    assert.equal((await factors.stateOf(person.id)).isOn, false)
    await factors.confirm({ ...order, code })
    assert.equal((await factors.stateOf(person.id)).isOn, true)
  })

  it('is there once', async () => {
    const { order, code } = await withApp()
    await assert.rejects(factors.confirm({ ...order, code: code() }), /already on/)
  })

  it('is off with all its codes', async () => {
    const { personId, actor, code, codes, check } = await withApp()
    await factors.switchOff({ personId, actor })
    assert.deepEqual(await factors.stateOf(personId), {
      isOn: false,
      hasApp: false,
      passkeys: 0,
      recoveryCodes: 0,
    })
    assert.deepEqual([await check(code()), await check(codes[0] ?? '')], ['wrong', 'wrong'])
    await assert.rejects(factors.renewRecoveryCodes({ personId, actor }), /is off/)
  })
})

describe('recovery codes', () => {
  it('work once each, however they are typed, and not for another person', async () => {
    const [one, other] = [await withApp(), await withApp()]
    const [first = '', second = ''] = one.codes
    assert.equal(one.codes.length, 10)
    assert.equal(await other.check(first), 'wrong')
    assert.equal(await one.check(first.toUpperCase().replace('-', ' ')), 'right')
    assert.equal(await one.check(first), 'wrong')
    assert.equal(await one.check(second), 'right')
    assert.equal((await factors.stateOf(one.personId)).recoveryCodes, 8)
  })

  it('are replaced by new ones', async () => {
    const { personId, actor, codes, check } = await withApp()
    const renewed = await factors.renewRecoveryCodes({ personId, actor })
    assert.equal(await check(codes[0] ?? ''), 'wrong')
    assert.equal(await check(renewed[0] ?? ''), 'right')
  })
})

it('ten wrong codes end the tries of a quarter of an hour, for the right one too', async () => {
  const { check, code, codes } = await withApp()
  for (let index = 0; index < 10; index += 1) assert.equal(await check('000000'), 'wrong')
  assert.deepEqual([await check(code()), await check(codes[0] ?? '')], ['too many', 'too many'])
  clock.advance(2 * quarterMs)
  assert.equal(await check(code()), 'right')
})
