import assert from 'node:assert/strict'
import { it } from 'node:test'
import { appCode } from '#test/dashboard.ts'
import { testOrigin as origin, testPeople } from '#test/people.ts'

const minuteMs = 60_000

it('the second step is over ten minutes after the first, and a code after its time', async () => {
  const { clock, people, add } = await testPeople()
  const [email, password] = ['awa@gateway.example', 'trois mots faciles']
  const { person } = await add(email, { password, operatorRole: 'auditor' })
  const sessionId = person.id
  const { secret, sealed } = people.factors.offer({ email, sessionId })
  const code = (stepsLater = 0) => appCode(secret, stepsLater, clock.now())
  const confirmation = { code: code(), sealed, sessionId, actor: email }
  await people.factors.confirm({ personId: person.id, ...confirmation })

  const first = async () => {
    const attempt = { email, password, device: undefined }
    const result = await people.signIn({ ...attempt, ...origin })
    assert.equal(result.kind, 'code')
    return result.kind === 'code' ? result.proof : ''
  }
  const second = async (proof: string, given: string) =>
    (await people.takeSecondStep({ proof, code: given, credential: '', ...origin })).kind

  const proof = await first()
  clock.advance(9 * minuteMs)
  assert.equal(await second(proof, code(-2)), 'wrong')
  assert.equal(await second(proof, code(-1)), 'in')
  clock.advance(2 * minuteMs)
  assert.equal(await second(proof, code()), 'over')
  assert.equal(await people.offerSecondStep(proof), undefined)
  assert.equal(await second(await first(), code()), 'in')
})
