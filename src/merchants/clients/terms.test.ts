import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { services } from '#merchants/catalog/services.ts'
import { newClient } from '#test/clients.ts'
import { testClock } from '#test/clock.ts'
import { testDatabase } from '#test/database.ts'
import { servicesOf } from './offer.ts'
import { changeTerms } from './terms.ts'
import { readTerms } from './terms-store.ts'

const { db } = await testDatabase()
const clock = testClock()
const code = 'WALLETA_SN_CASHOUT'

type Change = Parameters<typeof changeTerms>[2]['change']
const setTerms = (clientId: number, serviceCode: string, change: Change) =>
  db.transaction((tx) =>
    changeTerms(tx, { clock }, { clientId, serviceCode, change, actor: 'ops' }),
  )

describe('changeTerms', () => {
  const enabled = async (clientId: number) =>
    (await servicesOf(db, clientId)).map((service) => service.code)

  it('enables and disables one service', async () => {
    const id = await newClient(db, clock)
    await setTerms(id, code, { isEnabled: true })
    assert.deepEqual(await enabled(id), [code])
    await setTerms(id, code, { isEnabled: false })
    assert.deepEqual(await enabled(id), [])
  })

  it('enables all services, listed in the order of the catalogue, and disables them', async () => {
    const id = await newClient(db, clock)
    await setTerms(id, 'all', { isEnabled: true })
    assert.deepEqual(
      await enabled(id),
      services.map((service) => service.code),
    )
    await setTerms(id, 'all', { isEnabled: false })
    assert.deepEqual(await enabled(id), [])
  })

  it('keeps fields that are not given, and other clients’ terms', async () => {
    const [id, other] = [await newClient(db, clock), await newClient(db, clock)]
    await setTerms(id, code, { fixed: 25, basisPoints: 150, min: 50, max: 5000 })
    await setTerms(id, code, { amountMin: 500, amountMax: 100_000 })
    const [changed] = await setTerms(id, code, { isEnabled: true, max: null })
    const expected = {
      serviceCode: code,
      isEnabled: true,
      fixed: 25,
      basisPoints: 150,
      min: 50,
      max: null,
      amountMin: 500,
      amountMax: 100_000,
    }
    assert.deepEqual(changed, expected)
    assert.deepEqual(await readTerms(db, id), [expected])
    assert.deepEqual(await readTerms(db, other), [])
  })
})

describe('changeTerms refuses', () => {
  const refused: [string, string, Change, string, string][] = [
    [
      'an unknown service',
      'WALLETZ_SN_CASHIN',
      {},
      'not_found',
      'There is no service WALLETZ_SN_CASHIN',
    ],
    [
      'a negative fee',
      code,
      { fixed: -1 },
      'validation_failed',
      'Fees must be whole numbers, not below zero',
    ],
    [
      'half a basis point',
      code,
      { basisPoints: 0.5 },
      'validation_failed',
      'Fees must be whole numbers, not below zero',
    ],
    [
      'an amount of zero',
      code,
      { amountMin: 0 },
      'validation_failed',
      'Amounts must be whole numbers above zero',
    ],
    [
      'several wrong fields, and names all of them',
      'all',
      { min: 2, max: 1, amountMin: 20, amountMax: 10, basisPoints: 10_001 },
      'validation_failed',
      'The highest fee must not be below the lowest; ' +
        'The highest amount must not be below the lowest; ' +
        'A fee cannot be more than 10000 basis points',
    ],
  ]
  for (const [name, serviceCode, change, kind, message] of refused)
    it(name, async () => {
      const id = await newClient(db, clock)
      await assert.rejects(setTerms(id, serviceCode, change), { name: 'Refusal', kind, message })
      assert.deepEqual(await readTerms(db, id), [])
    })

  it('an unknown client', async () => {
    await assert.rejects(setTerms(999_999, 'all', { isEnabled: true }), { kind: 'not_found' })
  })
})

describe('two concurrent changes of terms', () => {
  it('are both kept', async () => {
    for (let round = 0; round < 20; round += 1) {
      const id = await newClient(db, clock)
      await Promise.all([setTerms(id, code, { isEnabled: true }), setTerms(id, code, { fixed: 5 })])
      const [terms] = await readTerms(db, id)
      assert.deepEqual([terms?.isEnabled, terms?.fixed], [true, 5])
    }
  })
})
