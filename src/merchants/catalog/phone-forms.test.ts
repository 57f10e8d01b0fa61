import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Country, countries } from './countries.ts'
import { numbering } from './numbering.ts'
import { groupPhone, readPhone } from './phone.ts'
import {
  nineDigitsOf,
  possiblePhones,
  toInternational,
  toNational,
  toNineDigits,
  writtenDigits,
} from './phone-forms.ts'

const all = Object.keys(countries) as Country[]
const digits = (length: number) =>
  fc.array(fc.nat({ max: 9 }), { minLength: length, maxLength: length }).map((one) => one.join(''))
const nineDigits = digits(9)

/** Every mobile number of a country. */
function nationalOf(country: Country): fc.Arbitrary<string> {
  const { digits: length, prefixes } = numbering[country]
  return fc
    .constantFrom(...Object.keys(prefixes))
    .chain((prefix) => digits(length - prefix.length).map((rest) => prefix + rest))
}

describe('the nine digits of the interface', () => {
  // country, national number, nine digits, as it is dialled from anywhere
  const rows: [Country, string, string, string][] = [
    ['SN', '771234567', '771234567', '221771234567'],
    ['CM', '671234567', '671234567', '237671234567'],
    ['CI', '0712345678', '712345678', '2250712345678'],
    ['ML', '70123456', '070123456', '22370123456'],
  ]
  for (const [country, national, phone, international] of rows)
    it(`of ${national} in ${country} are ${phone}, and ${international} abroad`, () => {
      assert.equal(toNineDigits(national, country), phone)
      assert.equal(toNational(phone, country), national)
      assert.equal(toInternational(phone, country), international)
    })

  for (const country of all) {
    const { dialCode } = countries[country]

    it(`stand for every national number of ${country}, and for one alone`, () => {
      fc.assert(
        fc.property(nationalOf(country), (national) => {
          const phone = toNineDigits(national, country) ?? ''
          assert.match(phone, /^[0-9]{9}$/)
          assert.equal(toNational(phone, country), national)
        }),
      )
    })

    it(`of any kind in ${country} come back from both forms`, () => {
      fc.assert(
        fc.property(nineDigits, (phone) => {
          assert.equal(toNineDigits(toNational(phone, country), country), phone)
          const abroad = readPhone(`+${toInternational(phone, country)}`, all)
          assert.deepEqual(abroad, { kind: 'phone', phone, country })
        }),
      )
    })

    it(`are read from every way to write a number of ${country}, chosen or not`, () => {
      const separator = fc.constantFrom('', ' ', '.', '-', '\u00a0', '\u202f', '\u2011', '/')
      const written = fc.tuple(nationalOf(country), separator, fc.constantFrom('+', '00', ''))
      fc.assert(
        fc.property(written, ([national, between, mark]) => {
          const phone = toNineDigits(national, country) ?? ''
          const forms = [national, `${mark}${dialCode}${national}`]
          for (const form of forms) {
            const text = form.split('').join(between)
            const expected = { kind: 'phone', phone, country }
            assert.deepEqual(readPhone(text, [country]), expected, text)
            assert.deepEqual(readPhone(text, all, country), expected, text)
            assert.ok(possiblePhones(text).includes(phone), text)
          }
          assert.deepEqual(readPhone(`+${dialCode}${national}`, all), {
            kind: 'phone',
            phone,
            country,
          })
          assert.deepEqual(readPhone(groupPhone(phone, country), all), {
            kind: 'phone',
            phone,
            country,
          })
        }),
      )
    })
  }
})

describe('the numbering of a country', () => {
  for (const country of all)
    it(`of ${country} is consistent`, () => {
      const { digits: length, groups, prefixes } = numbering[country]
      assert.equal(
        groups.reduce((sum, one) => sum + one, 0),
        length,
      )
      // Ten digits lose a trunk prefix, eight gain a 0: others could not be nine.
      assert.equal(length - countries[country].trunkPrefix.length, country === 'ML' ? 8 : 9)
      for (const prefix of Object.keys(prefixes))
        assert.ok(prefix.startsWith(countries[country].trunkPrefix), prefix)
    })
})

describe('a number as a merchant wrote it', () => {
  // as written, in the form of the interface
  const rows: [string, string][] = [
    ['77 123 45 67', '771234567'],
    ['+221 77 123 45 67', '771234567'],
    ['07 12 34 56 78', '712345678'],
    ['00225 07 12 34 56 78', '712345678'],
    ['70 12 34 56', '070123456'],
    ['+33 6 12 34 56 78', '+33 6 12 34 56 78'],
    ['ask at the till', 'ask at the till'],
    ['', ''],
  ]
  for (const [text, phone] of rows)
    it(`is ${phone || 'nothing'} for ${text || 'nothing'}`, () => {
      assert.equal(nineDigitsOf(text), phone)
      if (/^[0-9]{9}$/.test(phone))
        assert.ok(writtenDigits(phone).includes(text.replaceAll(/^(\+|00)|[^0-9]/g, '')))
    })
})
