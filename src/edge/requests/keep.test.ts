import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock } from '#base/kit/clock.ts'
import { newId } from '#base/kit/ids.ts'
import { openLog } from '#base/log/log.ts'
import { firstRequestIdAt, lastRequestId, requestIds } from '#edge/http/request-ids.ts'
import { openHttp } from '#edge/http/server.ts'
import { readKeys } from '#merchants/clients/key-store.ts'
import { type Answer, testGateway } from '#test/app.ts'
import { eventually } from '#test/wait.ts'
import { keepRequests, maskPrivate } from './keep.ts'
import { oldestKept } from './open.ts'
import {
  emptyNextSlot,
  findRequest,
  insertRequests,
  type KeptRequest,
  readRequests,
} from './store.ts'

const gateway = await testGateway()
const { db, connect, clock, clientId, newKey, secret } = gateway
const app = await gateway.start()

const idOf = (answer: Answer) => String(answer.headers['x-request-id'])
const find = (id: string) => findRequest(db, { clientId, id, after: '' })

/** The row of a request, once it is written. */
async function kept(answer: Answer): Promise<KeptRequest> {
  await eventually('it is kept', async () => (await find(idOf(answer))) !== undefined)
  const found = await find(idOf(answer))
  assert.ok(found)
  return found
}

const everything = { clientId, group: 'all', after: '', before: lastRequestId, limit: 100 } as const

describe('a request with a valid key', () => {
  it('is kept with key, status and duration', async () => {
    const key = await newKey(clientId, { label: 'shop' })
    const answer = await app.send('GET /api/v1/api-services/balance', { key: key.secret })
    const { at, durationMs, ...rest } = await kept(answer)
    assert.deepEqual(rest, {
      clientId,
      requestId: idOf(answer),
      keyId: key.id,
      method: 'GET',
      path: '/api/v1/api-services/balance',
      status: 200,
      code: null,
      messages: null,
    })
    assert.deepEqual(at, clock.now())
    assert.ok(durationMs >= 0 && durationMs < 600_000)
  })

  it('is kept with what was wrong, and without number, body, query and secrets', async () => {
    const json = { number: '770000099', amount: 'SECRET-BODY', serviceCode: 'X' }
    const wrong = await app.send('POST /api/v1/transaction/init', { json })
    const { code, messages, status } = await kept(wrong)
    assert.deepEqual([status, code], [400, 'VALIDATION_FAILED'])
    assert.deepEqual(messages?.split('\n'), wrong.body.message)
    const list = await app.send('GET /api/v1/transaction?number=770000098&limit=x')
    assert.equal((await kept(list)).path, '/api/v1/transaction')
    const lookup = await app.send('GET /api/v1/transaction/770000097')
    assert.equal((await kept(lookup)).path, '/api/v1/transaction/••••••97')
    const typed = await app.send(`GET /api/v1/transaction/${secret}`)
    assert.equal((await kept(typed)).path, '/api/v1/transaction/sk_sandbox_…')
    const rows = JSON.stringify(await readRequests(db, everything))
    assert.doesNotMatch(rows, /7700000\d\d|SECRET-BODY|limit=x/)
    assert.ok(!rows.includes(secret))
  })

  it('is among those that failed only if it did', async () => {
    const rows = await readRequests(db, { ...everything, group: 'failed' })
    assert.ok(rows.length >= 4 && rows.every(({ status }) => status >= 400))
    const ids = rows.map(({ requestId }) => requestId)
    assert.deepEqual(ids, ids.toSorted().toReversed())
  })

  it('of another client is not found', async () => {
    const answer = await app.send('GET /api/v1/api-services/balance')
    await kept(answer)
    const other = { clientId: clientId + 1, id: idOf(answer), after: '' }
    assert.equal(await findRequest(db, other), undefined)
  })

  it('is not found once it is older than 30 days', async () => {
    const answer = await app.send('GET /api/v1/api-services/balance')
    await kept(answer)
    const at = (days: number) => new Date(clock.now().getTime() + days * 86_400_000)
    const search = { clientId, id: idOf(answer) }
    assert.ok(await findRequest(db, { ...search, after: oldestKept(at(29.9)) }))
    assert.equal(await findRequest(db, { ...search, after: oldestKept(at(30.1)) }), undefined)
  })

  it('marks its key as used', async () => {
    const key = await newKey(clientId)
    await app.send('GET /api/v1/api-services/balance', { key: key.secret })
    const used = async () => (await readKeys(db, clientId)).find(({ id }) => id === key.id)
    await eventually('it is marked', async () => (await used())?.lastUsedAt !== null)
    assert.deepEqual((await used())?.lastUsedAt, clock.now())
  })
})

describe('what is not kept', () => {
  const count = async () => (await readRequests(db, everything)).length

  it('is a request without a valid key', async () => {
    const before = await count()
    await app.send('GET /api/v1/api-services/balance', { key: 'sk_sandbox_nobody' })
    await app.send('GET /livez', { key: null })
    await kept(await app.send('GET /api/v1/api-services/balance'))
    assert.equal(await count(), before + 1)
  })
})

describe('the list of what waits', () => {
  it('is written when the server closes', async () => {
    const closing = await gateway.start()
    const answer = await closing.send('GET /api/v1/api-services/balance')
    await closing.close()
    assert.ok(await find(idOf(answer)))
  })

  it('is bounded while the database is slow: answers go on, and the rest is counted', async () => {
    const log = openLog('silent')
    const http = await openHttp({ log, isHttps: false, trustedProxies: [] })
    const caller = {
      clientId,
      keyId: newId(clock.now()),
      scope: 'key' as const,
      secretHash: '',
      rights: [],
      allowedAddresses: [],
      ratePerMinute: 1,
      merchantStatus: 'active' as const,
    }
    http.decorateRequest('caller', null)
    http.addHook('onRequest', async (request) => {
      request.caller = caller
    })
    const keeping = keepRequests(http, { db, clock: systemClock, log, waitingLimit: 5 })
    http.get('/api/slow', async () => ({}))
    await http.ready()
    const answers = await connect({ asOwner: true }).transaction(async (tx) => {
      await tx`lock table api_requests in access exclusive mode`
      const all = []
      for (let sent = 0; sent < 20; sent += 1)
        all.push((await http.inject({ url: '/api/slow' })).statusCode)
      // Five wait, or five wait and five are in a statement that waits for the lock.
      assert.ok(keeping.dropped() >= 10, `${keeping.dropped()}`)
      return all
    })
    assert.deepEqual(new Set(answers), new Set([200]))
    await http.close()
    const own = (await readRequests(db, everything)).filter(({ path }) => path === '/api/slow')
    assert.equal(own.length + keeping.dropped(), 20)
  })
})

describe('old requests', () => {
  const dayMs = 86_400_000

  it('are deleted by whole partitions, and none before 30 days', async () => {
    const now = systemClock.now()
    const rowAt = (ageDays: number): KeptRequest => {
      const at = new Date(now.getTime() - ageDays * dayMs)
      const requestId = `${firstRequestIdAt(at)}old`
      const row = {
        clientId,
        requestId,
        at,
        keyId: newId(at),
        method: 'GET',
        path: '/',
        status: 200,
      }
      return { ...row, durationMs: 1, code: null, messages: null }
    }
    const ages = Array.from({ length: 34 }, (_, age) => age)
    await insertRequests(db, ages.map(rowAt))
    const left = async () =>
      (await readRequests(db, everything)).filter(({ requestId }) => requestId.endsWith('old'))
    // Each of the next 40 days, as the worker does.
    for (let day = 0; day <= 40; day += 1) {
      const today = new Date(now.getTime() + day * dayMs)
      await emptyNextSlot(db, today)
      const kept = new Set((await left()).map(({ requestId }) => requestId))
      const young = ages.map(rowAt).filter(({ at }) => today.getTime() - at.getTime() <= 30 * dayMs)
      for (const { requestId } of young) assert.ok(kept.has(requestId), `${requestId} on ${day}`)
      const tooOld = ages.map(rowAt).filter(({ at }) => today.getTime() - at.getTime() > 36 * dayMs)
      for (const { requestId } of tooOld) assert.ok(!kept.has(requestId), `${requestId} on ${day}`)
    }
  })
})

describe('request ids', () => {
  it('sort by time over processes, and are unique', () => {
    const times = [0, 1, 1, 60_000, 86_400_000].map((ms) => new Date(1.8e12 + ms))
    let current = 0
    const next = { now: () => times[current] ?? new Date(0) }
    const processes = [requestIds(next), requestIds(next)]
    const ids = times.flatMap((_, index) => {
      current = index
      return processes.map((make) => make()).toSorted()
    })
    assert.equal(new Set(ids).size, ids.length)
    const byTime = ids.map((id) => id.slice(0, 12))
    assert.deepEqual(byTime, byTime.toSorted())
    for (const id of ids) assert.ok(id > firstRequestIdAt(new Date(1.8e12 - 1)))
  })
})

describe('masking', () => {
  // text, masked
  for (const [text, masked] of [
    ['/transaction/771234567', '/transaction/••••••67'],
    ['+221771234567 is wrong', '••••••67 is wrong'],
    ['order-20261116123000', 'order-20261116123000'],
    ['01a1e18e-ba2c-70a9-8754-123456789012', '01a1e18e-ba2c-70a9-8754-123456789012'],
    ['at least 200', 'at least 200'],
    ['key sk_live_abc-DEF_1', 'key sk_live_…'],
    ['whsec_c2FuZGJveA==', 'whsec_…'],
  ] as const)
    it(text, () => assert.equal(maskPrivate(text), masked))
})
