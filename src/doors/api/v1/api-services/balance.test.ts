import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { keyRights } from '#merchants/clients/key-rights.ts'
import { settle } from '#money/ledger/settlement.ts'
import { assertGeneralError, testGateway } from '#test/app.ts'

const gateway = await testGateway()
const { db, clock, merchant, newKey } = gateway
const app = await gateway.start()
const balance = 'GET /api/v1/api-services/balance'

describe('the balance', () => {
  const scenarios: [funds: number][] = [[0], [1], [199], [5_000_000], [9_007_199_254_740]]
  for (const [funds] of scenarios)
    it(`of ${funds} is exact to the franc`, async () => {
      const { secret: key } = await newKey(await merchant(funds))
      const answer = await app.send(balance, { key })
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, {
        message: 'Balance fetched successfully',
        balance: {
          success: true,
          balance: funds,
          currency: 'XOF',
          lastUpdate: clock.now().toISOString(),
        },
      })
    })

  it('follows the postings, with the time of the last change', async () => {
    const clientId = await merchant(1000)
    const { secret: key } = await newKey(clientId)
    clock.advance(60_000)
    const now = clock.now()
    await db.transaction((tx) =>
      settle(tx, { clientId, amount: -250, ref: 'paid out', now, actor: 'test' }),
    )
    clock.advance(60_000)
    const { body } = await app.send(balance, { key })
    const { balance: left, lastUpdate } = body.balance as Record<string, unknown>
    assert.deepEqual([left, lastUpdate], [750, now.toISOString()])
  })

  it("is the client's own, with each key that has its right", async () => {
    const clients = await Promise.all([111, 222, 333].map(merchant))
    for (const [index, clientId] of clients.entries())
      for (const options of [{}, { rights: ['balance' as const] }, { ratePerMinute: 7 }]) {
        const { secret: key } = await newKey(clientId, options)
        const { body } = await app.send(balance, { key })
        assert.equal((body.balance as Record<string, unknown>).balance, 111 * (index + 1))
      }
  })

  it('is not told to a key with every other right', async () => {
    const rights = keyRights.filter((right) => right !== 'balance')
    const { secret: key } = await newKey(await merchant(111), { rights })
    const answer = await app.send(balance, { key })
    assert.equal(answer.status, 403)
    assertGeneralError(answer, 'RIGHT_MISSING')
    assert.doesNotMatch(answer.text, /111/)
  })

  it('is the same whatever query parameters a caller adds', async () => {
    const other = await merchant(42)
    for (const query of [`clientId=${other}`, `client_id=${other}`, 'keyId=1', 'id=1'])
      assert.match((await app.send(`${balance}?${query}`)).text, /"balance":5000000,/)
  })
})
