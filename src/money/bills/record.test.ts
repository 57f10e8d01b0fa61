import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { newId } from '#base/kit/ids.ts'
import { parseServiceCode, type Service } from '#merchants/catalog/services.ts'
import { draft } from '#money/transactions/intents.ts'
import { findTransaction } from '#money/transactions/store.ts'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { holdLong, testDatabase, untilBlocked } from '#test/database.ts'
import { assertMoney } from '#test/money.ts'
import { type BillDraft, type BillRecorded, freeBills, recordBillPayments } from './record.ts'

const { db, connect } = await testDatabase()
const owner = connect({ asOwner: true })
const clock = testClock()
const keyId = newId(clock.now())
const water = parseServiceCode('WATER_SN_BILL') as Service
const prepaid = parseServiceCode('PREPAID_SN_BILL') as Service

interface DraftOptions {
  clientId: number
  bill?: string | null
  account?: string
  externalId?: string | null
  amount?: number
  service?: Service
}

function billDraft({
  clientId,
  bill = 'W1',
  account = '000100000001',
  ...more
}: DraftOptions): BillDraft {
  const { externalId = null, amount = 1000, service = bill === null ? prepaid : water } = more
  const intent = {
    clientId,
    keyId,
    externalId,
    service,
    operation: 'BILL' as const,
    amount,
    fee: 20,
    phone: '100000001',
    payeeName: 'Shop',
    billReference: bill,
    callbackUrl: null,
    successUrl: '',
    failureUrl: '',
  }
  return { ...draft(intent, clock.now()), account }
}

const run = (drafts: BillDraft[]): Promise<BillRecorded[]> =>
  db.transaction((tx) => recordBillPayments(tx, drafts, clock.now()))

const kinds = (answers: BillRecorded[]) => answers.map(({ kind }) => kind)

const funded = () => newClient(db, clock, 1_000_000)
/** A client that lacks one franc for a draft of 1000 and its fee of 20. */
const underfunded = () => newClient(db, clock, 1019)

let bills = 0
function newBill(): string {
  bills += 1
  return `W-${bills}`
}

/** The transaction that has claimed a bill. */
async function payerOf(bill: string): Promise<string | undefined> {
  const [row] = await db<{ id: string }>`
    select transaction_id as id from bill_claims where bill_reference = ${bill}`
  return row?.id
}

async function heldOf(clientId: number): Promise<number> {
  const [row] = await db<{ balance: number }>`
    select balance from ledger_accounts where client_id = ${clientId} and kind = 'held'`
  return row?.balance ?? 0
}

afterEach(() => assertMoney({ db }))

describe('a bill has one payer', () => {
  it('among several clients of one group', async () => {
    const bill = newBill()
    const clients = [await funded(), await funded(), await funded()]
    const drafts = clients.map((clientId) => billDraft({ clientId, bill }))
    const answers = kinds(await run(drafts))
    assert.deepEqual(answers.toSorted(), ['recorded', 'taken', 'taken'])
    assert.equal(await payerOf(bill), drafts[answers.indexOf('recorded')]?.transaction.id)
  })

  it('among several groups', async () => {
    const bill = newBill()
    const [first, second] = [
      billDraft({ clientId: await funded(), bill }),
      billDraft({ clientId: 1, bill }),
    ]
    assert.deepEqual(kinds(await run([first])), ['recorded'])
    assert.deepEqual(kinds(await run([second])), ['taken'])
    assert.equal(await payerOf(bill), first.transaction.id)
  })

  it('whatever leading zeros its customer number has', async () => {
    const [bill, clientId] = [newBill(), await funded()]
    const accounts = ['100000001', '000100000001', '0100000001']
    const answers = await run(accounts.map((account) => billDraft({ clientId, bill, account })))
    assert.deepEqual(kinds(answers).toSorted(), ['recorded', 'taken', 'taken'])
  })

  it('while another customer, biller or reference is another bill', async () => {
    const [bill, clientId] = [newBill(), await funded()]
    const elec = parseServiceCode('ELEC_SN_BILL') as Service
    const others = [{}, { account: '000100000002' }, { service: elec }, { bill: newBill() }]
    const answers = await run(others.map((other) => billDraft({ clientId, bill, ...other })))
    assert.deepEqual(kinds(answers), ['recorded', 'recorded', 'recorded', 'recorded'])
    assert.equal(await heldOf(clientId), 4 * 1020)
  })

  it('while a meter can be topped up several times', async () => {
    const clientId = await funded()
    const answers = await run([1, 2, 3].map(() => billDraft({ clientId, bill: null })))
    assert.deepEqual(kinds(answers), ['recorded', 'recorded', 'recorded'])
  })
})

describe('a client with too low a balance', () => {
  it('leaves the bill to the next draft of the same group', async () => {
    const bill = newBill()
    const drafts = [
      billDraft({ clientId: await underfunded(), bill }),
      billDraft({ clientId: await underfunded(), bill }),
      billDraft({ clientId: await funded(), bill }),
    ]
    // The first id gets the bill first.
    const ids = drafts.map(({ transaction }) => transaction.id).toSorted()
    drafts.forEach(({ transaction }, index) => Object.assign(transaction, { id: ids[index] }))
    const expected = ['insufficient_funds', 'insufficient_funds', 'recorded']
    assert.deepEqual(kinds(await run(drafts)), expected)
    assert.equal(await payerOf(bill), drafts[2]?.transaction.id)
  })

  it('is refused for its balance every time, not because the bill is taken', async () => {
    const [bill, clientId] = [newBill(), await underfunded()]
    const drafts = ['a', 'b', null, 'a'].map((externalId) =>
      billDraft({ clientId, bill, externalId }),
    )
    assert.deepEqual([...new Set(kinds(await run(drafts)))], ['insufficient_funds'])
    assert.equal(await payerOf(bill), undefined)
  })

  it('uses up neither the bill nor the external id', async () => {
    const [bill, clientId] = [newBill(), await underfunded()]
    assert.deepEqual(kinds(await run([billDraft({ clientId, bill, externalId: 'x' })])), [
      'insufficient_funds',
    ])
    const answers = await run([billDraft({ clientId, bill, externalId: 'x', amount: 999 })])
    assert.deepEqual(kinds(answers), ['recorded'])
  })
})

describe('a used external id', () => {
  it('is answered with its record, in one group or in two', async () => {
    const [bill, clientId] = [newBill(), await funded()]
    const [first, second, third] = [1, 2, 3].map(() =>
      billDraft({ clientId, bill, externalId: 'id' }),
    )
    assert.ok(first && second && third)
    const answers = [...(await run([first, second])), ...(await run([third]))]
    assert.deepEqual(kinds(answers).toSorted(), ['duplicate', 'duplicate', 'recorded'])
    const payer = await payerOf(bill)
    for (const answer of answers)
      if (answer.kind === 'duplicate') assert.equal(answer.existing?.id, payer)
  })

  it('releases the bill that the refused draft had claimed', async () => {
    const [bill, other, clientId] = [newBill(), newBill(), await funded()]
    await run([billDraft({ clientId, bill, externalId: 'one' })])
    const again = await run([billDraft({ clientId, bill: other, externalId: 'one' })])
    assert.deepEqual(kinds(again), ['duplicate'])
    assert.equal(await payerOf(other), undefined)
    // The next draft of the same group gets it.
    const drafts = ['one', 'two'].map((externalId) =>
      billDraft({ clientId, bill: other, externalId }),
    )
    assert.deepEqual(kinds(await run(drafts)), ['duplicate', 'recorded'])
  })
})

describe('a group whose commit seemed lost', () => {
  const all = async (): Promise<BillDraft[]> => {
    const clientId = await funded()
    return [
      billDraft({ clientId, bill: newBill() }),
      billDraft({ clientId, bill: newBill(), externalId: 'named' }),
      billDraft({ clientId, bill: null }),
      billDraft({ clientId, bill: null, externalId: 'named-too' }),
    ]
  }
  const idsOf = (answers: BillRecorded[]) =>
    answers.map((answer) => (answer.kind === 'recorded' ? answer.transaction.id : answer.kind))

  it('finds its own records when it is run again', async () => {
    const drafts = await all()
    const ids = drafts.map(({ transaction }) => transaction.id)
    for (let runs = 0; runs < 3; runs += 1) assert.deepEqual(idsOf(await run(drafts)), ids)
    assert.equal(await heldOf(drafts[0]?.intent.clientId ?? 0), 4 * 1020)
  })

  it('finds its own records when the first commit arrives while it runs again', async () => {
    const drafts = await all()
    const ids = drafts.map(({ transaction }) => transaction.id)
    const copies = drafts.map((one) => ({ ...one, transaction: { ...one.transaction } }))
    // Each in a group of its own: one that only waits for the account must find its record too.
    const recorded = Promise.withResolvers<void>()
    const lost = Promise.withResolvers<void>()
    const first = db.transaction(async (tx) => {
      await holdLong(tx)
      const answers = await recordBillPayments(tx, drafts, clock.now())
      recorded.resolve()
      await lost.promise
      return answers
    })
    await recorded.promise
    const again = Promise.all(copies.map((one) => run([one])))
    await untilBlocked(owner, copies.length)
    lost.resolve()
    assert.deepEqual(idsOf(await first), ids)
    assert.deepEqual(idsOf((await again).flat()), ids)
    assert.equal(await heldOf(drafts[0]?.intent.clientId ?? 0), 4 * 1020)
  })

  it('does not claim the bill of a payment that has failed since', async () => {
    const drafts = [billDraft({ clientId: await funded(), bill: newBill() })]
    await run(drafts)
    const [failed] = drafts.map(({ transaction }) => transaction)
    assert.ok(failed !== undefined)
    const undo = new Error('undone')
    const inside = db.transaction(async (tx) => {
      // Only the column of a failed transaction that this test needs.
      await tx`update transactions set status = 'FAILED' where id = ${failed.id}`
      await freeBills(tx, [{ ...failed, status: 'FAILED' }])
      await recordBillPayments(tx, drafts, clock.now())
      const claims = await tx`select from bill_claims where transaction_id = ${failed.id}`
      assert.equal(claims.length, 0)
      throw undo
    })
    await assert.rejects(inside, undo)
  })
})

describe('concurrent groups', () => {
  it('do not deadlock', async () => {
    const shared = Array.from({ length: 12 }, newBill)
    // Some clients cannot pay: their bills go to the next draft of the group.
    const clients = await Promise.all(
      [funded, underfunded, funded, funded, underfunded, funded].map((make) => make()),
    )
    const groups = Array.from({ length: 30 }, (_, group) =>
      shared
        .map((bill, index) => {
          const clientId = clients[(group + index) % clients.length] ?? 0
          return billDraft({ clientId, bill, externalId: `${group}-${index}`, amount: 2000 })
        })
        .sort(() => (group % 2 === 0 ? 1 : -1)),
    )
    const answers = (await Promise.all(groups.map(run))).flat()
    const counts = Map.groupBy(answers, ({ kind }) => kind)
    assert.equal(counts.get('recorded')?.length, shared.length)
    assert.equal(counts.get('duplicate'), undefined)
    for (const bill of shared) assert.ok((await payerOf(bill)) !== undefined)
  })
})

describe('bills of payments that have ended', () => {
  it('can be paid again after a failure, and not after a success', async () => {
    const clientId = await funded()
    const [paid, failed] = [newBill(), newBill()]
    const drafts = [billDraft({ clientId, bill: paid }), billDraft({ clientId, bill: failed })]
    await run(drafts)
    const [first, second] = await Promise.all(
      drafts.map(({ transaction }) => findTransaction(db, transaction)),
    )
    assert.ok(first && second)
    const undo = new Error('undone')
    const inside = db.transaction(async (tx) => {
      await freeBills(tx, [
        { ...first, status: 'SUCCESS' },
        { ...second, status: 'FAILED' },
      ])
      const again = [billDraft({ clientId, bill: paid }), billDraft({ clientId, bill: failed })]
      const answers = await recordBillPayments(tx, again, clock.now())
      assert.deepEqual(kinds(answers), ['taken', 'recorded'])
      throw undo
    })
    await assert.rejects(inside, undo)
  })
})
