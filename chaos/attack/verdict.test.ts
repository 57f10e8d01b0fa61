import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Latency } from '../latencies.ts'
import { describePhase, judgeFiles, judgeMemory, judgePhases, type Phase } from './verdict.ts'

const phase = (name: string, fromMs: number, more: Partial<Phase> = {}): Phase => ({
  name,
  fromMs,
  toMs: fromMs + 1000,
  lateMs: 30,
  p99LateMs: 12,
  busyShare: 0.1,
  waitedShare: 0,
  memoryMb: 300,
  ...more,
})
const answers = (fromMs: number, tookMs: number, status = 201): Latency[] =>
  Array.from({ length: 20 }, (_, at) => ({ sentMs: fromMs + at * 50, tookMs, status, text: '' }))
const alone = [phase('alone', 0)]
const before = answers(0, 20)

/** What is said of one attack, after a time alone in which payments took 20 ms. */
function faultsOf(attack: Phase, meanwhile: Latency[]): string[] {
  const [verdict] = judgePhases([attack], alone, [...before, ...meanwhile])
  assert.ok(verdict)
  assert.equal(describePhase(verdict).isGood, verdict.faults.length === 0)
  return verdict.faults
}

describe('the verdict on an attack', () => {
  it('is good where payments and the thread are little later than alone', () => {
    assert.deepEqual(faultsOf(phase('attack', 5000, { lateMs: 270 }), answers(5000, 260)), [])
  })

  for (const [what, more, meanwhile, fault] of [
    ['a thread that is late by a second', { lateMs: 1000 }, answers(5000, 20), /^late by/],
    ['payments that are later than 250 ms more', {}, answers(5000, 280), /^p99 above 270 ms/],
    ['a payment that is refused', {}, answers(5000, 20, 503), /^20 payments got a 5xx/],
    ['an error of the gateway', {}, answers(5000, 20, 500), /^20 payments got a 5xx/],
    ['no payment at all', {}, answers(8000, 20), /^no payment was answered/],
  ] as const)
    it(`is bad for ${what}`, () => {
      const [first, ...others] = faultsOf(phase('attack', 5000, more), meanwhile)
      assert.match(first ?? '', fault)
      assert.deepEqual(others, [])
    })

  it('is bad for a thread that is late by 50 ms beside files, p99', () => {
    const [good, bad] = judgeFiles([49, 51].map((p99LateMs) => phase('a', 0, { p99LateMs })))
    assert.deepEqual([good?.isGood, bad?.isGood], [true, false])
  })

  it('is bad for memory above 400 MB in any phase', () => {
    assert.equal(judgeMemory([phase('a', 0), phase('b', 0, { memoryMb: 399 })]).isGood, true)
    assert.equal(judgeMemory([phase('a', 0), phase('b', 0, { memoryMb: 401 })]).isGood, false)
  })
})
