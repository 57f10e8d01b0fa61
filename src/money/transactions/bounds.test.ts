import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { usualCapability } from '#money/providers/capabilities.ts'
import type { Outcome } from '#money/providers/contract.ts'
import { balance, call, initBody, liveGateway, script } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { conflictsOf, suspenseOf } from '#test/suspense.ts'
import type { OutcomeReport } from './decide.ts'
import { findTransaction } from './store.ts'
import type { Transaction } from './transaction.ts'

const live = await liveGateway({ pace: 20 })
const { db, transactions, newMerchant } = live
const { context, resolve } = transactions
let numbers = 778_900_000

type Gateway = typeof live

const merchant = async (): Promise<Gateway> => ({ ...live, ...(await newMerchant(1000)) })

/** A collection that the provider has taken, and whose payer does nothing. */
async function taken(gateway: Gateway): Promise<Transaction> {
  numbers += 1
  const number = String(numbers)
  await script(live, number, [])
  const { body } = await call(gateway, 'POST /api/v1/transaction/init', initBody({ number }))
  return stateOf(gateway, String(body.transaction.transactionId))
}

async function stateOf({ clientId }: Gateway, id: string): Promise<Transaction> {
  const found = await findTransaction(db, { clientId, id })
  assert.ok(found !== undefined)
  return found
}

async function told(one: Transaction, outcome: Outcome, more: Partial<OutcomeReport> = {}) {
  const { clientId, id: transactionId, attemptId } = one
  const head = { clientId, transactionId, attemptId, capability: usualCapability }
  const report = { ...head, source: 'query', outcome, ...more } as const
  // Any copy of it is told again, as a provider is asked again.
  for (const _ of [1, 2]) await context.record(report)
}

const succeeded = (change: object = {}): Outcome => {
  const paid: Outcome = {
    kind: 'succeeded',
    reference: 'P1',
    amount: 5000,
    currency: 'XOF',
    tokens: [],
  }
  return { ...paid, ...change }
}

const references: [string, string][] = [
  ['of 5 kB', 'R'.repeat(5000)],
  ['of 5 kB that no compression shortens', noise(5000)],
  ['with NUL', 'R\0S'],
  ['with half a character', 'R\uD83D'],
]

function noise(length: number): string {
  const letters = Array.from({ length }, (_, at) =>
    String.fromCharCode(0x4e00 + ((at * 7919) % 20_000)),
  )
  return letters.join('')
}

describe('what a provider says and no table can hold', { concurrency: true }, () => {
  for (const [name, reference] of references) {
    it(`is a conflict for a person: a success with a reference ${name}`, async () => {
      const gateway = await merchant()
      const { id } = await taken(gateway)
      await told(await stateOf(gateway, id), succeeded({ reference }))
      const { status, dueAt, ...ended } = await stateOf(gateway, id)
      assert.deepEqual(
        [status, dueAt, await conflictsOf(db, id)],
        ['SUCCESS', null, ['unusable_reference']],
      )
      assert.ok((ended.reference ?? '').length < 200)
      assert.deepEqual([await balance(gateway), await suspenseOf(db, gateway)], [5900, 0])
    })

    it(`goes to suspense once each: a late success with a reference ${name}`, async () => {
      const gateway = await merchant()
      const { clientId, id } = await taken(gateway)
      await resolve({ clientId, id, as: 'failed', reason: 'seen', actor: 'awa' })
      for (const one of [reference, `${reference}2`])
        await told(await stateOf(gateway, id), succeeded({ reference: one }))
      assert.deepEqual(await conflictsOf(db, id), ['late_success', 'late_success'])
      assert.deepEqual([await balance(gateway), await suspenseOf(db, gateway)], [1000, 10_000])
    })

    it(`leaves the order open: one that was taken, with a reference ${name}`, async () => {
      const gateway = await merchant()
      const before = await taken(gateway)
      for (const kind of ['pending', 'accepted'] as const) await told(before, { kind, reference })
      await told(before, { kind: 'unknown', reason: reference, reference })
      const after = await stateOf(gateway, before.id)
      assert.deepEqual([after.reference, after.attemptState], [before.reference, 'taken'])
      const cause = { cause: 'declined', reason: `x${reference.repeat(50)}` } as const
      await told(before, {
        kind: 'declined',
        ...cause,
        reference,
        evidence: { excerpt: reference },
      })
      assert.equal((await stateOf(gateway, before.id)).status, 'FAILED')
    })

    it(`is a copy of itself: a callback whose name is ${name}`, async () => {
      const gateway = await merchant()
      const { id } = await taken(gateway)
      const more = { source: 'callback', dedupeKey: reference } as const
      await told(await stateOf(gateway, id), succeeded(), more)
      const rows =
        await db`select from evidence where transaction_id = ${id} and source = 'callback'`
      assert.equal(rows.length, 1)
      assert.deepEqual(await conflictsOf(db, id), [])
    })
  }

  for (const as of ['success', 'failed'] as const)
    it(`waits for a person: a payment of nothing, which then is a ${as}`, async () => {
      const gateway = await merchant()
      const { clientId, id } = await taken(gateway)
      await told(await stateOf(gateway, id), succeeded({ amount: 0 }))
      const { status, dueAt, attemptState } = await stateOf(gateway, id)
      assert.deepEqual([status, dueAt, attemptState], ['PROCESSING', null, 'parked'])
      assert.deepEqual(await conflictsOf(db, id), ['wrong_amount'])
      assert.equal(await suspenseOf(db, gateway), 0)
      await assertMoney({ db })
      await resolve({ clientId, id, as, reason: 'in their portal', actor: 'awa' })
      await told(await stateOf(gateway, id), succeeded({ amount: 0 }))
      assert.equal(await balance(gateway), as === 'success' ? 5900 : 1000)
    })

  it('cannot be ended as paid: a payment of nothing, then of too little', async () => {
    const gateway = await merchant()
    const { clientId, id } = await taken(gateway)
    for (const [amount, reference] of [
      [0, 'P1'],
      [4000, 'P2'],
    ])
      await told(await stateOf(gateway, id), succeeded({ amount, reference }))
    assert.equal(await suspenseOf(db, gateway), 4000)
    const saying = { clientId, id, reason: 'in their portal', actor: 'awa' }
    await assert.rejects(resolve({ ...saying, as: 'success' }), /reported a different amount/)
    await resolve({ ...saying, as: 'failed' })
  })
})

it('keeps ledger and transactions consistent', () => assertMoney({ db }))
