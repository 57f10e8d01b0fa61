import assert from 'node:assert/strict'
import { it } from 'node:test'
import { topUpBody } from '#test/bills.ts'
import { untilBlocked } from '#test/database.ts'
import { killableGateway } from '#test/killable-gateway.ts'
import {
  type Answer,
  call,
  initBody,
  isEnd,
  ordersByTransaction,
  script,
  until,
} from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'

const gateway = await killableGateway()
const { caller, db, owner, lab } = gateway
await gateway.start()

const slow = [{ do: 'delay', ms: 20_000 }, { do: 'answer' }, { do: 'succeed' }]
const meter = '200000001'
const payer = '771234567'

/** Collects what is to be refunded; returns the path of its refunds. */
async function refundPath(): Promise<string> {
  const { body } = await call(caller, 'POST /api/v1/transaction/init', initBody({ number: payer }))
  const id = String(body.transaction.transactionId)
  assert.equal(await until(caller, id, isEnd), 'SUCCESS')
  return `POST /api/v1/transaction/refund/${id}`
}

const topUp = topUpBody({ externalTransactionId: undefined, reference_client: meter })
const requests: [name: string, number: string, target: () => Promise<string>, body: object][] = [
  ['a top-up', meter, async () => 'POST /api/v1/billing/pay', topUp],
  ['a partial refund', payer, refundPath, { amount: 3000 }],
]

async function countOf(): Promise<number> {
  const rows = await db`select from transactions where operation in ('BILL', 'REFUND')`
  return rows.length
}

for (const [name, number, targetOf, body] of requests)
  for (const moment of ['before', 'after'] as const)
    it(`${name} is made once when the gateway is killed ${moment} its commit`, async () => {
      const target = await targetOf()
      const key = { 'Idempotency-Key': `${name}-${moment}`.replaceAll(' ', '-') }
      const count = await countOf()
      const send = () => call(caller, target, body, key)
      await script(gateway, number, slow)
      let sent: Promise<unknown> | undefined
      const sendAway = () => {
        sent = send().catch(() => undefined)
      }
      if (moment === 'before')
        await db.transaction(async (tx) => {
          await tx`select from ledger_accounts for update`
          sendAway()
          await untilBlocked(owner)
          await gateway.kill()
        })
      else {
        sendAway()
        await eventually('it is recorded', async () => (await countOf()) > count)
        await gateway.kill()
      }
      await sent
      await script(gateway, number, [{ do: 'answer' }, { do: 'succeed' }], true)
      await gateway.expireLeases()
      await gateway.start()
      const answer = await eventually('it is answered', async (): Promise<Answer | false> => {
        const again = await send()
        return again.body.code !== 'REQUEST_IN_PROGRESS' && again
      })
      assert.equal(answer.status, 201, answer.text)
      assert.equal(answer.headers.get('idempotent-replayed') === 'true', moment === 'after')
      const again = await send()
      assert.deepEqual([again.status, again.text], [201, answer.text])
      assert.equal(await countOf(), count + 1)
      await gateway.untilAllEnded()
    })

it('every order was executed once, and money agrees', async () => {
  const orders = await ordersByTransaction({ db, lab })
  for (const [id, own] of orders)
    assert.equal(
      own.reduce((sum, one) => sum + one.executed, 0),
      1,
      id,
    )
  await assertMoney({ db, lab })
})
