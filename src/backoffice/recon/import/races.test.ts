import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { recordOutcomes } from '#money/transactions/record-outcomes.ts'
import { findTransaction, lockTransactions } from '#money/transactions/store.ts'
import { holdLong, untilBlocked } from '#test/database.ts'
import { call, initBody, liveGateway, script } from '#test/live.ts'
import { chunksOf, csvOf, lineOf } from '#test/statement-maker.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, connect, clientId, recon, transactions } = gateway
const owner = connect({ asOwner: true })
const party = { provider: 'WALLETA', country: 'SN' }
let numbers = 779_200_000

/** A payout that its provider has taken, and what a query would tell of it. */
async function taken() {
  numbers += 1
  await script(gateway, String(numbers), [])
  const body = initBody({ serviceCode: 'WALLETA_SN_CASHIN', number: String(numbers) })
  const answer = await call(gateway, 'POST /api/v1/transaction/init', body)
  const id = String(answer.body.transaction.transactionId)
  const found = (await findTransaction(db, { clientId, id })) ?? assert.fail(id)
  const { capability } = (await transactions.context.bind(found)) ?? assert.fail(id)
  const paid = (reference: string) => ({
    clientId,
    transactionId: id,
    attemptId: found.attemptId,
    source: 'query' as const,
    capability,
    outcome: {
      kind: 'succeeded' as const,
      reference,
      amount: found.amount,
      currency: 'XOF' as const,
      tokens: [],
    },
  })
  const line = await lineOf(db, id, { reference: `statement-${numbers}` })
  return { id, paid, line }
}

async function conflictsOf(id: string): Promise<string[]> {
  const rows = await db<{ kind: string }>`
    select kind from conflicts where transaction_id = ${id} order by at`
  return rows.map(({ kind }) => kind)
}

const imported = (name: string, lines: Awaited<ReturnType<typeof taken>>['line'][]) =>
  recon.import({ ...party, name, file: chunksOf(csvOf(lines)), actor: 'test' })

// What statements call a payment need not be what the provider's answers call it.
describe('a payment that statement and provider call by two references', () => {
  it('is one, when a query ends it while the statement is read', async () => {
    const { id, paid, line } = await taken()
    let reading: Promise<unknown> = Promise.resolve()
    const afterCommit = await db.transaction(async (tx) => {
      await holdLong(tx)
      await lockTransactions(tx, [{ clientId, id }])
      reading = imported('during.csv', [line])
      await untilBlocked(owner)
      return (await recordOutcomes(tx, [paid('answer-1')], transactions.context)).afterCommit
    })
    afterCommit()
    await reading
    const end = await findTransaction(db, { clientId, id })
    assert.deepEqual([end?.status, end?.reference], ['SUCCESS', 'answer-1'])
    assert.deepEqual(await conflictsOf(id), [])
  })
})
