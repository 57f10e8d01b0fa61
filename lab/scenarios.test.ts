import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { speakers } from './speakers.ts'
import type { Received } from './testing.ts'
import { newKey, openTestLab, pace, until } from './testing.ts'

const lab = await openTestLab()

// One row for each number, true of every protocol in both directions; seconds as in real life.
const table: {
  number: string
  story: string
  /** Answers of the order and its repetitions, where it is not taken at once. */
  answers?: number[]
  answerAfter?: number
  outcome: 'pending' | 'succeeded' | 'failed'
  amount?: number
  /** Callbacks in order: + tells of success, - of failure, ? is forged and tells of success. */
  callbacks: string
  after: number
}[] = [
  { number: '771234567', story: 'succeeds', outcome: 'succeeded', callbacks: '+', after: 0.8 },
  { number: '770000001', story: 'no funds', outcome: 'failed', callbacks: '-', after: 0 },
  { number: '770000002', story: 'refused', outcome: 'failed', callbacks: '-', after: 0.8 },
  { number: '770000003', story: 'expires', outcome: 'failed', callbacks: '-', after: 3 },
  { number: '770000004', story: 'silence', outcome: 'pending', callbacks: '', after: 0 },
  { number: '770000005', story: 'polling only', outcome: 'succeeded', callbacks: '', after: 10 },
  {
    number: '770000006',
    story: 'the answer is lost',
    answers: [0],
    outcome: 'succeeded',
    callbacks: '+',
    after: 0.8,
  },
  {
    number: '770000007',
    story: 'five times',
    outcome: 'succeeded',
    callbacks: '+++++',
    after: 0.8,
  },
  {
    number: '770000008',
    story: 'contradiction',
    outcome: 'succeeded',
    callbacks: '+-',
    after: 0.8,
  },
  {
    number: '770000009',
    story: 'not available three times',
    answers: [503, 503, 503],
    outcome: 'succeeded',
    callbacks: '+',
    after: 0.8,
  },
  {
    number: '770000010',
    story: 'another amount',
    outcome: 'succeeded',
    amount: 450,
    callbacks: '+',
    after: 0.8,
  },
  { number: '770000011', story: 'callback first', outcome: 'succeeded', callbacks: '+', after: 0 },
  {
    number: '770000012',
    story: 'late answer',
    answerAfter: 14.8,
    outcome: 'succeeded',
    callbacks: '+',
    after: 0.8,
  },
  { number: '770000013', story: 'forged', outcome: 'failed', callbacks: '?-', after: 4.8 },
]

describe('scenarios', { concurrency: true }, () => {
  for (const speaker of speakers)
    for (const row of table)
      it(`${speaker.name} ${row.number} ${row.story}`, async () => {
        const key = newKey()
        const startedAt = Date.now()
        for (const status of row.answers ?? [])
          assert.equal((await speaker.order(lab, row.number, key)).status, status)
        if (row.answers?.includes(0) !== true) {
          const answer = await speaker.order(lab, row.number, key)
          assert.equal(answer.status, speaker.taken, answer.text)
        }
        const answeredAfterMs = Date.now() - startedAt
        assert.ok(answeredAfterMs >= ((row.answerAfter ?? 0) * 1000) / pace)

        const seen = await until(
          () => speaker.query(lab, key),
          ({ outcome }) => outcome === row.outcome,
        )
        const [booked] = await lab.booked(key)
        assert.equal(seen.outcome, row.outcome)
        assert.equal(seen.amount, row.amount ?? 500)
        assert.equal(booked?.status, row.outcome)
        assert.equal(booked?.executed, row.outcome === 'succeeded' ? 1 : 0)
        assert.equal(booked?.amount, 500)
        assert.equal(booked?.phone, row.number)
        if (row.outcome !== 'pending') {
          const tookMs = Date.parse(String(booked?.completedAt)) - startedAt
          assert.ok(tookMs >= (row.after * 1000) / pace - 2, `${tookMs} ms`)
        }
        const signs = speaker.hasCallback ? row.callbacks : ''
        await until(
          () => received(key),
          ({ length }) => length >= signs.length,
        )
        await sleep(20)
        assert.equal(received(key).map(signOf).join(''), signs)
        const [first] = received(key)
        if (row.story === 'callback first' && first !== undefined)
          assert.ok(first.at <= startedAt + answeredAfterMs)
      })
})

function received(key: string): Received[] {
  const isOurs = ({ text }: Received) => text.includes(`"${key}"`)
  return [...lab.received(key), ...lab.received('webhooks').filter(isOurs)]
}

function signOf({ path, headers, text }: Received): string {
  const isSuccess = /"(completed|SUCCESSFUL|success|succeeded|checkout\.session\.completed)"/.test(
    text,
  )
  const signature = headers['checkout-signature']
  const isGenuine = signature === undefined ? path.endsWith('/code') : isSigned(signature, text)
  if (isGenuine) return isSuccess ? '+' : '-'
  return isSuccess ? '?' : '!'
}

function isSigned(signature: string | string[], text: string): boolean {
  const [, time = '', code] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(signature)) ?? []
  return (
    code ===
    createHmac('sha256', 'lab_checkout_secret')
      .update(time + text)
      .digest('hex')
  )
}
