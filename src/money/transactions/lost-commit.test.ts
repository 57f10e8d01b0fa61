import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { parseServiceCode } from '#merchants/catalog/services.ts'
import { noKey } from '#merchants/clients/scope.ts'
import { newClient } from '#test/clients.ts'
import { holdLong, testDatabase, untilBlocked } from '#test/database.ts'
import { assertMoney } from '#test/money.ts'
import { type Draft, draft, type Recorded, recordIntents } from './intents.ts'

const { db, connect } = await testDatabase()
const owner = connect({ asOwner: true })
const urls = { callbackUrl: null, successUrl: '', failureUrl: '' }

async function draftsOf(code: string): Promise<Draft[]> {
  const clientId = await newClient(db, clock, 10_000)
  const service = parseServiceCode(code)
  assert.ok(service?.operation === 'CASHOUT' || service?.operation === 'CASHIN')
  const { operation } = service
  const order = { amount: 1000, fee: 20, phone: '771234567', payeeName: 'Shop', ...urls }
  return ['lost-1', 'lost-2'].map((externalId) =>
    draft({ clientId, keyId: noKey, externalId, ...order, service, operation }, clock.now()),
  )
}

const copyOf = (drafts: Draft[]) =>
  drafts.map((one) => ({ ...one, transaction: { ...one.transaction } }))
const run = (drafts: Draft[]) =>
  db.transaction((tx) => recordIntents(tx, copyOf(drafts), clock.now()))
const idsOf = (recorded: Recorded[]) =>
  recorded.map((one) => (one.kind === 'recorded' ? one.transaction.id : one.kind))

describe('a group of payments whose commit seemed lost', () => {
  for (const code of ['WALLETA_SN_CASHOUT', 'WALLETA_SN_CASHIN']) {
    it(`finds its own records when it is run again (${code})`, async () => {
      const drafts = await draftsOf(code)
      const ids = drafts.map(({ transaction }) => transaction.id)
      for (let runs = 0; runs < 3; runs += 1) assert.deepEqual(idsOf(await run(drafts)), ids)
    })

    it(`finds them when the commit arrives while it runs again (${code})`, async () => {
      const drafts = await draftsOf(code)
      const ids = drafts.map(({ transaction }) => transaction.id)
      const [recorded, lost] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const first = db.transaction(async (tx) => {
        await holdLong(tx)
        const answers = await recordIntents(tx, copyOf(drafts), clock.now())
        recorded.resolve()
        await lost.promise
        return answers
      })
      await recorded.promise
      const again = run(drafts)
      await untilBlocked(owner)
      lost.resolve()
      assert.deepEqual(idsOf(await first), ids)
      assert.deepEqual(idsOf(await again), ids)
    })
  }

  it('has moved and held money once', () => assertMoney({ db }))
})
