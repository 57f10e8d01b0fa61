import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  balance,
  call,
  continuePayer,
  initBody,
  isEnd,
  liveGateway,
  ordersOf,
  script,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { conflictsOf, suspenseOf } from '#test/suspense.ts'
import { eventually } from '#test/wait.ts'
import { findTransaction } from './store.ts'

const live = await liveGateway({ pace: 20 })
const { db, transactions, newMerchant } = live
let numbers = 778_800_000

type Gateway = typeof live

const paidWhenContinued = [{ do: 'delay', ms: 600_000 }, { do: 'succeed' }]
const merchant = async (): Promise<Gateway> => ({ ...live, ...(await newMerchant(1000)) })

/** A collection that a person has said to be paid; its payer pays when the test says so. */
async function saidToBePaid(gateway: Gateway, serviceCode: string, steps: object[]) {
  const { clientId } = gateway
  numbers += 1
  const number = String(numbers)
  await script(live, number, steps)
  const body = initBody({ number, serviceCode })
  const answer = await call(gateway, 'POST /api/v1/transaction/init', body)
  const id = String(answer.body.transaction.transactionId)
  const before = await findTransaction(db, { clientId, id })
  const said = { clientId, id, reason: 'in their portal', actor: 'awa' }
  const resolved = await transactions.resolve({ ...said, as: 'success' })
  // What our own id stands for is nothing that a provider knows.
  assert.deepEqual([resolved.status, resolved.reference], ['SUCCESS', before?.reference])
  const shown = (await call(gateway, `GET /api/v1/transaction/${id}`)).body.transaction
  assert.equal(shown.OperatorApi, before?.reference ?? before?.attemptId)
  return { clientId, id, number, wasKnown: before?.reference !== null }
}

async function refund(gateway: Gateway, id: string): Promise<string> {
  const { body } = await call(gateway, `POST /api/v1/transaction/refund/${id}`, {})
  return String(body.refund.refundId)
}

const services = ['WALLETB_SN_CASHOUT', 'WALLETA_SN_CASHOUT', 'WALLETA_CM_CASHOUT']

describe('a collection that a person has said to be paid', { concurrency: true }, () => {
  for (const serviceCode of services)
    for (const isLost of [true, false])
      it(`(${serviceCode}, answer ${isLost ? 'lost' : 'known'}) can be refunded`, async () => {
        const gateway = await merchant()
        const lost = isLost ? [{ do: 'lose_answer' }] : []
        const steps = [...lost, ...paidWhenContinued]
        const { id, number, clientId, wasKnown } = await saidToBePaid(gateway, serviceCode, steps)
        assert.equal(wasKnown, !isLost)
        // Not before the provider names the payment that is to be sent back.
        const refundId = await refund(gateway, id)
        assert.deepEqual(await ordersOf(gateway, refundId), [])
        await continuePayer(live, number)
        assert.equal(await until(gateway, refundId, isEnd), 'SUCCESS')
        const [order, ...more] = await ordersOf(gateway, refundId)
        assert.deepEqual([order?.operation, order?.executed, more], ['reverse', 1, []])
        const [collected] = await ordersOf(gateway, id)
        const original = await findTransaction(db, { clientId, id })
        assert.deepEqual(
          [original?.status, original?.reference, original?.refunded],
          ['SUCCESS', collected?.reference, 5000],
        )
        assert.deepEqual([await conflictsOf(db, id), await suspenseOf(db, gateway)], [[], 0])
        assert.equal(await balance(gateway), 900)
      })

  for (const serviceCode of [...services, 'WALLETF_CI_CASHOUT'])
    it(`(${serviceCode}) gets the reference that its provider tells later`, async () => {
      const gateway = await merchant()
      const steps = [{ do: 'lose_answer' }, ...paidWhenContinued, { do: 'callback' }]
      const { id, number, clientId } = await saidToBePaid(gateway, serviceCode, steps)
      await continuePayer(live, number)
      await eventually('the payment is named', async () => {
        const { reference } = (await findTransaction(db, { clientId, id })) ?? {}
        return reference !== null
      })
      const [collected] = await ordersOf(gateway, id)
      const found = await findTransaction(db, { clientId, id })
      assert.deepEqual([found?.status, found?.reference], ['SUCCESS', collected?.reference])
      assert.deepEqual([await conflictsOf(db, id), await suspenseOf(db, gateway)], [[], 0])
      assert.equal(await until(gateway, await refund(gateway, id), isEnd), 'SUCCESS')
    })
})

it('keeps ledger, transactions and lab consistent', () => assertMoney(live))
