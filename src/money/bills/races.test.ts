import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { payBody, pay as payOnce, topUpBody, unpaidOf } from '#test/bills.ts'
import {
  type Answer,
  balance,
  call,
  isEnd,
  liveGateway,
  ordersByTransaction,
  script,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, newMerchant, newProcess } = gateway
const processes = [gateway, await newProcess()]
const customer = '100000002'

let turn = 0
/** The caller, directed to the next process in turn. */
function viaNextProcess<Caller extends { secret: string }>(
  caller: Caller,
): Caller & { url: string } {
  turn += 1
  return { ...caller, url: (processes[turn % processes.length] ?? gateway).url }
}

/**
 * Pays, again while the biller is held back: on a busy machine its answers to so many at once take
 * longer than the three seconds after which its breaker opens. Nothing was recorded then.
 */
function pay(...order: Parameters<typeof payOnce>): Promise<Answer> {
  return eventually('the biller is asked', async () => {
    const answer = await payOnce(...order)
    const isHeldBack = answer.status === 503 && /not available right now/.test(answer.text)
    return !isHeldBack && answer
  })
}

function times<Result>(count: number, make: (index: number) => Result): Result[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

/** How many answers there are of each status and code. */
function tally(answers: Answer[]): Record<string, number> {
  const kinds = Map.groupBy(answers, ({ status, body }) =>
    [status, body.code ?? body.transaction.Status].join(' '),
  )
  return Object.fromEntries([...kinds].map(([kind, { length }]) => [kind, length]))
}

/** How often each bill was paid, as the lab has recorded it. */
async function executions(): Promise<Map<string, number>> {
  const rows = await db<{ id: string; bill: string }>`
    select id, bill_reference as bill from transactions where bill_reference is not null`
  const orders = await ordersByTransaction(gateway)
  const counts = new Map<string, number>()
  for (const { id, bill } of rows)
    for (const { executed } of orders.get(id) ?? [])
      counts.set(bill, (counts.get(bill) ?? 0) + executed)
  return counts
}

describe('concurrent payments of one bill', () => {
  // how many payments, by how many clients, in how many processes
  for (const [count, clients, servers] of [
    [2, 1, 1],
    [2, 2, 2],
    [20, 1, 2],
    [20, 2, 1],
    [20, 20, 2],
  ] as const)
    it(`1 of ${count} succeeds, by ${clients} clients in ${servers} processes`, async () => {
      const callers = await Promise.all(times(clients, () => newMerchant()))
      const [bill] = await unpaidOf(gateway, customer)
      const answers = await Promise.all(
        times(count, (index) => {
          const caller = { ...gateway, ...callers[index % clients] }
          const body = payBody({ reference_client: customer, reference_facture: bill })
          return pay(servers > 1 ? viaNextProcess(caller) : caller, body)
        }),
      )
      const at = answers.findIndex(({ status }) => status === 201)
      assert.deepEqual(tally(answers.toSpliced(at, 1)), { '400 BILL_ALREADY_PAID': count - 1 })
      const { amount, transactionFee, transactionId } = answers[at]?.body.transaction ?? {}
      // On a busy machine its answer comes before its end.
      const payer = { ...gateway, ...callers[at % clients] }
      assert.equal(await until(payer, transactionId, isEnd), 'SUCCESS')
      assert.equal((await executions()).get(bill ?? ''), 1)
      const balances = await Promise.all(
        callers.map((caller) => balance({ ...gateway, ...caller })),
      )
      const spent = balances.reduce((sum, left) => sum + 5_000_000 - left, 0)
      assert.equal(spent, amount + transactionFee)
    })

  it('pay it once, whether they name it or not, with and without leading zeros', async () => {
    const callers = await Promise.all(times(2, () => newMerchant()))
    const [bill] = await unpaidOf(gateway, customer)
    const answers = await Promise.all(
      times(20, (index) => {
        const body = payBody({
          reference_client: index % 3 === 0 ? customer : `000${customer}`,
          ...(index % 2 === 0 ? { reference_facture: bill } : {}),
          ...(index % 4 === 0 ? { externalTransactionId: undefined } : {}),
        })
        return pay(viaNextProcess({ ...gateway, ...callers[index % 2] }), body)
      }),
    )
    const paid = answers.filter(({ status }) => status === 201)
    // A request that names no bill may pay the next one.
    const bills = paid.map(({ body }) => body.transaction.referenceFacture)
    assert.ok(bills.includes(bill))
    assert.equal(new Set(bills).size, bills.length)
    for (const count of (await executions()).values()) assert.equal(count, 1)
  })

  it('are refused while the first one is under way', async () => {
    const [first, second] = await Promise.all([newMerchant(), newMerchant()])
    const [bill] = await unpaidOf(gateway, customer)
    const body = () => payBody({ reference_client: customer, reference_facture: bill })
    await script(gateway, customer, [
      { do: 'delay', ms: 20_000 },
      { do: 'answer' },
      { do: 'succeed' },
    ])
    const open = pay({ ...gateway, ...first }, body())
    await untilClaimed(bill)
    for (const caller of [first, second]) {
      const { status, body: answer } = await pay(viaNextProcess({ ...gateway, ...caller }), body())
      assert.deepEqual([status, answer.code], [400, 'BILL_ALREADY_PAID'])
      assert.equal(answer.message, 'This bill is already paid, or is being paid')
    }
    const { transaction } = (await open).body
    await until({ ...gateway, ...first }, transaction.transactionId, isEnd)
  })
})

/** Waits until a payment has claimed a bill. */
async function untilClaimed(bill = ''): Promise<void> {
  await eventually('it is claimed', async () => {
    const claims = await gateway.db`select from bill_claims where bill_reference = ${bill}`
    return claims.length > 0
  })
}

describe('a bill whose payment fails', () => {
  it('can be paid again, once', async () => {
    const callers = await Promise.all(times(4, () => newMerchant()))
    const refused = '100000005'
    const [bill] = await unpaidOf(gateway, refused)
    await script(gateway, refused, [
      { do: 'delay', ms: 6000 },
      { do: 'decline', reason: 'payee_refused' },
      { do: 'answer' },
    ])
    await script(gateway, refused, [{ do: 'succeed' }])
    const body = () => payBody({ reference_client: refused, reference_facture: bill })
    const first = pay({ ...gateway, ...callers[0] }, body())
    await untilClaimed(bill)
    // The others retry until one of them pays it.
    const others = await Promise.all(
      callers.slice(1).map((caller) =>
        eventually('one of them pays it', async () => {
          const answer = await pay(viaNextProcess({ ...gateway, ...caller }), body())
          const isOver = answer.status === 201 || (await executions()).get(bill ?? '') === 1
          return isOver && answer
        }),
      ),
    )
    assert.equal((await first).body.code, 'BILL_REFUSED')
    assert.deepEqual(tally(others), { '201 SUCCESS': 1, '400 BILL_ALREADY_PAID': 2 })
  })
})

describe('different bills of one customer', () => {
  it('can be paid concurrently', async () => {
    const caller = { ...gateway, ...(await newMerchant()) }
    // Pays until three new bills are listed.
    for (const bill of await unpaidOf(gateway, customer))
      if ((await unpaidOf(gateway, customer)).length < 3)
        await pay(caller, payBody({ reference_client: customer, reference_facture: bill }))
    const bills = await unpaidOf(gateway, customer)
    assert.equal(bills.length, 3)
    const answers = await Promise.all(
      bills.map((bill) =>
        pay(
          viaNextProcess(caller),
          payBody({ reference_client: customer, reference_facture: bill }),
        ),
      ),
    )
    assert.deepEqual(tally(answers), { '201 SUCCESS': 3 })
    const paid = answers.map(({ body }) => body.transaction.referenceFacture)
    assert.deepEqual(new Set(paid), new Set(bills))
  })
})

describe('a balance that is too low for all concurrent payments', () => {
  // funds, amount, how many are affordable with the fee of 2 %
  for (const [funds, amount, affordable] of [
    [20_000, 1000, 19],
    [10_000, 6000, 1],
    [612, 300, 2],
    [305, 300, 0],
  ] as const)
    it(`of ${funds} pays ${affordable} of 30 top-ups of ${amount}`, async () => {
      const caller = { ...gateway, ...(await newMerchant(funds)) }
      const answers = await Promise.all(
        times(30, (index) => {
          const id = index % 2 === 0 ? { externalTransactionId: undefined } : {}
          return pay(viaNextProcess(caller), topUpBody({ amount, ...id }))
        }),
      )
      const refused = { '400 INSUFFICIENT_FUNDS': 30 - affordable }
      const paid = affordable > 0 ? { '201 SUCCESS': affordable } : {}
      assert.deepEqual(tally(answers), { ...paid, ...refused })
      const left = funds - affordable * (amount + Math.round(amount / 50))
      assert.equal(await balance(caller), left)
    })

  it('is the reason of every refusal when all of them are for one bill', async () => {
    const caller = { ...gateway, ...(await newMerchant(1000)) }
    const answers = await Promise.all(
      times(20, () => pay(viaNextProcess(caller), payBody({ reference_client: customer }))),
    )
    assert.deepEqual(tally(answers), { '400 INSUFFICIENT_FUNDS': 20 })
    // The bill can still be paid.
    const rich = { ...gateway, ...(await newMerchant()) }
    assert.equal((await pay(rich, payBody({ reference_client: customer }))).status, 201)
  })
})

describe('the same top-up requested in two processes', () => {
  it('is bought once for each external id', async () => {
    const caller = { ...gateway, ...(await newMerchant()) }
    const ids = times(15, (index) => `same-${index}`)
    const answers = await Promise.all(
      ids.flatMap((externalTransactionId, index) =>
        times(4, () =>
          pay(
            viaNextProcess(caller),
            topUpBody({
              externalTransactionId,
              reference_client: ['200000001', '200000002', '200000006'][index % 3],
            }),
          ),
        ),
      ),
    )
    const kinds = tally(answers)
    assert.equal(kinds['409 DUPLICATE_TRANSACTION'], 45)
    const codes = new Set<string>()
    for (const id of ids) {
      assert.equal(await until(caller, id, isEnd), 'SUCCESS')
      const { body } = await call(caller, `GET /api/v1/transaction/${id}`)
      codes.add(body.transaction.token)
    }
    assert.equal(codes.size, ids.length)
    const { orders } = (await (await fetch(`${gateway.lab.url}/lab/books`)).json()) as {
      orders: { key: string }[]
    }
    assert.equal(new Set(orders.map(({ key }) => key)).size, orders.length)
  })
})

it('keeps ledger, transactions and lab consistent', () => assertMoney(gateway))
