import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import pg from 'pg'
import { call, initBody, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'
import { parkSilentPayments } from './gateway-database.ts'

const live = await liveGateway()
const silent = '770000004'

describe('parking silent payments', () => {
  after(() => assertMoney(live))

  it('waits for no row that the gateway has locked while it holds others', async () => {
    await live.sweeper.stop()
    const first = await openPayment()
    const second = await openPayment()
    const client = new pg.Client({ connectionString: live.databaseUrl })
    await client.connect()
    try {
      // A statement that waits for a row fails here, and not only in runs that happen to deadlock.
      await client.query("set lock_timeout = '100ms'")
      const query = async (text: string) => (await client.query(text)).rows
      const { parking } = await live.db.transaction(async (tx) => {
        await tx`select from transactions where id = ${second} for update`
        const parking = parkSilentPayments(query)
        const firstIsParked = eventually('it is parked', async () => !(await isDue(first)))
        await Promise.race([parking, firstIsParked])
        await tx`select from transactions where id = ${first} for update`
        assert.ok(await isDue(second), 'the second is left alone while it is locked')
        return { parking }
      })
      await parking
      assert.equal(await isDue(second), false)
    } finally {
      await client.end()
    }
  })
})

async function openPayment(): Promise<string> {
  const order = initBody({ number: silent })
  const { status, body } = await call(live, 'POST /api/v1/transaction/init', order)
  assert.equal(status, 201)
  const { transactionId } = body.transaction
  await eventually('it is due', () => isDue(transactionId))
  return transactionId
}

async function isDue(id: string): Promise<boolean> {
  const rows = await live.db`
    select from transactions where id = ${id} and completed_at is null and due_at is not null`
  return rows.length === 1
}
