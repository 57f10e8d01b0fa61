import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { nearest } from './nearest.ts'

const fields = [
  'externalTransactionId',
  'amount',
  'number',
  'callBackURL',
  'otp',
  'sub_merchant_id',
]

// what was written, what it stands for
const scenarios: [word: string, meant: string | undefined][] = [
  ['externalTransactionID', 'externalTransactionId'],
  ['external_transaction_id', 'externalTransactionId'],
  ['externalTransacionIdd', 'externalTransactionId'],
  ['externTransactionId', 'externalTransactionId'],
  ['ammount', 'amount'],
  ['amuont', 'amount'],
  ['numbr', 'number'],
  ['phone', undefined],
  ['callbackUrl', 'callBackURL'],
  ['OTP', 'otp'],
  ['opt', undefined],
  ['subMerchantId', 'sub_merchant_id'],
  ['', undefined],
  ['constructor', undefined],
]

describe('the nearest word', () => {
  for (const [word, meant] of scenarios)
    it(`to "${word}" is ${meant}`, () => assert.equal(nearest(word, fields), meant))

  it('is not chosen among several that are equally near', () => {
    assert.equal(nearest('WALLETX_SN', ['WALLETA_SN', 'WALLETB_SN']), undefined)
    assert.equal(nearest('WALLETA_S', ['WALLETA_SN', 'WALLETB_SN']), 'WALLETA_SN')
  })

  it('is looked for among the first hundred', () => {
    const many = [...Array.from({ length: 100 }, (_, index) => `field${index}`), 'amount']
    assert.equal(nearest('amount', many), undefined)
  })
})
