import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Tx } from '#data/db/db.ts'
import { lockAccounts } from '#money/ledger/store.ts'
import { call, initBody, liveGateway } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'

const gateway = await liveGateway({ pace: 50 })
const { url, db, connect } = gateway

const merchants = await Promise.all(Array.from({ length: 4 }, () => gateway.newMerchant()))
const [stuck, ...others] = merchants.map((one) => ({ url, ...one }))
assert.ok(stuck !== undefined)

const kinds = [
  ['payouts', { serviceCode: 'WALLETA_SN_CASHIN' }],
  ['airtime', { serviceCode: 'OPERATOR1_SN_AIRTIME', amount: 500 }],
] as const

/** Does something beside a process that has stopped while it holds the account of a merchant. */
async function besideFrozen<T>(
  clientId: number,
  work: () => Promise<T>,
  isEnded = false,
): Promise<T> {
  const frozen = Promise.withResolvers<T>()
  const isHeld = Promise.withResolvers<void>()
  const holding = connect().transaction(async (tx: Tx) => {
    if (!isEnded) await tx`select set_config('idle_in_transaction_session_timeout', '0', true)`
    await lockAccounts(tx, [clientId])
    isHeld.resolve()
    await frozen.promise.catch(() => {})
  })
  await isHeld.promise
  const done = work()
  frozen.resolve(done)
  // The server may have ended the transaction meanwhile.
  await holding.catch(() => {})
  return done
}

describe('a process that has stopped while it holds the account of a merchant', () => {
  for (const [kind, change] of kinds)
    it(`holds up no ${kind} of others, and those of the merchant until it goes on`, async () => {
      const init = (merchant: { url: string; secret: string }) =>
        call(merchant, 'POST /api/v1/transaction/init', initBody(change))
      const waiting: Promise<{ status: number }>[] = []
      let isAnswered = false
      await besideFrozen(stuck.clientId, async () => {
        for (let round = 0; round < 2; round += 1) {
          waiting.push(init(stuck).finally(() => (isAnswered = true)))
          const answers = await Promise.all(others.flatMap((one) => [init(one), init(one)]))
          for (const { status, text } of answers) assert.equal(status, 201, text)
        }
        assert.equal(isAnswered, false, 'the lock is held')
      })
      for (const { status } of await Promise.all(waiting)) assert.equal(status, 201)
    })

  it('loses it after some seconds', async () => {
    const answer = await besideFrozen(
      stuck.clientId,
      () => call(stuck, 'POST /api/v1/transaction/init', initBody(kinds[0][1])),
      true,
    )
    assert.equal(answer.status, 201, answer.text)
  })

  it('leaves the books right', async () => {
    await eventually('all have ended', async () => {
      const open = await db`select 1 from transactions where completed_at is null`
      return open.length === 0
    })
    await assertMoney(gateway)
  })
})
