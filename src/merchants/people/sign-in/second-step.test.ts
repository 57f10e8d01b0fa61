import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { openLog } from '#base/log/log.ts'
import { testClock } from '#test/clock.ts'
import { appCode } from '#test/dashboard.ts'
import { testDatabase } from '#test/database.ts'
import { openPeople } from '../open.ts'

const minuteMs = 60_000

it('the second step is over ten minutes after the first, and a code after its time', async () => {
  const { db } = await testDatabase()
  const clock = testClock()
  const people = openPeople({
    db,
    clock,
    log: openLog('silent'),
    secretKey: randomBytes(32),
    publicUrl: () => 'https://pay.example',
    hasSmtp: false,
  })
  const [email, password] = ['awa@gateway.example', 'trois mots faciles']
  const awa = { email, password, name: 'Awa', language: 'fr', operatorRole: 'auditor' } as const
  const order = { ...awa, isTwofold: false, membership: null, actor: 'test' }
  const { person } = await people.users.add(order)
  const sessionId = person.id
  const { secret, sealed } = people.factors.offer({ email, sessionId })
  const code = (stepsLater = 0) => appCode(secret, stepsLater, clock.now())
  const confirmation = { code: code(), sealed, sessionId, actor: email }
  await people.factors.confirm({ personId: person.id, ...confirmation })

  const origin = { address: '127.0.0.1', agent: 'test' }
  const first = async () => {
    const attempt = { email, password, network: '127.0.0.1', device: undefined }
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
