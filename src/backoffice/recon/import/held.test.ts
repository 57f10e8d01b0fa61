import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addPerson } from '#test/dashboard.ts'
import { call, initBody, isEnd, liveGateway, script, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { chunksOf, csvOf, lineOf, type MadeLine } from '#test/statement-maker.ts'
import type { Statement } from './statement.ts'

const gateway = await liveGateway({ pace: 20, environment: { APPROVAL_ABOVE: '10000' } })
const { db, recon, approvals } = gateway
const binta = await addPerson(gateway, { operatorRole: 'finance-operator' })
let numbers = 778_000_000

/** An order that its provider has taken and does not end, or as these steps say. */
async function order(amount: number, change: object = {}, steps: object[] = []): Promise<string> {
  numbers += 1
  await script(gateway, String(numbers), steps)
  const body = initBody({ number: String(numbers), amount, ...change })
  return String(
    (await call(gateway, 'POST /api/v1/transaction/init', body)).body.transaction.transactionId,
  )
}

const statusOf = async (id: string) => {
  const [row] = await db<{ status: string }>`select status from transactions where id = ${id}`
  return row?.status
}

/** A line that says how a transaction ended. */
const says = (id: string, status: MadeLine['status']) => lineOf(db, id, { status })

const importAs = async (actor: string, lines: MadeLine[]): Promise<Statement> =>
  recon.import({
    provider: 'WALLETA',
    country: 'SN',
    name: 'sent.csv',
    actor,
    file: chunksOf(csvOf(lines)),
  })

async function waiting(): Promise<string> {
  const [one] = await approvals.list({ limit: 1 })
  assert.equal(one?.kind, 'statement')
  return one?.id ?? ''
}

const newImporter = () => addPerson(gateway, { operatorRole: 'operator' })

describe('what a statement would end', () => {
  const cases: [string, number[], 'alone' | 'waits'][] = [
    ['up to the amount is ended', [5000, 5000], 'alone'],
    ['above it by one line waits', [10_001], 'waits'],
    ['above it by the sum of the file waits', [6000, 6000], 'waits'],
  ]
  for (const [name, amounts, expected] of cases)
    it(name, async () => {
      const merchant = await gateway.newMerchant()
      const at = { ...gateway, ...merchant }
      const ids: string[] = []
      for (const amount of amounts) {
        numbers += 1
        await script(gateway, String(numbers), [])
        const body = initBody({ number: String(numbers), amount })
        const { transaction } = (await call(at, 'POST /api/v1/transaction/init', body)).body
        ids.push(String(transaction.transactionId))
      }
      const before = await Promise.all(ids.map(statusOf))
      const awa = await newImporter()
      const lines = await Promise.all(ids.map((id) => says(id, 'succeeded')))
      const done = await importAs(awa, lines)
      assert.equal(done.state, 'read')
      if (expected === 'waits') {
        assert.deepEqual(await Promise.all(ids.map(statusOf)), before)
        assert.deepEqual([done.ended, done.different], [0, ids.length])
        const id = await waiting()
        await assert.rejects(approvals.approve({ id, person: awa }), /Another person/)
        await approvals.approve({ id, person: binta })
        assert.deepEqual(
          (await recon.cases({ statementId: done.id }, { limit: 9 })).length,
          ids.length,
        )
      }
      assert.deepEqual(
        await Promise.all(ids.map(statusOf)),
        ids.map(() => 'SUCCESS'),
      )
      const { ended, matched, different } = await recon.get(done.id)
      assert.deepEqual([ended, matched, different], [ids.length, ids.length, 0])
      const open = await recon.cases({ statementId: done.id, isUnclosed: true }, { limit: 9 })
      assert.deepEqual(open, [])
      await assertMoney({ db })
    })

  it('is all of the payment, whatever amount its line has', async () => {
    const id = await order(900_000, { serviceCode: 'WALLETA_SN_CASHIN' })
    const line = { ...(await says(id, 'failed')), amount: 1 }
    const { ended } = await importAs(await newImporter(), [line])
    const one = await approvals.get(await waiting())
    assert.deepEqual([ended, one.amount, one.state], [0, 900_000, 'open'])
    assert.notEqual(await statusOf(id), 'FAILED')
    await approvals.approve({ id: one.id, person: binta })
    assert.equal(await statusOf(id), 'FAILED')
    await assertMoney({ db })
  })

  it('is a second payment that an earlier file told of', async () => {
    const id = await order(12_000, {}, [{ do: 'succeed' }, { do: 'callback' }])
    await until(gateway, id, isEnd)
    const line = await says(id, 'succeeded')
    const { id: statementId } = await importAs(await newImporter(), [
      { ...line, reference: `second-${numbers}` },
    ])
    await importAs(await newImporter(), [line])
    const amounts = async () =>
      (await recon.cases({ statementId }, { limit: 9 })).map(({ kind, amount }) => [kind, amount])
    assert.deepEqual(await amounts(), [['duplicate', 12_000]])
    await approvals.approve({ id: await waiting(), person: binta })
    assert.deepEqual(await amounts(), [['duplicate', 0]])
    await assertMoney({ db })
  })

  it('stays open when the second person refuses it', async () => {
    const id = await order(900_000)
    const awa = await newImporter()
    const { id: statementId } = await importAs(awa, [await says(id, 'succeeded')])
    await approvals.refuse({ id: await waiting(), person: binta, reason: 'not at the provider' })
    const [one] = await recon.cases({ statementId }, { limit: 9 })
    assert.deepEqual([one?.kind, one?.state, await statusOf(id)], ['status', 'open', 'PENDING'])
    await assertMoney({ db })
  })

  it('counts as an order of who imported it', async () => {
    const awa = await newImporter()
    const merchants = [await gateway.newMerchant(0), await gateway.newMerchant(0)]
    const fund = (index: number, amount: number) =>
      approvals.request(
        { kind: 'fund', clientId: merchants[index]?.clientId ?? 0, amount, ref: `f${numbers}` },
        { person: awa, actor: awa },
      )
    assert.equal((await fund(0, 6000)).kind, 'done')
    const id = await order(5000)
    await importAs(awa, [await says(id, 'succeeded')])
    assert.equal(await statusOf(id), 'PENDING')
    await approvals.refuse({ id: await waiting(), person: binta, reason: 'not seen' })
    await assertMoney({ db })
  })
})

describe('fees and transfers of the gateway itself', () => {
  /** A line of no transaction. */
  const own = (kind: 'fee' | 'transfer', amount: number): MadeLine => {
    numbers += 1
    const moment = '2026-01-15T10:00:00Z'
    const line = { moment, reference: `bank-${numbers}`, our_reference: '', number: '' }
    return { ...line, kind, amount, fee: 0, status: 'succeeded' }
  }
  const bookedBy = async (id: string) => {
    const [row] = await db<{ amount: number }>`
      select coalesce(sum(abs(e.amount)), 0)::bigint as amount
      from ledger_postings p
      join ledger_entries e on e.client_id = p.client_id and e.posting_id = p.id
        and e.account like 'provider:%'
      where p.client_id = 0 and left(p.ref, 36) = ${id}`
    return row?.amount
  }
  const cases: [string, MadeLine[], number, 'alone' | 'waits'][] = [
    ['up to the amount are booked', [own('fee', 4000), own('transfer', 6000)], 10_000, 'alone'],
    ['above it by one fee wait', [own('fee', 10_001)], 10_001, 'waits'],
    ['above it by one transfer wait', [own('transfer', -10_001)], 10_001, 'waits'],
    ['above it by their sum wait', [own('fee', 6000), own('transfer', -6000)], 12_000, 'waits'],
  ]
  for (const [name, lines, amount, expected] of cases)
    it(`${name}${expected === 'waits' ? ' for a second person' : ''}`, async () => {
      const awa = await newImporter()
      const { id, state } = await importAs(awa, lines)
      assert.deepEqual([state, await bookedBy(id)], ['read', expected === 'alone' ? amount : 0])
      await assertMoney({ db })
      if (expected === 'alone') return
      const approvalId = await waiting()
      const held = await recon.held(approvalId, { after: 0, limit: 9 })
      assert.deepEqual(
        [held.length, (await approvals.get(approvalId)).amount],
        [lines.length, amount],
      )
      await assert.rejects(approvals.approve({ id: approvalId, person: awa }), /Another person/)
      await approvals.approve({ id: approvalId, person: binta })
      assert.equal(await bookedBy(id), amount)
      const { fees, transfers } = await recon.get(id)
      assert.equal(Math.abs(fees) + Math.abs(transfers), amount)
      await recon.proveApproved()
      assert.equal(await bookedBy(id), amount)
      await assertMoney({ db })
    })

  it('are not booked when the second person refuses them', async () => {
    const { id } = await importAs(await newImporter(), [own('transfer', -50_000)])
    await approvals.refuse({ id: await waiting(), person: binta, reason: 'not at the bank' })
    await recon.proveApproved()
    await recon.resume()
    assert.equal(await bookedBy(id), 0)
    await assertMoney({ db })
  })
})

describe('the provider that is asked before a line ends anything', () => {
  it('wins over a line that says the opposite, of a collection and of a payout', async () => {
    // Nobody else asks, and no callback comes.
    await gateway.sweeper.stop()
    for (const [change, real, line] of [
      [{}, 'decline', 'succeeded'],
      [{ serviceCode: 'WALLETA_SN_CASHIN' }, 'succeed', 'failed'],
    ] as const) {
      const id = await order(1000, change, [{ do: real }])
      const made = await says(id, line)
      const { id: statementId } = await importAs(await newImporter(), [made])
      const expected = real === 'decline' ? 'FAILED' : 'SUCCESS'
      assert.equal(await until(gateway, id, isEnd), expected)
      const cases = await recon.cases({ statementId }, { limit: 9 })
      assert.deepEqual(
        cases.map(({ kind }) => kind),
        ['status'],
      )
      const conflicts = await db`select from conflicts where transaction_id = ${id}`
      assert.equal(conflicts.length, 0)
    }
    await assertMoney({ db })
  })
})
