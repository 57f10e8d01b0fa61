import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { withBearerToken } from './bearer-auth.ts'
import type { Call, Reply } from './http-client.ts'
import { type Grant, openTokenCache } from './token-cache.ts'

const granted = (token: string, lastsMs: number): Grant => ({ kind: 'granted', token, lastsMs })
const refused: Grant = { kind: 'refused', reason: 'HTTP 500' }

/** A token cache whose provider answers the token requests with these grants, in this order. */
function cacheOf(...grants: Grant[]) {
  let requests = 0
  const time = { ms: 0 }
  const cache = openTokenCache(
    async () => {
      requests += 1
      await sleep(5)
      return grants[requests - 1] ?? refused
    },
    () => time.ms,
  )
  return { cache, time, requests: () => requests }
}

test('concurrent callers share one token request, and later callers its token', async () => {
  const { cache, requests } = cacheOf(granted('a', 3_600_000))
  const all = await Promise.all([cache.get(), cache.get(), cache.get()])
  assert.deepEqual(new Set(all.map((one) => one.kind === 'granted' && one.token)), new Set(['a']))
  assert.equal((await cache.get()).kind, 'granted')
  assert.equal(requests(), 1)
})

test('a token is renewed early, and used until it expires while renewal fails', async () => {
  const hour = 3_600_000
  const { cache, time, requests } = cacheOf(
    granted('a', hour),
    refused,
    refused,
    granted('b', hour),
  )
  await cache.get()
  time.ms = hour - 60_001
  assert.deepEqual(await cache.get(), granted('a', hour))
  assert.equal(requests(), 1)
  time.ms = hour - 60_000
  assert.deepEqual(await cache.get(), granted('a', hour))
  assert.equal(requests(), 2)
  time.ms = hour
  assert.deepEqual(await cache.get(), refused)
  assert.deepEqual(await cache.get(), granted('b', hour))
})

test('a refused token request is not cached', async () => {
  const { cache } = cacheOf(refused, granted('a', 1000))
  assert.deepEqual(await cache.get(), refused)
  assert.equal((await cache.get()).kind, 'granted')
})

/** A provider that accepts only the last token it issued. */
function provider() {
  const orders: string[] = []
  let tokens = 0
  const state = { isIssuing: true, valid: 'token-1' }
  const send = async (call: Call): Promise<Reply> => {
    const answered = (status: number, body: object): Reply => ({
      kind: 'answered',
      status,
      headers: {},
      body: JSON.stringify(body),
    })
    if (call.path === '/token') {
      if (!state.isIssuing) return { kind: 'lost', reason: 'reset' }
      tokens += 1
      state.valid = `token-${tokens}`
      return answered(200, { access_token: state.valid, expires_in: 3600 })
    }
    if (call.headers?.authorization !== `Bearer ${state.valid}`) return answered(401, {})
    orders.push(call.path)
    return answered(202, {})
  }
  const sendWithToken = withBearerToken(send, { path: '/token' })
  const order = () => sendWithToken({ method: 'POST', path: '/orders', deadlineMs: 100 })
  return { state, orders, order, tokens: () => tokens }
}

test('an order without a token is not_sent, even if the answer with it was lost', async () => {
  const { state, orders, order } = provider()
  state.isIssuing = false
  assert.deepEqual(await order(), { kind: 'not_sent', reason: 'no token: reset' })
  assert.deepEqual(orders, [])
})

test('after a 401 the token is renewed, and the provider takes the order once', async () => {
  const { state, orders, order, tokens } = provider()
  await order()
  state.valid = 'revoked'
  const reply = await order()
  assert.equal(reply.kind === 'answered' && reply.status, 202)
  assert.deepEqual([orders.length, tokens()], [2, 2])
})
