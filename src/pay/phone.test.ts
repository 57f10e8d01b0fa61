import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dialCodeOf, groupPhone, likelyCountry, maskPhone, readPhone } from './phone.ts'

describe('readPhone accepts', () => {
  // country, as typed, our nine digits
  const rows: [string, string, string][] = [
    ['SN', '771234567', '771234567'],
    ['SN', '77 123 45 67', '771234567'],
    ['SN', '77.123.45.67', '771234567'],
    ['SN', '77-123-45-67', '771234567'],
    ['SN', '77\u2011123\u201345\u00a067', '771234567'],
    ['SN', '77\u202f123\u202f45\u202f67', '771234567'],
    ['SN', '(77) 123/45/67', '771234567'],
    ['SN', '+221 77 123 45 67', '771234567'],
    ['SN', '+221771234567', '771234567'],
    ['SN', '00221 77 123 45 67', '771234567'],
    ['SN', '221771234567', '771234567'],
    ['SN', '  771234567\n', '771234567'],
    ['SN', '７７１２３４５６７', '771234567'],
    ['CI', '07 12 34 56 78', '712345678'],
    ['CI', '712345678', '712345678'],
    ['CI', '+225 07 12 34 56 78', '712345678'],
    ['CI', '00225 0712345678', '712345678'],
    ['CI', '2250712345678', '712345678'],
    ['CI', '225712345678', '712345678'],
    // A number may begin with the digits of the country code.
    ['CI', '225123456', '225123456'],
    ['CM', '6 71 23 45 67', '671234567'],
    ['CM', '+237671234567', '671234567'],
    ['ML', '123456789', '123456789'],
    ['ML', '+223 123456789', '123456789'],
    ['XX', '771234567', '771234567'],
  ]
  for (const [country, text, phone] of rows)
    it(`${JSON.stringify(text)} of ${country}`, () =>
      assert.deepEqual(readPhone(text, country), { kind: 'phone', phone }))
})

describe('readPhone refuses', () => {
  const rows: [string, string, string][] = [
    ['SN', '', 'phone_missing'],
    ['SN', '  - ', 'phone_missing'],
    ['SN', '77123456', 'phone'],
    ['SN', '7712345678', 'phone'],
    ['SN', '0771234567', 'phone'],
    ['SN', '77123456a', 'phone'],
    ['SN', '+', 'phone'],
    ['SN', '++221771234567', 'phone'],
    ['SN', '771234567;1', 'phone'],
    ['SN', '<script>', 'phone'],
    ['SN', '9'.repeat(30), 'phone'],
    ['SN', '+221 77 123 45', 'phone'],
    ['SN', '+225 07 12 34 56 78', 'phone_country'],
    ['SN', '0033 6 12 34 56 78', 'phone_country'],
    ['CI', '+221771234567', 'phone_country'],
    // Numbers of Mali have eight digits, but every wallet requires nine.
    ['ML', '76 12 34 56', 'phone'],
    ['CI', '1712345678', 'phone'],
  ]
  for (const [country, text, problem] of rows)
    it(`${JSON.stringify(text)} of ${country}`, () =>
      assert.deepEqual(readPhone(text, country), { kind: 'problem', problem }))
})

describe('groupPhone and maskPhone', () => {
  // country, nine digits, in groups, masked
  const rows: [string, string, string, string][] = [
    ['SN', '771234567', '77 123 45 67', '77 *** ** 67'],
    ['CI', '712345678', '07 12 34 56 78', '07 ** ** ** 78'],
    ['CM', '671234567', '6 71 23 45 67', '6 ** ** ** 67'],
    ['ML', '123456789', '123 456 789', '123 *** 789'],
    ['XX', '123456789', '123 456 789', '123 *** 789'],
  ]
  for (const [country, phone, grouped, masked] of rows)
    it(`write a number of ${country} as ${grouped} and ${masked}`, () => {
      const shown = groupPhone(phone, country)
      assert.equal(shown.replaceAll('\u00a0', ' '), grouped)
      assert.equal(maskPhone(phone, country).replaceAll('\u00a0', ' '), masked)
      assert.deepEqual(readPhone(shown, country), { kind: 'phone', phone })
    })
})

describe('the country of a number', () => {
  const rows: [string, string | undefined][] = [
    ['771234567', 'SN'],
    ['701234567', 'SN'],
    ['101234567', 'CI'],
    ['501234567', 'CI'],
    ['671234567', 'CM'],
    ['331234567', undefined],
    ['', undefined],
  ]
  for (const [phone, country] of rows)
    it(`${phone || 'an empty number'} is likely from ${country ?? 'nowhere known'}`, () =>
      assert.equal(likelyCountry(phone), country))

  it('dialCodeOf gives the code of each country, and none for an unknown one', () =>
    assert.deepEqual(['SN', 'CI', 'CM', 'ML', 'toString'].map(dialCodeOf), [
      '+221',
      '+225',
      '+237',
      '+223',
      '',
    ]))
})
