import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkFor } from './rules.ts'

const createdAt = new Date('2026-03-01T12:00:00Z')
const rules = {
  daily: new Set(['1 WALLETA_SN_CASHOUT']),
  attempts: new Map([[2, 3]]),
  blocked: new Map([
    ['SN771234560', null],
    ['SN771234561', new Date(createdAt.getTime() + 1)],
    ['SN771234562', createdAt],
  ]),
  readMs: 0,
}
const counted = {
  clientId: 3,
  id: 'a',
  externalId: null,
  operation: 'CASHOUT',
  serviceCode: 'WALLETA_SN_CASHOUT',
  amount: 500,
  phone: '771234567',
  createdAt,
}
const checked = (change: object) => checkFor(rules, { ...counted, ...change })

describe('what is checked of a transaction', () => {
  it('is nothing without a rule for it', () => assert.equal(checked({}), undefined))

  it('is its sum of the day if its client has a limit of its service, and no other', () => {
    const check = checked({ clientId: 1 })
    assert.deepEqual([check?.scope, check?.day], ['WALLETA_SN_CASHOUT', '2026-03-01'])
    assert.deepEqual([check?.phone, check?.attemptsMax, check?.isBlocked], [null, null, false])
    assert.equal(checked({ clientId: 1, serviceCode: 'WALLETA_CI_CASHOUT' }), undefined)
  })

  it('is how often its number was tried, if it prompts a payer', () => {
    const check = checked({ clientId: 2 })
    assert.deepEqual([check?.scope, check?.phone, check?.attemptsMax], [null, 'SN771234567', 3])
    assert.equal(checked({ clientId: 2, operation: 'REFUND' }), undefined)
  })

  it('is whether its number is blocked, until the end of the block', () => {
    assert.equal(checked({ phone: '771234560' })?.isBlocked, true)
    assert.equal(checked({ phone: '771234561' })?.isBlocked, true)
    assert.equal(checked({ phone: '771234562' }), undefined)
    assert.equal(checked({ phone: '771234560', serviceCode: 'WALLETA_CI_CASHOUT' }), undefined)
    assert.equal(checked({ phone: '771234560', operation: 'BILL' }), undefined)
  })
})
