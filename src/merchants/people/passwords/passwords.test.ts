import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { testOrigin, testPeople } from '#test/people.ts'
import { hashPassword, isPassword } from './passwords.ts'
import { refuseWeak } from './strength.ts'

const { clock, people, add, signIn } = await testPeople()
const good = 'trois mots faciles'

describe('a password', () => {
  for (const [password, why] of [
    ['trop bref', /10 to 200/],
    ['x'.repeat(201), /10 to 200/],
    ['MotDePasse1', /too easy/],
    ['abababababab', /too easy/],
    ['mon AWA@shop.example !', /must not contain/],
  ] as const)
    it(`is refused: ${password.slice(0, 30)}`, () =>
      assert.throws(() => refuseWeak(password, 'awa@shop.example'), why))

  it('is kept as a hash that names its costs and differs each time', async () => {
    const [one, other] = [await hashPassword(good), await hashPassword(good)]
    assert.match(one, /^\$argon2id\$v=19\$m=65536,t=3,p=1\$/)
    assert.notEqual(one, other)
    assert.deepEqual(
      [
        await isPassword(good, one),
        await isPassword(`${good} `, one),
        await isPassword(good, null),
      ],
      [true, false, false],
    )
  })

  it('is the same however its letters are composed', async () => {
    const hash = await hashPassword('clé secrète'.normalize('NFC'))
    assert.ok(await isPassword('clé secrète'.normalize('NFD'), hash))
  })
})

describe('a new password', () => {
  it('is chosen once with a code, which ends every session', async () => {
    const { person, code } = await add('awa@shop.example', {})
    const codeText = code ?? ''
    assert.equal((await people.passwords.personOf(codeText))?.id, person.id)
    await assert.rejects(
      people.passwords.choose({ code: codeText, password: 'court' }),
      /10 to 200/,
    )
    await people.passwords.choose({ code: codeText, password: good })
    const { cookie } = await signIn('AWA@shop.example', good)
    await assert.rejects(people.passwords.choose({ code: codeText, password: good }), /no longer/)

    const next = await people.users.reset({ email: person.email, isFactorOff: false, actor: 'ops' })
    await people.passwords.choose({ code: next, password: 'un autre choix' })
    assert.equal(await people.sessions.find({ cookie, address: '127.0.0.1' }), undefined)
  })

  it('cannot be chosen with a code that is a day old', async () => {
    const { code } = await add('late@shop.example', {})
    clock.advance(86_400_000)
    assert.equal(await people.passwords.personOf(code ?? ''), undefined)
  })

  it('needs the one before, and keeps the session in which it is changed', async () => {
    const email = 'binta@shop.example'
    const { person } = await add(email, { password: good })
    const [here, elsewhere] = [await signIn(email, good), await signIn(email, good)]
    const find = (cookie: string) => people.sessions.find({ cookie, address: '127.0.0.1' })
    const own = await find(here.cookie)
    const change = (before: string) =>
      people.passwords.change({
        personId: person.id,
        before,
        password: 'quatre mots plus longs',
        keptSession: own?.id ?? '',
        network: testOrigin.network,
        device: here.device,
      })
    assert.equal(await change('not this one'), false)
    assert.equal(await change(good), true)
    assert.deepEqual(
      [(await find(here.cookie))?.id, await find(elsewhere.cookie)],
      [own?.id, undefined],
    )
  })
})
