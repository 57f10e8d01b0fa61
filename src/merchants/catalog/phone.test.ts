import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dialCodeOf, groupPhone, likelyProvider, readPhone, writtenPhone } from './phone.ts'

const all = ['SN', 'ML', 'CI', 'CM']

describe('readPhone in a known country accepts', () => {
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
    ['ML', '76 12 34 56', '076123456'],
    ['ML', '+223 76 12 34 56', '076123456'],
    ['ML', '0022376123456', '076123456'],
    ['ML', '22376123456', '076123456'],
    ['ML', '076123456', '076123456'],
    ['ML', '123456789', '123456789'],
    ['ML', '+223 123456789', '123456789'],
    ['XX', '771234567', '771234567'],
  ]
  for (const [country, text, phone] of rows)
    it(`${JSON.stringify(text)} of ${country}`, () => {
      assert.deepEqual(readPhone(text, [country]), { kind: 'phone', phone, country })
      const among = readPhone(text, [...all, 'XX'], country)
      assert.deepEqual(among, { kind: 'phone', phone, country })
    })
})

describe('readPhone in a known country refuses', () => {
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
    ['ML', '76 12 34 5', 'phone'],
    ['CI', '1712345678', 'phone'],
  ]
  for (const [country, text, problem] of rows)
    it(`${JSON.stringify(text)} of ${country}`, () =>
      assert.deepEqual(readPhone(text, [country]), { kind: 'problem', problem }))
})

describe('readPhone finds the country', () => {
  // as typed, the country that was chosen, the country and the nine digits or the problem
  const rows: [string, string, string][] = [
    ['77 123 45 67', '', 'SN 771234567'],
    ['70 123 45 67', '', 'SN 701234567'],
    ['07 12 34 56 78', '', 'CI 712345678'],
    ['01 12 34 56 78', '', 'CI 112345678'],
    ['6 71 23 45 67', '', 'CM 671234567'],
    ['76 12 34 56', '', 'ML 076123456'],
    ['+223 76 12 34 56', '', 'ML 076123456'],
    ['00225 07 12 34 56 78', '', 'CI 712345678'],
    ['221771234567', '', 'SN 771234567'],
    ['22376123456', '', 'ML 076123456'],
    // The number itself is better evidence than the list.
    ['+225 07 12 34 56 78', 'SN', 'CI 712345678'],
    // But what was chosen is better than a guess.
    ['77 123 45 67', 'CM', 'CM 771234567'],
    ['07 12 34 56 78', 'SN', 'phone'],
    ['77 123 45 67', 'toString', 'SN 771234567'],
    // Nine digits of no known range.
    ['33 123 45 67', '', 'country'],
    ['712345678', '', 'country'],
    ['77 123', '', 'phone'],
    ['+33 6 12 34 56 78', '', 'phone_country'],
    ['', 'SN', 'phone_missing'],
  ]
  for (const [text, chosen, expected] of rows)
    it(`of ${JSON.stringify(text)} with ${chosen || 'nothing'} chosen: ${expected}`, () => {
      const read = readPhone(text, all, chosen)
      const told = read.kind === 'phone' ? `${read.country} ${read.phone}` : read.problem
      assert.equal(told, expected)
    })

  it('takes the usual one where neither number nor choice say', () => {
    const countryOf = (text: string, usual: string, offered = all) => {
      const read = readPhone(text, offered, '', usual)
      return read.kind === 'phone' ? read.country : read.problem
    }
    assert.equal(countryOf('33 123 45 67', 'SN'), 'SN')
    assert.equal(countryOf('07 12 34 56 78', 'SN'), 'CI')
    assert.equal(countryOf('03 12 34 56 78', 'SN'), 'country')
    assert.equal(countryOf('33 123 45 67', 'SN', ['CI', 'CM']), 'country')
  })

  it('only among those offered', () => {
    const problem = { kind: 'problem', problem: 'phone_country' }
    assert.deepEqual(readPhone('+225 07 12 34 56 78', ['SN', 'ML']), problem)
    assert.equal(readPhone('6 71 23 45 67', ['SN', 'ML']).kind, 'problem')
  })
})

describe('groupPhone', () => {
  // country, nine digits, in groups
  const rows: [string, string, string][] = [
    ['SN', '771234567', '77 123 45 67'],
    ['CI', '712345678', '07 12 34 56 78'],
    ['CM', '671234567', '6 71 23 45 67'],
    ['ML', '076123456', '76 12 34 56'],
    ['ML', '123456789', '123 456 789'],
    ['XX', '123456789', '123 456 789'],
  ]
  for (const [country, phone, grouped] of rows)
    it(`writes a number of ${country} as ${grouped}`, () => {
      const shown = groupPhone(phone, country)
      assert.equal(shown.replaceAll('\u00a0', ' '), grouped)
      assert.deepEqual(readPhone(shown, [country]), { kind: 'phone', phone, country })
    })
})

describe('writtenPhone', () => {
  // as it is kept, its country, as people write it
  const rows: [string, string, string][] = [
    ['771234567', 'SN', '77 123 45 67'],
    ['771234567', '', '77 123 45 67'],
    ['+221771234567', '', '77 123 45 67'],
    ['00225 0712345678', '', '07 12 34 56 78'],
    ['712345678', 'CI', '07 12 34 56 78'],
    ['77 123 45', '', '77 123 45'],
    ['ask Awa', '', 'ask Awa'],
  ]
  for (const [number, country, written] of rows)
    it(`writes ${number} of ${country || 'some country'} as ${written}`, () =>
      assert.equal(writtenPhone(number, country).replaceAll('\u00a0', ' '), written))
})

describe('likelyProvider', () => {
  // country, nine digits, provider
  const rows: [string, string, string | null][] = [
    ['SN', '771234567', 'WALLETA'],
    ['SN', '761234567', 'WALLETC'],
    ['SN', '751234567', null],
    ['SN', '331234567', null],
    ['CI', '712345678', 'WALLETA'],
    ['CI', '112345678', 'WALLETE'],
    ['CM', '671234567', 'WALLETF'],
    ['CM', '655123456', 'WALLETA'],
    ['CM', '654123456', 'WALLETF'],
    ['CM', '621234567', null],
    ['ML', '066123456', 'WALLETE'],
    ['ML', '766123456', null],
    ['toString', '771234567', null],
  ]
  for (const [country, phone, provider] of rows)
    it(`of ${phone} in ${country} is ${provider}`, () =>
      assert.equal(likelyProvider(phone, country), provider))
})

it('dialCodeOf gives the code of each country, and none for an unknown one', () =>
  assert.deepEqual([...all, 'toString'].map(dialCodeOf), ['+221', '+223', '+225', '+237', '']))
