import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { pay, payBody, topUpBody, unpaidOf } from '../../test/bills.ts'
import type { Answer } from '../../test/live.ts'
import {
  balance,
  call,
  isEnd,
  liveGateway,
  ordersByTransaction,
  script,
  until,
} from '../../test/live.ts'
import { assertMoney } from '../../test/money.ts'
import { eventually } from '../../test/wait.ts'

const gateway = await liveGateway({ pace: 20 })
const { db, newMerchant, newProcess } = gateway
const processes = [gateway, await newProcess()]
const customer = '100000002'

let turn = 0
/** Calls one process after the other. */
function somewhere<Caller extends { secret: string }>(caller: Caller): Caller & { url: string } {
  turn += 1
  return { ...caller, url: (processes[turn % processes.length] ?? gateway).url }
}

function times<Result>(count: number, make: (index: number) => Result): Result[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

/** How many answers there are of each kind. */
function tally(answers: Answer[]): Record<string, number> {
  const kinds = Map.groupBy(answers, ({ status, body }) =>
    [status, body.code ?? body.transaction.Status].join(' '),
  )
  return Object.fromEntries([...kinds].map(([kind, { length }]) => [kind, length]))
}

/** How often each bill was paid, by the lab's own books. */
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

describe('one bill and many who want to pay it', () => {
  // how many, of how many clients, in one process or in both
  for (const [count, clients, isEverywhere] of [
    [2, 1, false],
    [2, 2, true],
    [20, 1, true],
    [20, 2, false],
    [20, 20, true],
  ] as const)
    it(`${count} of ${clients} clients${isEverywhere ? ', anywhere' : ''}: one pays`, async () => {
      const callers = await Promise.all(times(clients, () => newMerchant()))
      const [bill] = await unpaidOf(gateway, customer)
      const answers = await Promise.all(
        times(count, (index) => {
          const caller = { ...gateway, ...callers[index % clients] }
          const body = payBody({ reference_client: customer, reference_facture: bill })
          return pay(isEverywhere ? somewhere(caller) : caller, body)
        }),
      )
      const refused = { '400 BILL_ALREADY_PAID': count - 1 }
      assert.deepEqual(tally(answers), { '201 SUCCESS': 1, ...refused })
      assert.equal((await executions()).get(bill ?? ''), 1)
      const paid = answers.find(({ status }) => status === 201)
      const { amount, transactionFee } = paid?.body.transaction ?? {}
      const balances = await Promise.all(
        callers.map((caller) => balance({ ...gateway, ...caller })),
      )
      const spent = balances.reduce((sum, left) => sum + 5_000_000 - left, 0)
      assert.equal(spent, amount + transactionFee)
    })

  it('whether they name it or not, with and without zeros', async () => {
    const callers = await Promise.all(times(2, () => newMerchant()))
    const [bill] = await unpaidOf(gateway, customer)
    const answers = await Promise.all(
      times(20, (index) => {
        const body = payBody({
          reference_client: index % 3 === 0 ? customer : `000${customer}`,
          ...(index % 2 === 0 ? { reference_facture: bill } : {}),
          ...(index % 4 === 0 ? { externalTransactionId: undefined } : {}),
        })
        return pay(somewhere({ ...gateway, ...callers[index % 2] }), body)
      }),
    )
    const paid = answers.filter(({ status }) => status === 201)
    // Who names none may come late and get the next one.
    const bills = paid.map(({ body }) => body.transaction.referenceFacture)
    assert.ok(bills.includes(bill))
    assert.equal(new Set(bills).size, bills.length)
    for (const count of (await executions()).values()) assert.equal(count, 1)
  })

  it('while the first payment is still under way, for however long', async () => {
    const [first, second] = await Promise.all([newMerchant(), newMerchant()])
    const [bill] = await unpaidOf(gateway, customer)
    const body = () => payBody({ reference_client: customer, reference_facture: bill })
    await script(gateway, customer, [
      { do: 'delay', ms: 20_000 },
      { do: 'answer' },
      { do: 'succeed' },
    ])
    const open = pay({ ...gateway, ...first }, body())
    await claimed(bill)
    for (const caller of [first, second]) {
      const { status, body: told } = await pay(somewhere({ ...gateway, ...caller }), body())
      assert.deepEqual([status, told.code], [400, 'BILL_ALREADY_PAID'])
      assert.equal(told.message, 'This bill is paid already, or is being paid')
    }
    const { transaction } = (await open).body
    await until({ ...gateway, ...first }, transaction.transactionId, isEnd)
  })
})

/** Waits until somebody pays a bill. */
async function claimed(bill = ''): Promise<void> {
  await eventually('it is claimed', async () => {
    const claims = await gateway.db`select from bill_claims where bill_reference = ${bill}`
    return claims.length > 0
  })
}

describe('a bill whose payment fails', () => {
  it('is free again at that moment, for one', async () => {
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
    await claimed(bill)
    // The others ask again and again until somebody gets it.
    const others = await Promise.all(
      callers.slice(1).map((caller) =>
        eventually('somebody gets it', async () => {
          const told = await pay(somewhere({ ...gateway, ...caller }), body())
          const isOver = told.status === 201 || (await executions()).get(bill ?? '') === 1
          return isOver && told
        }),
      ),
    )
    assert.equal((await first).body.code, 'BILL_REFUSED')
    assert.deepEqual(tally(others), { '201 SUCCESS': 1, '400 BILL_ALREADY_PAID': 2 })
  })
})

describe('different bills of one customer', () => {
  it('are paid beside each other', async () => {
    const caller = { ...gateway, ...(await newMerchant()) }
    // Three fresh ones.
    for (const bill of await unpaidOf(gateway, customer))
      if ((await unpaidOf(gateway, customer)).length < 3)
        await pay(caller, payBody({ reference_client: customer, reference_facture: bill }))
    const bills = await unpaidOf(gateway, customer)
    assert.equal(bills.length, 3)
    const answers = await Promise.all(
      bills.map((bill) =>
        pay(somewhere(caller), payBody({ reference_client: customer, reference_facture: bill })),
      ),
    )
    assert.deepEqual(tally(answers), { '201 SUCCESS': 3 })
    const paid = answers.map(({ body }) => body.transaction.referenceFacture)
    assert.deepEqual(new Set(paid), new Set(bills))
  })
})

describe('a balance that does not suffice for all', () => {
  // funds, amount, how many are affordable with the fee of 2 %
  for (const [funds, amount, affordable] of [
    [20_000, 1000, 19],
    [10_000, 6000, 1],
    [612, 300, 2],
    [305, 300, 0],
  ] as const)
    it(`pays ${affordable} of 30 top-ups over ${amount} from ${funds}`, async () => {
      const caller = { ...gateway, ...(await newMerchant(funds)) }
      const answers = await Promise.all(
        times(30, (index) => {
          const id = index % 2 === 0 ? { externalTransactionId: undefined } : {}
          return pay(somewhere(caller), topUpBody({ amount, ...id }))
        }),
      )
      const refused = { '400 INSUFFICIENT_FUNDS': 30 - affordable }
      const paid = affordable > 0 ? { '201 SUCCESS': affordable } : {}
      assert.deepEqual(tally(answers), { ...paid, ...refused })
      const left = funds - affordable * (amount + Math.round(amount / 50))
      assert.equal(await balance(caller), left)
    })

  it('is told so when all want the same bill', async () => {
    const caller = { ...gateway, ...(await newMerchant(1000)) }
    const answers = await Promise.all(
      times(20, () => pay(somewhere(caller), payBody({ reference_client: customer }))),
    )
    assert.deepEqual(tally(answers), { '400 INSUFFICIENT_FUNDS': 20 })
    // And the bill is still to be had.
    const rich = { ...gateway, ...(await newMerchant()) }
    assert.equal((await pay(rich, payBody({ reference_client: customer }))).status, 201)
  })
})

describe('the same top-up in two processes', () => {
  it('is bought once for each id, however often it is asked for', async () => {
    const caller = { ...gateway, ...(await newMerchant()) }
    const ids = times(15, (index) => `same-${index}`)
    const answers = await Promise.all(
      ids.flatMap((externalTransactionId, index) =>
        times(4, () =>
          pay(
            somewhere(caller),
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

it('moves money where the lab says, and nowhere else', () => assertMoney(gateway))
