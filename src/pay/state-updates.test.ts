import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { states } from '../../test/fake-checkout.ts'
import { openPayServer, testPayServer } from '../../test/pay-server.ts'
import { eventually } from '../../test/wait.ts'

const server = await testPayServer()
const { checkout, get } = server

/** Listens to a link's events; what was heard grows in `heard`. */
async function listen(url: string) {
  const gone = new AbortController()
  const answer = await fetch(url, { signal: gone.signal })
  const heard: string[] = []
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of answer.body ?? [])
      heard.push(
        ...decoder
          .decode(chunk)
          .split('\n')
          .filter((line) => line.startsWith('data: ')),
      )
  })().catch(() => 'gone')
  const hears = (...versions: string[]) =>
    eventually(
      'these versions are streamed',
      async () => heard.join() === versions.map((one) => `data: {"version":"${one}"}`).join(),
    )
  return { answer, hears, reading, leave: () => gone.abort() }
}

describe('the state of a link', () => {
  it('is its version, which changes with it', async () => {
    const id = checkout.put()
    const before = await get(`${id}/state`)
    assert.equal(before.text, '{"version":"1"}')
    assert.equal(before.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(before.headers.get('cache-control'), 'no-store')
    checkout.change(id, { state: { kind: 'expired' } })
    assert.equal((await get(`${id}/state`)).text, '{"version":"2"}')
    assert.match((await get(id)).markup, /<main [^>]*data-version="2"/)
  })

  it('is told at most 120 times a minute', async () => {
    const { checkout, get } = await testPayServer()
    const id = checkout.put()
    for (let time = 0; time < 120; time += 1) await get(`${id}/state`)
    const refused = await get(`${id}/state`)
    assert.equal(refused.status, 429)
    assert.equal(refused.text, '{"version":null}')
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
  })
})

describe('the events of a link', () => {
  it('are its version now and each new one, until the listener goes', async () => {
    const id = checkout.put()
    const one = await listen(`${server.pageOf(id)}/events`)
    assert.equal(one.answer.status, 200)
    assert.equal(one.answer.headers.get('content-type'), 'text/event-stream')
    await one.hears('1')
    await eventually('the stream is open', async () => checkout.followers() === 1)
    checkout.change(id, { state: states.push as never })
    await one.hears('1', '2')
    // Something else about it changed, nothing that a payer sees.
    checkout.change(id, { version: '2' })
    checkout.change(id, { version: '3', state: states.paid as never })
    await one.hears('1', '2', '3')
    one.leave()
    await eventually('the stream is closed', async () => checkout.followers() === 0)
  })

  it('miss nothing that happens while they begin', async () => {
    const id = checkout.put()
    const { look } = checkout
    let looks = 0
    checkout.look = async (linkId) => {
      const view = await look(linkId)
      looks += 1
      // The look that is told of first: a change comes right behind it.
      if (looks === 2) checkout.change(id, { version: 'late' })
      return view
    }
    const one = await listen(`${server.pageOf(id)}/events`)
    await one.hears('1', 'late')
    checkout.look = look
    one.leave()
  })

  it('are six at most, and a place is free again when one ends', async () => {
    const id = checkout.put()
    const url = `${server.pageOf(id)}/events`
    const open = await Promise.all(Array.from({ length: 6 }, () => listen(url)))
    assert.ok(open.every(({ answer }) => answer.status === 200))
    assert.equal((await get(`${id}/events`)).status, 429)
    for (const one of open) one.leave()
    await eventually('a place is free', async () => {
      const one = await listen(url)
      one.leave()
      return one.answer.status === 200
    })
  })

  it('end when the server stops', async () => {
    const stopping = await openPayServer()
    const one = await listen(`${stopping.pageOf(stopping.checkout.put())}/events`)
    await one.hears('1')
    await stopping.close()
    await one.reading
  })
})
