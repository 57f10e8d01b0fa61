import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { fakeTime } from '#test/fake-time.ts'
import { type Gate, openGate } from './gate.ts'
import { isHealthyReply } from './gated-client.ts'
import type { Reply } from './http-client.ts'
import { percentile95 } from './recent-calls.ts'

const fine: Reply = { kind: 'answered', status: 200, headers: {}, body: '{}' }
const broken: Reply = { kind: 'answered', status: 503, headers: {}, body: '' }
const refused: Reply = { kind: 'not_sent', reason: 'ECONNREFUSED' }
/** What the gate answers itself, without a call. */
function heldBack(reason: string): Reply {
  return { kind: 'not_sent', reason, isHeldBack: true }
}

const order = { isOrder: true, isHealthy: isHealthyReply }
const query = { ...order, isOrder: false }

const time = fakeTime()

/** A gate to a provider whose behaviour the test can change at any time. */
function gateTo(parts: { inFlightMax?: number } = {}) {
  const provider = {
    reply: async (): Promise<Reply> => fine,
    probeReply: async (): Promise<Reply> => refused,
    isPaused: false,
    sent: 0,
  }
  const changes: boolean[] = []
  const measured = { orders: [] as number[], others: [] as number[] }
  /** Whether a call was let through each time that a probe was answered. */
  const answers: boolean[] = []
  const gate = openGate({
    inFlightMax: parts.inFlightMax ?? 1000,
    isPaused: () => provider.isPaused,
    measure: (isOrder, seconds) => void measured[isOrder ? 'orders' : 'others'].push(seconds),
    probe: () => provider.probeReply(),
    onChange: (isUp) => void changes.push(isUp),
    onAnswered: () => void answers.push(gate.isAvailable()),
  })
  const send = () => {
    provider.sent += 1
    return provider.reply()
  }
  const sendOrder = () => gate.run(send, order)
  return { gate, provider, changes, measured, answers, sendOrder, send }
}

/** Sends orders at this rate until the breaker opens: how long that took; null: it did not. */
async function timeToOpen(
  gate: Gate,
  sendOrder: () => Promise<Reply>,
  perSecond: number,
  forMs: number,
) {
  const startMs = time.nowMs()
  while (time.nowMs() - startMs < forMs) {
    void sendOrder()
    await time.pass(1000 / perSecond)
    if (gate.status().state !== 'up') return time.nowMs() - startMs
  }
  return null
}

const never = () => new Promise<Reply>(() => {})

function late(ms: number, reply: Reply): Promise<Reply> {
  return new Promise((resolve) => void setTimeout(() => resolve(reply), ms))
}

describe('the gate', () => {
  describe('the breaker opens within five seconds when a provider', () => {
    // name, reply of the provider, calls per second, good calls before
    const scenarios: [string, () => Promise<Reply>, number, number][] = [
      ['hangs, at 200 calls per second', never, 200, 400],
      ['hangs, at 20 calls per second', never, 20, 40],
      ['refuses connections, at 200 calls per second', async () => refused, 200, 400],
      ['refuses connections, at 5 calls per second', async () => refused, 5, 5],
      ['answers 503', async () => broken, 50, 100],
    ]
    for (const [name, reply, perSecond, goodCalls] of scenarios)
      it(name, async () => {
        const { gate, provider, sendOrder, changes } = gateTo()
        for (let call = 0; call < goodCalls; call++) {
          await sendOrder()
          await time.pass(1000 / perSecond)
        }
        provider.reply = reply
        const tookMs = await timeToOpen(gate, sendOrder, perSecond, 6000)
        assert.ok(tookMs !== null && tookMs < 5000, `${tookMs} ms`)
        assert.equal(gate.isAvailable(), false)
        const { sent } = provider
        assert.deepEqual(await sendOrder(), heldBack('down'))
        assert.equal(provider.sent, sent)
        assert.deepEqual(changes, [false])
        gate.close()
      })
  })

  it('the breaker stays closed at a failure rate of 30 % of mixed faults', async () => {
    const { gate, provider, sendOrder } = gateTo()
    let calls = 0
    // In runs of six faults, the worst distribution of three in ten.
    provider.reply = async () => {
      calls += 1
      if (calls % 20 >= 6) return fine
      return calls % 3 === 0 ? await late(3500, refused) : calls % 3 === 1 ? broken : refused
    }
    assert.equal(await timeToOpen(gate, sendOrder, 250, 6000), null)
    assert.equal(gate.status().state, 'up')
    const { good, bad } = gate.status().calls
    const successRate = good / (good + bad)
    assert.ok(successRate > 0.6 && successRate < 0.9, `${successRate}`)
  })

  it('after an answered probe one call is let through, whose result decides', async () => {
    const { gate, provider, sendOrder, changes } = gateTo()
    provider.reply = async () => refused
    await timeToOpen(gate, sendOrder, 200, 5000)

    // The probe is answered, but the trial call fails: down again.
    provider.probeReply = async () => fine
    await time.passUntil(() => gate.isAvailable())
    assert.equal(gate.status().state, 'down')
    provider.probeReply = async () => refused
    provider.sent = 0
    const [trial, other] = await Promise.all([sendOrder(), sendOrder()])
    assert.deepEqual([trial, other], [refused, heldBack('down, being tested')])
    assert.equal(provider.sent, 1)
    assert.equal(gate.isAvailable(), false)

    provider.probeReply = async () => fine
    provider.reply = async () => fine
    await time.passUntil(() => gate.isAvailable())
    assert.equal((await sendOrder()).kind, 'answered')
    await time.passUntil(() => gate.status().state === 'up')
    assert.ok(
      (await Promise.all([sendOrder(), sendOrder(), sendOrder()])).every(
        ({ kind }) => kind === 'answered',
      ),
    )
    assert.deepEqual(changes, [false, false, true])
  })

  it('calls that began before the breaker closed again do not open it', async () => {
    const { gate, provider, answers, sendOrder } = gateTo()
    provider.reply = never
    await timeToOpen(gate, sendOrder, 200, 5000)
    provider.reply = async () => fine
    provider.probeReply = async () => fine
    assert.deepEqual(answers, [])
    await time.passUntil(() => gate.isAvailable())
    // Told at once: without it nobody might call a provider that has no new orders.
    assert.deepEqual(answers, [true])
    await sendOrder()
    await time.passUntil(() => gate.status().state === 'up')
    await time.pass(3200)
    assert.equal(gate.status().state, 'up')
  })

  it('calls above the cap in flight are not_sent', async () => {
    const { gate, provider, sendOrder } = gateTo({ inFlightMax: 3 })
    const { promise, resolve } = Promise.withResolvers<Reply>()
    provider.reply = () => promise
    const calls = [sendOrder(), sendOrder(), sendOrder()]
    assert.equal(gate.status().inFlight, 3)
    assert.equal(gate.isAvailable(), false)
    assert.deepEqual(await sendOrder(), heldBack('too many requests in progress'))
    resolve(fine)
    await Promise.all(calls)
    assert.equal(gate.status().inFlight, 0)
    assert.equal((await sendOrder()).kind, 'answered')
  })

  it('a pause turns orders away and lets queries through', async () => {
    const { gate, provider, sendOrder, send } = gateTo()
    provider.isPaused = true
    assert.deepEqual(await sendOrder(), heldBack('paused by an operator'))
    assert.equal((await gate.run(send, query)).kind, 'answered')
    assert.deepEqual([gate.isAvailable(), gate.status().isPaused], [false, true])
    provider.isPaused = false
    assert.equal((await sendOrder()).kind, 'answered')
  })

  it('a call that counts as too slow still returns its answer', async () => {
    const { provider, sendOrder } = gateTo()
    provider.reply = () => late(3300, fine)
    const answered = sendOrder()
    await time.pass(3300)
    assert.equal(await answered, fine)
  })

  it('the status counts results and durations, which are measured for orders apart', async () => {
    const { gate, provider, sendOrder, send, measured } = gateTo()
    assert.equal(percentile95(gate.status().calls.durations), null)
    for (let call = 0; call < 18; call++) await sendOrder()
    provider.reply = () => late(120, broken)
    const answered = Promise.all([sendOrder(), gate.run(send, query)])
    await time.pass(120)
    await answered
    const { state, isPaused, inFlight, calls } = gate.status()
    const { good, bad, durations } = calls
    assert.deepEqual([state, isPaused, inFlight, good, bad], ['up', false, 0, 18, 2])
    assert.equal(percentile95(durations), 200)
    const { orders, others } = measured
    assert.deepEqual([orders.length, others.length], [19, 1])
    const [seconds = 0] = others
    assert.ok(seconds >= 0.12 && seconds < 0.13, `${seconds}`)
  })

  it('the status tells for how long the breaker is open, failed trials included', async () => {
    const { gate, provider, sendOrder } = gateTo()
    await time.pass(1000)
    assert.equal(gate.status().stateMs, 1000)
    provider.reply = async () => refused
    await timeToOpen(gate, sendOrder, 200, 5000)
    assert.equal(gate.status().stateMs, 0)
    provider.probeReply = async () => fine
    await time.passUntil(() => gate.isAvailable())
    const { stateMs } = gate.status()
    await sendOrder()
    await time.pass(100)
    assert.deepEqual([gate.status().state, gate.status().stateMs], ['down', stateMs + 100])
    gate.close()
  })
})

test('a stall of this process does not count as a failure of the provider', async () => {
  const shared = new Int32Array(new SharedArrayBuffer(4))
  const provider = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads')
    parentPort.once('message', () => {
      parentPort.postMessage(workerData.fine)
      Atomics.store(workerData.shared, 0, 1)
      Atomics.notify(workerData.shared, 0)
    })`,
    { eval: true, workerData: { fine, shared } },
  )
  await once(provider, 'online')
  const { gate } = gateTo()
  const answered = gate.run(async () => {
    const [reply] = (await once(provider, 'message')) as [Reply]
    return reply
  }, order)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
  provider.postMessage('an order')
  // The answer arrives while the event loop is blocked, for longer than a slow call may take.
  Atomics.wait(shared, 0, 0)
  time.jump(3200)
  assert.deepEqual(await answered, fine)
  await turn()
  const { good, bad } = gate.status().calls
  assert.deepEqual([good, bad], [1, 0])
  gate.close()
  await provider.terminate()
})
