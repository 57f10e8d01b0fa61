import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { startMaintenance } from '#merchants/catalog/maintenance.ts'
import { revokeKey } from '#merchants/clients/keys.ts'
import { addEcho, assertGeneralError, echo, echoBody, testGateway } from '#test/app.ts'
import { eventually } from '#test/wait.ts'

const gateway = await testGateway()
const { db, clock, clientId, newKey, secret } = gateway
const app = await gateway.start({ routes: addEcho })
const closedService = 'WALLETB_SN_CASHIN'
const close = (scope: string) =>
  startMaintenance({ db, clock }, { scope, reason: 'works', actor: 'test' })

const lacking = { rights: ['read'] as const }
const reader = await newKey(clientId, lacking)
const exhausted = await newKey(clientId, { ...lacking, ratePerMinute: 1 })
const revoked = await newKey(clientId, lacking)
const exhaustedAndRevoked = await newKey(clientId, { ...lacking, ratePerMinute: 1 })
const statusFor = async (key: string) =>
  (await app.send('GET /api/v1/api-services/balance', { key })).status
for (const key of [exhausted, revoked, exhaustedAndRevoked]) await statusFor(key.secret)
for (const { id, secret: key } of [revoked, exhaustedAndRevoked]) {
  await revokeKey({ db, clock }, { id, actor: 'test' })
  await eventually('the key is refused', async () => (await statusFor(key)) === 401)
}
await close(closedService)

type Fault = (typeof faults)[number][0]

// Faults of a request, in the order in which they are checked: the first one decides the answer.
const faults = [
  ['a revoked key', 401, 'INVALID_API_KEY'],
  ['too many requests', 429, 'RATE_LIMITED'],
  ['a missing right', 403, 'RIGHT_MISSING'],
  ['everything closed', 403, 'UNDER_MAINTENANCE'],
  ['not JSON', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['a closed service', 403, 'UNDER_MAINTENANCE'],
  ['a broken character', 400, 'VALIDATION_FAILED'],
  ['a wrong amount', 400, 'INVALID_AMOUNT'],
  ['an unknown record', 404, 'NOT_FOUND'],
  ['a used id', 409, 'DUPLICATE_TRANSACTION'],
] as const

// Pairs that one request cannot have: a body that is not parsed names no service, and so on.
const incompatible = new Set([
  'not JSON, a closed service',
  'not JSON, a broken character',
  'not JSON, a wrong amount',
  'not JSON, an unknown record',
  'not JSON, a used id',
  'an unknown record, a used id',
])

for (const isAllClosed of [false, true])
  describe(`maintenance of ${isAllClosed ? 'everything' : 'one service'}`, () => {
    before(async () => {
      if (isAllClosed) await close('all')
      await eventually('the maintenance is seen', async () => {
        const { status, body } = await app.send(`POST ${echo}`, requestWith('a closed service'))
        return status === 403 && String(body.message).startsWith('API') === isAllClosed
      })
    })

    faults.forEach(([first, status, code], index) => {
      for (const [second] of faults.slice(index)) {
        const names = first === second ? first : `${first}, ${second}`
        const needsAllClosed = [first, second].includes('everything closed')
        if (incompatible.has(names) || needsAllClosed !== isAllClosed) continue
        it(`a request with ${names} gets ${status} ${code}`, async () => {
          const answer = await app.send(`POST ${echo}`, requestWith(first, second))
          assert.equal(answer.status, status, answer.text)
          assertGeneralError(answer, code)
        })
      }
    })
  })

function requestWith(...wrong: Fault[]) {
  const has = (fault: Fault) => wrong.includes(fault)
  const isLate = has('too many requests')
  const revokedKey = isLate ? exhaustedAndRevoked : revoked
  const inTime = has('a missing right') ? reader : { secret }
  const caller = isLate ? exhausted : inTime
  return {
    key: has('a revoked key') ? revokedKey.secret : caller.secret,
    json: {
      ...echoBody,
      ...(has('a closed service') ? { serviceCode: closedService } : {}),
      ...(has('a broken character') ? { note: '\0' } : {}),
      ...(has('a wrong amount') ? { amount: 1 } : {}),
      ...(has('an unknown record') ? { externalTransactionId: 'missing-1' } : {}),
      ...(has('a used id') ? { externalTransactionId: 'used-1' } : {}),
    },
    ...(has('not JSON') ? { headers: { 'content-type': 'text/plain' } } : {}),
  }
}
