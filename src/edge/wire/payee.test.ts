import assert from 'node:assert/strict'
import { it } from 'node:test'
import { initBody } from '#test/live.ts'
import { readInit } from './init.ts'
import { readRequestedPayee } from './payee.ts'

const terms = { isEnabled: true, fixed: 0, basisPoints: 0, min: 0, max: null }
const limits = { amountMin: null, amountMax: null }
const serviceCode = 'WALLETA_SN_CASHOUT'
const contract = {
  name: 'Client',
  linkLifetimeS: 86_400,
  merchantStatus: 'active' as const,
  email: null,
  language: 'fr' as const,
  terms: new Map([[serviceCode, { serviceCode, ...terms, ...limits }]]),
}
const caller = { clientId: 1, keyId: 'key' }

it('readInit copies the payee into the intent and rejects an unchecked one', () => {
  for (const subMerchantId of ['sm-7f4a9940c621', null]) {
    const payee = { kind: 'named' as const, payeeName: 'Chez Awa', subMerchantId }
    const intent = readInit(initBody(), caller, contract, payee)
    assert.deepEqual([intent.payeeName, intent.subMerchantId], ['Chez Awa', subMerchantId])
  }
  assert.throws(() => readInit(initBody(), caller, contract, { kind: 'not_yours' }), /unchecked/)
})

// a body before validation, the sub-merchant and country read from it
const table: [body: object, subMerchantId: string | undefined, country: string | undefined][] = [
  [{ sub_merchant_id: 'sm-7f4a9940c621', serviceCode }, 'sm-7f4a9940c621', 'SN'],
  [{ sub_merchant_id: '', serviceCode: 'WALLETA_ML_CASHOUT' }, '', 'ML'],
  [{ sub_merchant_id: null, serviceCode: 'WATER_SN_BILL' }, undefined, 'SN'],
  [{ sub_merchant_id: ['sm-7f4a9940c621'], serviceCode: 5 }, undefined, undefined],
  [{ serviceCode: 'toString' }, undefined, undefined],
  [{}, undefined, undefined],
]
for (const [body, subMerchantId, country] of table)
  it(`readRequestedPayee of ${JSON.stringify(body)}: ${subMerchantId} in ${country}`, () =>
    assert.deepEqual(readRequestedPayee(body), { subMerchantId, country }))
