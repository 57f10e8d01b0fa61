import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTokens, withToken } from './bearer.ts'
import type { Call, Reply } from './http.ts'
import type { Grant } from './tokens.ts'
import { tokenSource } from './tokens.ts'

const granted = (token: string, lastsMs: number): Grant => ({ kind: 'granted', token, lastsMs })
const refused: Grant = { kind: 'refused', reason: 'HTTP 500' }

/** A source whose provider gives these, one after the other. */
function sourceOf(...grants: Grant[]) {
  let asked = 0
  const time = { ms: 0 }
  const source = tokenSource(
    async () => {
      asked += 1
      await sleep(5)
      return grants[asked - 1] ?? refused
    },
    () => time.ms,
  )
  return { source, time, asked: () => asked }
}

test('callers that come together share one request, and later ones its answer', async () => {
  const { source, asked } = sourceOf(granted('a', 3_600_000))
  const all = await Promise.all([source.get(), source.get(), source.get()])
  assert.deepEqual(new Set(all.map((one) => one.kind === 'granted' && one.token)), new Set(['a']))
  assert.equal((await source.get()).kind, 'granted')
  assert.equal(asked(), 1)
})

test('a token is renewed early, and serves on while it cannot be', async () => {
  const hour = 3_600_000
  const { source, time, asked } = sourceOf(granted('a', hour), refused, refused, granted('b', hour))
  await source.get()
  time.ms = hour - 60_001
  assert.deepEqual(await source.get(), granted('a', hour))
  assert.equal(asked(), 1)
  time.ms = hour - 60_000
  assert.deepEqual(await source.get(), granted('a', hour))
  assert.equal(asked(), 2)
  time.ms = hour
  assert.deepEqual(await source.get(), refused)
  assert.deepEqual(await source.get(), granted('b', hour))
})

test('a refusal is not remembered', async () => {
  const { source } = sourceOf(refused, granted('a', 1000))
  assert.deepEqual(await source.get(), refused)
  assert.equal((await source.get()).kind, 'granted')
})

/** A provider that takes only the last token it gave. */
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
  const read = (body: string) => JSON.parse(body) as { access_token: string; expires_in: number }
  const bearing = withToken(send, openTokens(send, { path: '/token' }, read))
  const order = () => bearing({ method: 'POST', path: '/orders', deadlineMs: 100 })
  return { state, orders, order, tokens: () => tokens }
}

test('an order without a token was not sent, even when the token was lost', async () => {
  const { state, orders, order } = provider()
  state.isIssuing = false
  assert.deepEqual(await order(), { kind: 'not_sent', reason: 'no token: reset' })
  assert.deepEqual(orders, [])
})

test('a token that is no longer taken is renewed, and the order sent once', async () => {
  const { state, orders, order, tokens } = provider()
  await order()
  state.valid = 'revoked'
  const reply = await order()
  assert.equal(reply.kind === 'answered' && reply.status, 202)
  assert.deepEqual([orders.length, tokens()], [2, 2])
})
