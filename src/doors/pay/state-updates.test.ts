import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { states } from '#test/fake-checkout.ts'
import { openPayServer, testPayServer } from '#test/pay-server.ts'
import { eventually } from '#test/wait.ts'

const server = await testPayServer()
const { checkout, get } = server

/** Connects to the event stream of a link and collects its data lines. */
async function listen(url: string) {
  const gone = new AbortController()
  const answer = await fetch(url, { signal: gone.signal })
  const received: string[] = []
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of answer.body ?? [])
      received.push(
        ...decoder
          .decode(chunk)
          .split('\n')
          .filter((line) => line.startsWith('data: ')),
      )
  })().catch(() => 'gone')
  const receives = (...versions: string[]) =>
    eventually(
      'these versions are streamed',
      async () => received.join() === versions.map((one) => `data: {"version":"${one}"}`).join(),
    )
  return { answer, receives, reading, disconnect: () => gone.abort() }
}

describe('/state', () => {
  it('returns the version of the link, which changes with its state', async () => {
    const id = checkout.put()
    const before = await get(`${id}/state`)
    assert.equal(before.text, '{"version":"1"}')
    assert.equal(before.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(before.headers.get('cache-control'), 'no-store')
    checkout.change(id, { state: { kind: 'expired' } })
    assert.equal((await get(`${id}/state`)).text, '{"version":"2"}')
    assert.match((await get(id)).markup, /<main [^>]*data-version="2"/)
  })

  it('is limited to 120 requests a minute', async () => {
    const { checkout, get } = await testPayServer()
    const id = checkout.put()
    for (let time = 0; time < 120; time += 1) await get(`${id}/state`)
    const refused = await get(`${id}/state`)
    assert.equal(refused.status, 429)
    assert.equal(refused.text, '{"version":null}')
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
  })
})

describe('/events', () => {
  it('streams the present version and each new one until the client disconnects', async () => {
    const id = checkout.put()
    const one = await listen(`${server.pageOf(id)}/events`)
    assert.equal(one.answer.status, 200)
    assert.equal(one.answer.headers.get('content-type'), 'text/event-stream')
    await one.receives('1')
    await eventually('the stream is open', async () => checkout.followers() === 1)
    checkout.change(id, { state: states.push as never })
    await one.receives('1', '2')
    // A change that does not change the version.
    checkout.change(id, { version: '2' })
    checkout.change(id, { version: '3', state: states.paid as never })
    await one.receives('1', '2', '3')
    one.disconnect()
    await eventually('the stream is closed', async () => checkout.followers() === 0)
  })

  it('streams a change that happens while the stream begins', async () => {
    const id = checkout.put()
    const { look } = checkout
    let looks = 0
    checkout.look = async (linkId) => {
      const view = await look(linkId)
      looks += 1
      // Changes the link right after the state of the first event was read.
      if (looks === 2) checkout.change(id, { version: 'late' })
      return view
    }
    const one = await listen(`${server.pageOf(id)}/events`)
    await one.receives('1', 'late')
    checkout.look = look
    one.disconnect()
  })

  it('allows six streams for a link and address, and a new one when they end', async () => {
    const id = checkout.put()
    const url = `${server.pageOf(id)}/events`
    const open = await Promise.all(Array.from({ length: 6 }, () => listen(url)))
    assert.ok(open.every(({ answer }) => answer.status === 200))
    assert.equal((await get(`${id}/events`)).status, 429)
    for (const one of open) one.disconnect()
    await eventually('a place is free', async () => {
      const one = await listen(url)
      one.disconnect()
      return one.answer.status === 200
    })
  })

  it('ends when the server closes', async () => {
    const stopping = await openPayServer()
    const one = await listen(`${stopping.pageOf(stopping.checkout.put())}/events`)
    await one.receives('1')
    await stopping.close()
    await one.reading
  })
})
