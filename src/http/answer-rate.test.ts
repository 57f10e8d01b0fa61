import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AnswerRate } from './answer-rate.ts'

/** A machine on which time passes as told; `share` of it without work. */
function machine() {
  const time = { nowMs: 1000, idleMs: 400 }
  const rate = new AnswerRate({ nowMs: () => time.nowMs, idleMs: () => time.idleMs })
  function pass(ms: number, { share = 0, answers = 0 } = {}): number {
    for (let passed = 0; passed < ms; passed += 50) {
      time.nowMs += 50
      time.idleMs += 50 * share
      for (let count = 0; count < (answers * 50) / 1000; count += 1) rate.countAnswer()
      rate.answersIn(1000)
    }
    return rate.answersIn(1000)
  }
  function sleep(ms: number): void {
    time.nowMs += ms
    time.idleMs += ms
  }
  return { rate, pass, sleep }
}

describe('what a process answers in a second', () => {
  it('is no limit while it has idle moments, however slow it is', () => {
    const { pass } = machine()
    assert.equal(pass(10_000, { share: 0.1, answers: 20 }), Infinity)
  })

  it('is no limit for a burst that lasts less than a second', () => {
    const { pass } = machine()
    pass(3_600_000, { share: 1 })
    assert.equal(pass(900, { answers: 1000 }), Infinity)
  })

  it('is a limit after a second without a pause', () => {
    const { pass } = machine()
    pass(10_000, { share: 1 })
    const limit = pass(1500, { answers: 1000 })
    assert.ok(limit > 900 && limit <= 1000, String(limit))
  })

  it('is a quarter of that for a quarter of the time', () => {
    const { rate, pass } = machine()
    const inASecond = pass(5000, { answers: 4000 })
    assert.equal(rate.answersIn(250), inASecond / 4)
  })

  it('is at least 256 for a process that answers fewer', () => {
    const { pass } = machine()
    assert.equal(pass(2000, { answers: 20 }), 256)
  })

  it('follows within seconds when answers become slower or faster', () => {
    const { pass } = machine()
    pass(10_000, { answers: 2000 })
    const slower = pass(5000, { answers: 400 })
    assert.ok(slower > 390 && slower < 600, String(slower))
    const faster = pass(5000, { answers: 2000 })
    assert.ok(faster > 1700, String(faster))
  })

  it('is twice as much after each quarter of a second with pauses, then no limit', () => {
    const { pass } = machine()
    const busy = pass(5000, { answers: 500 })
    const limits = Array.from({ length: 5 }, () => pass(250, { share: 0.2, answers: 500 }))
    const rounded = limits.map((limit) => Math.round(limit / 500))
    assert.equal(Math.round(busy / 500), 1)
    assert.deepEqual(rounded, [2, 4, 8, 16, Infinity])
  })

  it('is as before at once when it is busy again after a pause', () => {
    const { pass } = machine()
    pass(5000, { answers: 1000 })
    assert.equal(Math.round(pass(500, { share: 0.9, answers: 1000 }) / 1000), 4)
    assert.equal(Math.round(pass(250, { answers: 1000 }) / 1000), 1)
  })

  it('is no limit after a long pause in which nobody asked', () => {
    const { rate, pass, sleep } = machine()
    pass(5000, { answers: 500 })
    sleep(2000)
    assert.equal(rate.answersIn(1000), Infinity)
  })

  it('is a mean of turns of the event loop that take seconds', () => {
    const time = { nowMs: 0 }
    const rate = new AnswerRate({ nowMs: () => time.nowMs, idleMs: () => 0 })
    const limits = [0, 3000, 0, 3000, 0, 3000, 0, 3000].map((answers) => {
      time.nowMs += 3000
      for (let count = 0; count < answers; count += 1) rate.countAnswer()
      return rate.answersIn(1000)
    })
    for (const limit of limits.slice(4)) assert.ok(limit > 256 && limit < 750, String(limits))
  })
})
