import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { balance, call, isEnd, liveGateway, ordersOf, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'

const gateway = await liveGateway()

interface Row {
  service: string
  customer: string
  amount?: number
  /** The answer to the call; `end` is the final status of the payment, if one is recorded. */
  answer: [http: number, status: string, code?: string]
  end?: string
  tokens?: number
}

// Every customer number that the lab knows, and the outcome of a payment for it.
const rows: Row[] = [
  ...['WATER_SN_BILL', 'ELEC_SN_BILL'].flatMap((service): Row[] => [
    { service, customer: '100000001', answer: [201, 'SUCCESS'], end: 'SUCCESS' },
    { service, customer: '100000002', answer: [201, 'SUCCESS'], end: 'SUCCESS' },
    { service, customer: '100000003', answer: [400, 'FAILED', 'BILL_ALREADY_PAID'] },
    { service, customer: '100000004', answer: [400, 'FAILED', 'BILL_NOT_FOUND'] },
    { service, customer: '100000005', answer: [400, 'FAILED', 'BILL_REFUSED'], end: 'FAILED' },
    { service, customer: '100000006', answer: [201, 'PROCESSING'], end: 'SUCCESS' },
    { service, customer: '100000007', answer: [201, 'SUCCESS'], end: 'SUCCESS' },
  ]),
  ...[
    ['200000001', [201, 'SUCCESS'], 'SUCCESS', 1] as const,
    ['200000002', [201, 'PROCESSING'], 'SUCCESS', 1] as const,
    ['200000003', [201, 'PROCESSING'], 'FAILED', 0] as const,
    ['200000004', [400, 'FAILED', 'BILL_NOT_FOUND'], undefined, 0] as const,
    ['200000005', [400, 'FAILED', 'BILL_REFUSED'], 'FAILED', 0] as const,
    ['200000006', [201, 'PROCESSING'], 'SUCCESS', 1] as const,
    ['200000007', [201, 'SUCCESS'], 'SUCCESS', 3] as const,
  ].map(
    ([customer, answer, end, tokens]): Row => ({
      service: 'PREPAID_SN_BILL',
      customer,
      amount: 5000,
      answer: [...answer] as Row['answer'],
      tokens,
      ...(end === undefined ? {} : { end }),
    }),
  ),
]

it('the fee that a biller tells is shown, and neither paid nor debited', async () => {
  const merchant = { url: gateway.url, ...(await gateway.newMerchant()) }
  const before = await balance(merchant)
  const asked = { serviceCode: 'WATER_SN_BILL', reference_client: '000100000007' }
  const { body } = await call(merchant, 'POST /api/v1/billing/inquiry', asked)
  const [{ montant, frais, total }] = body.bills
  assert.deepEqual([frais, total], [150, montant + 150])
  const order = { ...asked, externalTransactionId: 'bill-with-a-fee' }
  const { status, body: paid } = await call(merchant, 'POST /api/v1/billing/pay', order)
  const { transactionId, amount, transactionFee, currentBalance } = paid.transaction
  assert.deepEqual([status, amount], [201, montant])
  assert.equal(await balance(merchant), before - montant - transactionFee)
  assert.equal(currentBalance, before - montant - transactionFee)
  const executed = await ordersOf(gateway, transactionId)
  assert.deepEqual(
    executed.map(({ paid: moved }) => moved),
    [montant],
  )
})

// All at once they would take a busy machine longer than the gateway waits for an answer.
describe('a payment for every customer of the lab', { concurrency: 3 }, () => {
  for (const { service, customer, amount, answer, end, tokens = 0 } of rows)
    it(`${service} ${customer}: ${answer.join(' ')} → ${end ?? 'no record'}`, async () => {
      const merchant = { url: gateway.url, ...(await gateway.newMerchant()) }
      const before = await balance(merchant)
      const externalTransactionId = `bill-${service}-${customer}`
      const paid = await call(merchant, 'POST /api/v1/billing/pay', {
        serviceCode: service,
        reference_client: customer,
        ...(amount === undefined ? {} : { amount }),
        externalTransactionId,
        customData: 'order 12',
      })
      const { transaction } = paid.body
      const [http, status, code] = answer
      assert.deepEqual([paid.status, transaction.Status, paid.body.code], [http, status, code])
      assert.equal(transaction.success, status !== 'FAILED')
      assert.equal(transaction.message === undefined, status === 'SUCCESS')
      const found = await call(merchant, `GET /api/v1/transaction/${externalTransactionId}`)
      assert.equal(found.status, end === undefined ? 404 : 200)
      if (end !== undefined) {
        assert.equal(await until(merchant, externalTransactionId, isEnd), end)
        assert.equal((await ordersOf(gateway, transaction.transactionId)).length, 1)
      }
      const spent = end === 'SUCCESS' ? transaction.amount + transaction.transactionFee : 0
      assert.equal(await balance(merchant), before - spent)
      const { body: feed } = await call(merchant, 'GET /api/v1/events')
      assert.equal(feed.events.length, end === undefined ? 0 : 1)
      if (end === undefined) return
      const { event } = feed.events[0]
      assert.equal(event.STATUS, end)
      assert.equal(event.CUSTOM_DATA, 'order 12')
      assert.equal(event.PHONE_NUMBER, customer)
      if (amount === undefined) assert.equal('TOKEN' in event, false)
      else {
        const codes = event.TOKEN.split(' ').filter(Boolean)
        assert.equal(codes.length, tokens)
        for (const one of codes) assert.match(one, /^\d{4}(-\d{4}){4}$/)
        const detail = await call(merchant, `GET /api/v1/transaction/${externalTransactionId}`)
        assert.equal(detail.body.transaction.token ?? '', event.TOKEN)
      }
    })
})

it('keeps ledger, transactions and lab consistent', () => assertMoney(gateway))
