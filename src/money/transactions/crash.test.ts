import assert from 'node:assert/strict'
import { it } from 'node:test'
import { pay, payBody, topUpBody } from '#test/bills.ts'
import { killableGateway } from '#test/killable-gateway.ts'
import { type Answer, call, initBody, type LabOrder } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { sized } from '#test/size.ts'
import { eventually } from '#test/wait.ts'

const gateway = await killableGateway()
const { caller, db, lab } = gateway

const codes = ['WALLETA_SN_CASHOUT', 'WALLETA_SN_CASHIN', 'WALLETF_CI_CASHIN', 'WALLETD_SN_CASHIN']
const numbers = ['771234567', '770000001', '770000006', '770000009', '770000011']
const acknowledged = new Map<string, number>()

const meters = ['200000001', '200000002', '200000003', '200000006']
const customers = ['100000001', '100000002', '100000005', '100000006']
// How a payment is refused because of another one of the same bill, or by the biller.
const refusals = new Set(['BILL_ALREADY_PAID', 'BILL_REFUSED'])

/** Sends payments, twelve at a time, until the process dies. */
async function load(count: number): Promise<void> {
  const senders = Array.from({ length: 12 }, async (_, sender) => {
    for (let one = sender; one < count; one += 12) {
      const answer = await (one % 5 === 0 ? billPayment(one) : payment(one)).catch(() => undefined)
      if (answer === undefined) return
      const { transaction, code } = answer.body
      if (refusals.has(code)) continue
      assert.equal(answer.status, 201, answer.text)
      acknowledged.set(transaction.transactionId, transaction.amount)
    }
  })
  await Promise.all(senders)
}

function payment(one: number): Promise<Answer> {
  const body = initBody({
    serviceCode: codes[one % codes.length],
    number: numbers[one % numbers.length],
    amount: 200 + one,
  })
  return call(caller, 'POST /api/v1/transaction/init', body)
}

/** Tops up a meter or pays a bill, half of the time without an external id. */
function billPayment(one: number): Promise<Answer> {
  const turn = Math.floor(one / 10)
  const id = turn % 8 < 4 ? {} : { externalTransactionId: undefined }
  return one % 10 === 0
    ? pay(caller, topUpBody({ ...id, reference_client: meters[turn % 4], amount: 200 + one }))
    : pay(caller, payBody({ ...id, reference_client: customers[turn % 4] }))
}

it('a gateway killed under load loses no payment and executes none twice', async () => {
  for (let kill = 0; kill < sized(1, 3, 6); kill += 1) {
    await gateway.start()
    const enough = acknowledged.size + 20 + 7 * kill
    const loading = load(2000)
    await eventually('enough payments', () => acknowledged.size >= enough)
    await Promise.all([gateway.kill(), loading])
  }
  await gateway.recover()
  await checkAgainstLab()
  await assertMoney({ db })
})

/** Every acknowledged payment exists; exactly those executed at the lab, once each, succeeded. */
async function checkAgainstLab(): Promise<void> {
  const rows = await db<{ id: string; amount: number; status: string; attempts: string[] }>`
    select t.id, t.amount, t.status, array_agg(a.id::text) as attempts
    from transactions t
    join attempts a on (a.client_id, a.transaction_id) = (t.client_id, t.id)
    group by t.client_id, t.id`
  const amounts = new Map(rows.map(({ id, amount }) => [id, amount]))
  for (const [id, amount] of acknowledged) assert.equal(amounts.get(id), amount, id)
  const { orders } = (await (await fetch(`${lab.url}/lab/books`)).json()) as {
    orders: (LabOrder & { client_reference?: string })[]
  }
  const executed = new Map<string, number>()
  for (const order of orders)
    for (const key of [order.key, order.client_reference?.split('.').at(-1) ?? ''])
      if (order.executed > 0) executed.set(key, Math.max(executed.get(key) ?? 0, order.executed))
  for (const { id, status, attempts } of rows) {
    const times = attempts.reduce((sum, attempt) => sum + (executed.get(attempt) ?? 0), 0)
    assert.equal(times, status === 'SUCCESS' ? 1 : 0, `${id} is ${status}, executed ${times} times`)
  }
}
