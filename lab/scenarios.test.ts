import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, it } from 'node:test'
import { letTimePass, protocolClients } from './test-clients.ts'
import { newKey, openTestLab, pace, type Received, until } from './test-lab.ts'

const lab = await openTestLab()

// One row for each number, the same for every protocol and direction; in seconds at pace 1.
const table: {
  number: string
  title: string
  /** HTTP statuses of the first requests, where the order is not accepted at once. */
  answers?: number[]
  answerAfter?: number
  outcome: 'pending' | 'succeeded' | 'failed'
  amount?: number
  /** Callbacks in order: + claims success, - claims failure, ? is forged and claims success. */
  callbacks: string
  /** The order ends no earlier than this. */
  after: number
}[] = [
  { number: '771234567', title: 'succeeds', outcome: 'succeeded', callbacks: '+', after: 0.8 },
  {
    number: '770000001',
    title: 'is declined for lack of funds',
    outcome: 'failed',
    callbacks: '-',
    after: 0,
  },
  { number: '770000002', title: 'is refused', outcome: 'failed', callbacks: '-', after: 0.8 },
  { number: '770000003', title: 'expires', outcome: 'failed', callbacks: '-', after: 3 },
  { number: '770000004', title: 'stays pending', outcome: 'pending', callbacks: '', after: 0 },
  {
    number: '770000005',
    title: 'succeeds without a callback',
    outcome: 'succeeded',
    callbacks: '',
    after: 10,
  },
  {
    number: '770000006',
    title: 'loses the answer',
    answers: [0],
    outcome: 'succeeded',
    callbacks: '+',
    after: 0.8,
  },
  {
    number: '770000007',
    title: 'sends its callback five times',
    outcome: 'succeeded',
    callbacks: '+++++',
    after: 0.8,
  },
  {
    number: '770000008',
    title: 'sends a contradicting callback',
    outcome: 'succeeded',
    callbacks: '+-',
    after: 0.8,
  },
  {
    number: '770000009',
    title: 'answers 503 three times',
    answers: [503, 503, 503],
    outcome: 'succeeded',
    callbacks: '+',
    after: 0.8,
  },
  {
    number: '770000010',
    title: 'reports another amount',
    outcome: 'succeeded',
    amount: 450,
    callbacks: '+',
    after: 0.8,
  },
  {
    number: '770000011',
    title: 'sends its callback before the answer',
    outcome: 'succeeded',
    callbacks: '+',
    after: 0,
  },
  {
    number: '770000012',
    title: 'answers late',
    answerAfter: 14.8,
    outcome: 'succeeded',
    callbacks: '+',
    after: 0.8,
  },
  {
    number: '770000014',
    title: 'loses the answer of what it carries out',
    answers: [0],
    outcome: 'succeeded',
    callbacks: '',
    after: 0,
  },
  {
    number: '770000013',
    title: 'sends a forged callback',
    outcome: 'failed',
    callbacks: '?-',
    after: 4.8,
  },
]

describe('scenarios', { concurrency: true }, () => {
  for (const client of protocolClients)
    for (const row of table)
      it(`${client.name} ${row.number} ${row.title}`, async () => {
        const key = newKey()
        const startedAt = Date.now()
        for (const status of row.answers ?? [])
          assert.equal((await client.order(lab, row.number, key)).status, status)
        if (row.answers?.includes(0) !== true) {
          const answer = await client.order(lab, row.number, key)
          assert.equal(answer.status, client.acceptedStatus, answer.text)
        }
        const answeredAfterMs = Date.now() - startedAt
        assert.ok(answeredAfterMs >= ((row.answerAfter ?? 0) * 1000) / pace)

        const state = await until(
          () => client.query(lab, key),
          ({ outcome }) => outcome === row.outcome,
        )
        const [booked] = await lab.booked(key)
        assert.equal(state.outcome, row.outcome)
        assert.equal(state.amount, row.amount ?? 500)
        assert.equal(booked?.status, row.outcome)
        assert.equal(booked?.executed, row.outcome === 'succeeded' ? 1 : 0)
        assert.equal(booked?.amount, 500)
        assert.equal(booked?.phone, row.number)
        if (row.outcome !== 'pending') {
          const tookMs = Date.parse(String(booked?.completedAt)) - startedAt
          assert.ok(tookMs >= (row.after * 1000) / pace - 2, `${tookMs} ms`)
        }
        const signs = client.hasCallback ? row.callbacks : ''
        await until(
          () => received(key),
          ({ length }) => length >= signs.length,
        )
        await letTimePass(lab)
        assert.equal(received(key).map(signOf).join(''), signs)
        const [first] = received(key)
        if (row.number === '770000011' && first !== undefined)
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
