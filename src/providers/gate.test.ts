import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it, test } from 'node:test'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { Gate } from './gate.ts'
import { openGate } from './gate.ts'
import type { Reply } from './http.ts'
import { isAlive } from './line.ts'

const fine: Reply = { kind: 'answered', status: 200, headers: {}, body: '{}' }
const broken: Reply = { kind: 'answered', status: 503, headers: {}, body: '' }
const refused: Reply = { kind: 'not_sent', reason: 'ECONNREFUSED' }
const order = { isOrder: true, isHealthy: isAlive }
const question = { ...order, isOrder: false }

/** A gate before a provider that can be changed at any time. */
function gateTo(parts: { inFlightMax?: number } = {}) {
  const provider = {
    reply: async (): Promise<Reply> => fine,
    life: async (): Promise<Reply> => refused,
    isPaused: false,
    sent: 0,
  }
  const changes: boolean[] = []
  const gate = openGate({
    inFlightMax: parts.inFlightMax ?? 1000,
    isPaused: () => provider.isPaused,
    ask: () => provider.life(),
    onChange: (isUp) => void changes.push(isUp),
  })
  const send = () => {
    provider.sent += 1
    return provider.reply()
  }
  return { gate, provider, changes, pass: () => gate.pass(send, order), send }
}

/** Calls at this rate until the gate is closed to them; how long that took, or null. */
async function timeToOpen(
  gate: Gate,
  pass: () => Promise<Reply>,
  perSecond: number,
  forMs: number,
) {
  const startMs = performance.now()
  while (performance.now() - startMs < forMs) {
    void pass()
    await sleep(1000 / perSecond)
    if (gate.status().state !== 'up') return performance.now() - startMs
  }
  return null
}

const never = () => new Promise<Reply>(() => {})

describe('the gate', { concurrency: true }, () => {
  describe('a provider that fails is held back within five seconds', { concurrency: true }, () => {
    // name, what it answers, calls a second, good calls before
    const scenarios: [string, () => Promise<Reply>, number, number][] = [
      ['hangs, much traffic', never, 200, 400],
      ['hangs, some traffic', never, 20, 40],
      ['refuses, much traffic', async () => refused, 200, 400],
      ['refuses, little traffic', async () => refused, 5, 5],
      ['only says 503', async () => broken, 50, 100],
    ]
    for (const [name, reply, perSecond, goodCalls] of scenarios)
      it(name, async () => {
        const { gate, provider, pass, changes } = gateTo()
        for (let call = 0; call < goodCalls; call++) {
          await pass()
          await sleep(1000 / perSecond)
        }
        provider.reply = reply
        const tookMs = await timeToOpen(gate, pass, perSecond, 6000)
        assert.ok(tookMs !== null && tookMs < 5000, `${tookMs} ms`)
        assert.equal(gate.isAvailable(), false)
        const { sent } = provider
        assert.deepEqual(await pass(), { kind: 'not_sent', reason: 'down' })
        assert.equal(provider.sent, sent)
        assert.deepEqual(changes, [false])
        gate.close()
      })
  })

  it('three faults in ten, of any kind, hold nothing back', async () => {
    const { gate, provider, pass } = gateTo()
    let calls = 0
    // In runs, as badly mixed as three in ten can be.
    provider.reply = async () => {
      calls += 1
      if (calls % 20 >= 6) return fine
      return calls % 3 === 0 ? await sleep(3500, refused) : calls % 3 === 1 ? broken : refused
    }
    assert.equal(await timeToOpen(gate, pass, 300, 6000), null)
    assert.equal(gate.status().state, 'up')
    const { successRate } = gate.status()
    assert.ok(successRate !== null && successRate > 0.6 && successRate < 0.9, `${successRate}`)
  })

  it('a provider that is back is tried by one call, which decides', async () => {
    const { gate, provider, pass, changes } = gateTo()
    provider.reply = async () => refused
    await timeToOpen(gate, pass, 200, 5000)

    // A sign of life, but the trial fails: down again.
    provider.life = async () => fine
    await until(() => gate.isAvailable())
    assert.equal(gate.status().state, 'down')
    provider.life = async () => refused
    provider.sent = 0
    const [trial, other] = await Promise.all([pass(), pass()])
    assert.deepEqual([trial, other], [refused, { kind: 'not_sent', reason: 'down, being tried' }])
    assert.equal(provider.sent, 1)
    assert.equal(gate.isAvailable(), false)

    provider.life = async () => fine
    provider.reply = async () => fine
    await until(() => gate.isAvailable())
    assert.equal((await pass()).kind, 'answered')
    await until(() => gate.status().state === 'up')
    assert.ok(
      (await Promise.all([pass(), pass(), pass()])).every(({ kind }) => kind === 'answered'),
    )
    assert.deepEqual(changes, [false, false, true])
  })

  it('calls that hung from before do not count against a provider that is back', async () => {
    const { gate, provider, pass } = gateTo()
    provider.reply = never
    await timeToOpen(gate, pass, 200, 5000)
    provider.reply = async () => fine
    provider.life = async () => fine
    await until(() => gate.isAvailable())
    await pass()
    await until(() => gate.status().state === 'up')
    await sleep(3200)
    assert.equal(gate.status().state, 'up')
  })

  it('only so much is under way at once', async () => {
    const { gate, provider, pass } = gateTo({ inFlightMax: 3 })
    const { promise, resolve } = Promise.withResolvers<Reply>()
    provider.reply = () => promise
    const calls = [pass(), pass(), pass()]
    assert.equal(gate.status().inFlight, 3)
    assert.equal(gate.isAvailable(), false)
    assert.deepEqual(await pass(), { kind: 'not_sent', reason: 'too much under way' })
    resolve(fine)
    await Promise.all(calls)
    assert.equal(gate.status().inFlight, 0)
    assert.equal((await pass()).kind, 'answered')
  })

  it('a pause keeps orders out and lets questions through', async () => {
    const { gate, provider, pass, send } = gateTo()
    provider.isPaused = true
    assert.deepEqual(await pass(), { kind: 'not_sent', reason: 'paused by an operator' })
    assert.equal((await gate.pass(send, question)).kind, 'answered')
    assert.deepEqual([gate.isAvailable(), gate.status().state], [false, 'paused'])
    provider.isPaused = false
    assert.equal((await pass()).kind, 'answered')
  })

  it('an answer is given back however slow the verdict was', async () => {
    const { provider, pass } = gateTo()
    provider.reply = () => sleep(3300, fine)
    assert.equal(await pass(), fine)
  })

  it('the figures tell how a provider does', async () => {
    const { gate, provider, pass } = gateTo()
    assert.deepEqual(gate.status(), { state: 'up', inFlight: 0, successRate: null, p95Ms: null })
    for (let call = 0; call < 18; call++) await pass()
    provider.reply = () => sleep(120, broken)
    await Promise.all([pass(), pass()])
    const { successRate, p95Ms } = gate.status()
    assert.equal(successRate, 0.9)
    assert.ok(p95Ms !== null && p95Ms >= 200, `${p95Ms}`)
  })
})

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (isTrue()) return
    await sleep(10)
  }
  assert.fail('it never came true')
}

test('that this process stood still is not held against a provider', async () => {
  const provider = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads')
    setTimeout(() => parentPort.postMessage(workerData), 100)`,
    { eval: true, workerData: fine },
  )
  await once(provider, 'online')
  const { gate } = gateTo()
  const answered = gate.pass(async () => {
    const [reply] = (await once(provider, 'message')) as [Reply]
    return reply
  }, order)
  // Right before timers are looked at, and longer than an answer may take.
  await turn()
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 3200)
  assert.deepEqual(await answered, fine)
  await sleep(20)
  assert.equal(gate.status().successRate, 1)
  gate.close()
  await provider.terminate()
})
