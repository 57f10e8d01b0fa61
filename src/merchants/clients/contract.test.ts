import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { watchContracts } from './contract.ts'
import { upsertTerms } from './terms-store.ts'

const { db } = await testDatabase()
const clock = testClock()

const own = {
  serviceCode: 'WALLETA_SN_CASHOUT',
  isEnabled: true,
  fixed: 0,
  basisPoints: 150,
  min: 0,
  max: null,
  amountMin: null,
  amountMax: 9000,
}

describe('contracts that are read concurrently', () => {
  it('each have their own client’s name and terms', async () => {
    const plain = await newClient(db, clock)
    const clients = [plain, await newClient(db, clock), await newClient(db, clock)]
    const terms = new Map(clients.slice(1).map((id) => [id, { ...own, fixed: id }]))
    for (const [id, one] of terms) await db.transaction((tx) => upsertTerms(tx, id, one))
    const contractOf = watchContracts(db)
    const contracts = await Promise.all([...clients, ...clients.toReversed()].map(contractOf))
    const names = await db<{ id: number; name: string }>`select id, name from clients`
    const nameOf = new Map(names.map(({ id, name }) => [id, name]))
    for (const [index, id] of [...clients, ...clients.toReversed()].entries()) {
      assert.equal(contracts[index]?.name, nameOf.get(id))
      const expected = terms.get(id)
      assert.deepEqual(
        [...(contracts[index]?.terms ?? [])],
        expected === undefined ? [] : [[own.serviceCode, expected]],
      )
    }
  })

  it('fail only for a client that does not exist', async () => {
    const id = await newClient(db, clock)
    const contractOf = watchContracts(db)
    const [found, missing] = await Promise.allSettled([contractOf(id), contractOf(2_000_000_000)])
    assert.equal(found.status, 'fulfilled')
    assert.equal(missing.status, 'rejected')
  })
})
