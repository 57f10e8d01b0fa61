import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe, it } from 'node:test'
import { call, liveGateway } from '#test/live.ts'
import { announce, endedTransaction, openReceiver } from '#test/receiver.ts'

const live = await liveGateway({ pace: 20 })
const { db, newMerchant } = live
type Caller = Awaited<ReturnType<typeof merchant>>

async function merchant() {
  const { clientId, secret } = await newMerchant(0)
  const [key] = await db<{ id: string }>`select id from api_keys where client_id = ${clientId}`
  return { url: live.url, clientId, secret, keyId: key?.id ?? '' }
}

const read = (caller: Caller) => call(caller, 'GET /api/v1/events')

describe('a replay of an event', () => {
  it('sends the same bytes under the same id, and is refused for another merchant', async () => {
    const [caller, stranger] = [await merchant(), await merchant()]
    const receiver = await openReceiver()
    const callbackUrl = `${receiver.url}/hook?a=1`
    const { clientId, keyId } = caller
    await announce(live, [endedTransaction({ clientId, keyId, callbackUrl })])
    const [first] = await receiver.has(1)
    const id = String((await read(caller)).body.events[0].id)
    const replay = (who: Caller, which: string) => call(who, `POST /api/v1/events/${which}/replay`)
    for (const which of [id, id.replace('evt_', '')]) {
      const { status, body } = await replay(caller, which)
      const delivery = { state: 'delivered', httpStatus: 200, problem: null, nextTryAt: null }
      const message = 'Event replayed successfully'
      assert.deepEqual([status, body], [200, { success: true, message, delivery }])
    }
    const got = await receiver.has(3)
    assert.equal(got.length, 3)
    for (const one of got)
      assert.deepEqual(
        [one.path, one.body, one.headers['webhook-id']],
        ['/hook?a=1', first?.body, id],
      )
    const refused: [Caller, string][] = [
      [stranger, id],
      [caller, 'evt_00000000-0000-7000-8000-000000000000'],
      [caller, '00000000-0000-7000-8000-000000000000'],
      [caller, 'evt_1'],
      [caller, `evt_evt_${id}`],
      [caller, `${id}%0a`],
    ]
    const answers = await Promise.all(refused.map(([who, which]) => replay(who, which)))
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.code]),
      refused.map(() => [404, 'NOT_FOUND']),
    )
    assert.equal(receiver.got.length, 3)
  })

  it('tells what the address answered, or that it has not yet', async () => {
    const held: ServerResponse[] = []
    const answers = ['sorry', 'gone', 'held'].map(async (how) => {
      const caller = await merchant()
      const receiver = await openReceiver((_got, response) => {
        if (how === 'held') return held.push(response)
        return response.writeHead(how === 'gone' ? 410 : 500).end()
      })
      const { clientId, keyId } = caller
      const callbackUrl = `${receiver.url}/${how}`
      await announce(live, [endedTransaction({ clientId, keyId, callbackUrl })])
      await receiver.has(1)
      const [event] = (await read(caller)).body.events
      return (await call(caller, `POST /api/v1/events/${event.id}/replay`)).body
    })
    const [sorry, gone, waiting] = await Promise.all(answers)
    const { nextTryAt, ...failed } = sorry.delivery
    assert.deepEqual(failed, { state: 'pending', httpStatus: 500, problem: null })
    assert.ok(Date.parse(nextTryAt) > Date.now() - 60_000, nextTryAt)
    assert.equal(sorry.message, `Your address answered 500: the next attempt is at ${nextTryAt}`)
    assert.deepEqual([gone.delivery.state, gone.delivery.nextTryAt], ['stopped', null])
    assert.equal(gone.message, 'Your address answered 410: it is not tried again')
    const unknown = { state: 'pending', httpStatus: null, problem: null, nextTryAt: null }
    assert.deepEqual(waiting.delivery, unknown)
    assert.match(waiting.message, /has not answered yet$/)
    for (const response of held) response.end()
  })

  it('is refused for an event without an address', async () => {
    const caller = await merchant()
    const { clientId, keyId } = caller
    await announce(live, [endedTransaction({ clientId, keyId })])
    const [event] = (await read(caller)).body.events
    assert.equal((await call(caller, `POST /api/v1/events/${event.id}/replay`)).status, 409)
  })
})
