import assert from 'node:assert/strict'
import { test } from 'node:test'
import { internationalPhone, nationalPhone } from './phone.ts'

test('the international form has the national one, with or without its leading 0', () => {
  assert.equal(internationalPhone('SN', '771234567'), '221771234567')
  assert.equal(internationalPhone('ML', '701234567'), '223701234567')
  assert.equal(internationalPhone('ML', '070123456'), '22370123456')
  assert.equal(nationalPhone('ML', '070123456'), '70123456')
  assert.equal(internationalPhone('CM', '671234567'), '237671234567')
  assert.equal(internationalPhone('CI', '701234567'), '2250701234567')
  assert.equal(nationalPhone('CI', '701234567'), '0701234567')
})
