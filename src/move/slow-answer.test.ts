import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { soonOrStreamed } from './slow-answer.ts'

const answer = { rows: '3' }

describe('an answer that takes long', () => {
  it('is sent as it is when it comes soon', async () => {
    assert.equal(await soonOrStreamed(Promise.resolve(answer), 10_000), answer)
    await assert.rejects(soonOrStreamed(Promise.reject(new Error('refused')), 10_000), /refused/)
  })

  it('comes behind blanks, so that nobody takes the connection for dead', async () => {
    const late = Promise.withResolvers<object>()
    const streamed = await soonOrStreamed(late.promise, 10)
    assert.ok(streamed instanceof Readable)
    let sent = ''
    for await (const part of streamed) {
      sent += part
      late.resolve(answer)
    }
    assert.match(sent, /^ +\{/)
    assert.deepEqual(JSON.parse(sent), answer)
  })

  it('ends the stream when it fails, and nothing else', async () => {
    const failing = Promise.withResolvers<object>()
    const streamed = await soonOrStreamed(failing.promise, 10)
    assert.ok(streamed instanceof Readable)
    const sent = text(streamed)
    failing.reject(new Error('no more disk'))
    await assert.rejects(sent, /no more disk/)
  })
})
