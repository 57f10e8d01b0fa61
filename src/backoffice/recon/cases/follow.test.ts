import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { openLog } from '#base/log/log.ts'
import { addPerson } from '#test/dashboard.ts'
import { call, initBody, isEnd, liveGateway, script, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { chunksOf, csvOf, lineOf, type MadeLine } from '#test/statement-maker.ts'
import { openRecon } from '../open.ts'
import type { Case, Mending } from './case.ts'

const gateway = await liveGateway({ pace: 20, environment: { APPROVAL_ABOVE: '4000' } })
const { db, transactions, approvals, clientId } = gateway
const { pseudonymOf } = transactions.context
const log = openLog('silent')
const recon = openRecon({ db, clock, log, transactions, approvals, pseudonymOf })
const party = { provider: 'WALLETA', country: 'SN' }
const awa = { person: 'awa@ops.example', actor: 'awa@ops.example' }
const binta = 'binta@ops.example'
await addPerson(gateway, { email: binta, operatorRole: 'operator' })
let numbers = 779_650_000

async function started(steps: object[], amount: number): Promise<string> {
  numbers += 1
  await script(gateway, String(numbers), steps)
  const order = initBody({ number: String(numbers), amount })
  const { body } = await call(gateway, 'POST /api/v1/transaction/init', order)
  return String(body.transaction.transactionId)
}

const imported = (lines: MadeLine[]) =>
  recon.import({ ...party, name: 'x.csv', actor: 'test', file: chunksOf(csvOf(lines)) })
const casesOf = async (id: string) => (await recon.about({ clientId, id })).cases

describe('what people have decided about a difference', () => {
  const give = (amount: number): Mending => ({
    how: 'adjust',
    clientId,
    amount: Math.abs(amount),
    isGiven: amount > 0,
    reason: 'theirs',
  })
  const agreed = [{ do: 'succeed' }, { do: 'callback' }]
  /** A success of ours of which the line tells 100 F more. */
  async function different(): Promise<[one: Case, line: MadeLine]> {
    const id = await started(agreed, 900)
    await until(gateway, id, isEnd)
    const line = await lineOf(db, id, { amount: 1000 })
    await imported([line])
    const [one] = await casesOf(id)
    assert.equal(one?.amount, 100)
    return [one ?? assert.fail(), line]
  }

  it('is not asked again by a file that tells something else of it', async () => {
    for (const mending of [give(100), { how: 'ignore' as const, reason: 'x' }]) {
      const [{ id }, line] = await different()
      await recon.mend(id, mending, awa)
      await imported([{ ...line, fee: 7 }])
      const { transactionId } = (await recon.case(id)).case
      const cases = await casesOf(transactionId ?? '')
      assert.deepEqual(
        cases.map((one) => [one.id, one.state]),
        [[id, 'closed']],
      )
    }
  })

  it('counts where another amount is told then, and can be mended again', async () => {
    const [{ id }, line] = await different()
    await recon.assign(id, binta, 'test')
    await recon.note(id, 'asked', binta)
    await recon.mend(id, give(60), awa)
    await imported([{ ...line, amount: 1050 }])
    const { case: more, notes } = await recon.case(id)
    assert.deepEqual([more.state, more.amount, more.person, notes.length], ['open', 90, binta, 1])
    await recon.mend(id, give(90), awa)
    // Told rightly at last: what was given is too much, whatever was told meanwhile.
    await imported([{ ...line, amount: 900, status: 'failed' }])
    assert.equal((await recon.case(id)).case.kind, 'status')
    await imported([{ ...line, amount: 900 }])
    const { kind, amount } = (await recon.case(id)).case
    assert.deepEqual([kind, amount], ['amount', -150])
    await recon.mend(id, give(-150), awa)
    await imported([{ ...line, amount: 900, fee: 3 }])
    assert.equal((await recon.case(id)).case.state, 'closed')
  })

  it('goes with a case that waits', async () => {
    const id = await started(agreed, 9000)
    await until(gateway, id, isEnd)
    const line = await lineOf(db, id, { amount: 14_000 })
    await imported([line])
    const [one] = await casesOf(id)
    const { requested } = await recon.mend(one?.id ?? '', give(5000), awa)
    await imported([{ ...line, amount: 13_000 }])
    assert.deepEqual(
      (await casesOf(id)).map(({ state, amount }) => [state, amount]),
      [['waiting', 4000]],
    )
    if (requested?.kind !== 'proposed') assert.fail('one person is not enough')
    await approvals.approve({ id: requested.approval.id, person: binta })
    await recon.judgeAgain()
    const { state, amount } = (await recon.case(one?.id ?? '')).case
    assert.deepEqual([state, amount], ['open', -1000])
    await recon.mend(one?.id ?? '', give(-1000), awa)
  })
})

describe('a difference is judged again once our books have changed', () => {
  const stateOf = async ({ id }: Case) => {
    await recon.judgeAgain()
    const { state, closing } = (await recon.case(id)).case
    return [state, closing]
  }

  it('by a payment that ends as its line says', async () => {
    const id = await started([], 850)
    const line = await lineOf(db, id, { our_reference: '', status: 'failed' })
    await imported([{ ...line, reference: `failed-${numbers}` }])
    await db`update transactions set reference = ${line.reference} where id = ${id}`
    await imported([line])
    const [one = assert.fail()] = await casesOf(id)
    assert.deepEqual(await stateOf(one), ['open', null])
    await transactions.resolve({ clientId, id, reason: 'x', actor: 'test', as: 'failed' })
    assert.deepEqual(await stateOf(one), ['closed', 'explained'])
  })

  it('by the reference of a stranger that is known later', async () => {
    const id = await started([], 860)
    const line = await lineOf(db, id, { our_reference: '', reference: `later-${numbers}` })
    const { id: statementId } = await imported([line])
    const [one] = await recon.cases({ statementId }, { limit: 5 })
    assert.equal(one?.kind, 'theirs_only')
    const reference = line.reference
    await transactions.resolve({ clientId, id, reason: 'x', actor: 'test', as: 'success' })
    await db`update transactions set reference = ${reference} where id = ${id}`
    await db`update recon_cases set judged_at = judged_at - interval '2 hours'
      where id = ${one?.id ?? ''}`
    assert.deepEqual(await stateOf(one ?? assert.fail()), ['closed', 'explained'])
    assert.equal((await recon.lines(statementId, { limit: 1 }))[0]?.bucket, 'matched')
  })

  it('and what the line of such a stranger proves is recorded', async () => {
    const id = await started([], 870)
    const line = await lineOf(db, id, { our_reference: '', reference: `proof-${numbers}` })
    const { id: statementId } = await imported([line])
    const [one = assert.fail()] = await recon.cases({ statementId }, { limit: 5 })
    await db`update transactions set reference = ${line.reference} where id = ${id}`
    await db`update recon_cases set judged_at = judged_at - interval '2 hours'
      where id = ${one.id}`
    await recon.judgeAgain()
    // Who imported it has imported much today.
    for (const { order, ...proposed } of await approvals.list({ limit: 9 }))
      if (order.kind === 'statement' && order.id === statementId)
        await approvals.approve({ id: proposed.id, person: binta })
    await recon.proveApproved()
    assert.equal(await until(gateway, id, isEnd), 'SUCCESS')
    assert.deepEqual(await stateOf(one), ['closed', 'explained'])
    assert.equal((await recon.get(statementId)).ended, 1)
  })
})

it('the money agrees in the end', () => assertMoney({ db }))
