import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { french } from '#edge/wire/french.ts'
import { type FrancsProblem, readFrancs } from './read-francs.ts'
import { exampleOf, momentFormat, momentReader } from './read-moment.ts'
import { sentences } from './sentences.ts'

describe('an amount', () => {
  // text, decimal of the mapping, francs with their sign or what is wrong
  const amounts: [string, '.' | ',' | undefined, number | FrancsProblem][] = [
    ['1234', undefined, 1234],
    ['0', undefined, 0],
    ['007', undefined, 7],
    ['1 234', undefined, 1234],
    ['1\u00a0234\u202f567', undefined, 1_234_567],
    ["1'234", undefined, 1234],
    ['1234.00', undefined, 1234],
    ['1234,0', undefined, 1234],
    ['1,234.00', undefined, 1234],
    ['1.234,00', undefined, 1234],
    ['1.234.567', undefined, 1_234_567],
    ['12345.000', undefined, 12_345],
    ['1.234', undefined, 'ambiguous'],
    ['1,234', undefined, 'ambiguous'],
    ['1.234', ',', 1234],
    ['1.234', '.', 'cents'],
    ['1,234', '.', 1234],
    ['1.000', '.', 1],
    ['1,234', ',', 'cents'],
    ['1.234.00', '.', 'unreadable'],
    ['1,234.567', ',', 'unreadable'],
    ['12.5', undefined, 'cents'],
    ['0.30', undefined, 'cents'],
    ['-500', undefined, -500],
    ['−500', undefined, -500],
    ['500-', undefined, -500],
    ['(500)', undefined, -500],
    ['(1 500,00)', undefined, -1500],
    ['+500', undefined, 500],
    ['500 CR', undefined, 500],
    ['500 DR', undefined, -500],
    ['500.00Dr.', undefined, -500],
    ['1 500 F CFA', undefined, 1500],
    ['1500 FCFA', undefined, 1500],
    ['XOF 1500', undefined, 1500],
    ['-1500 XAF', undefined, -1500],
    ['999999999999999', undefined, 999_999_999_999_999],
    ['9999999999999999', undefined, 'unreadable'],
    ['-500-', undefined, 'unreadable'],
    ['-500 DR', undefined, 'unreadable'],
    ['(-500)', undefined, 'unreadable'],
    ['12 34', undefined, 'unreadable'],
    ['1 2345', undefined, 'unreadable'],
    ['1,23,456', undefined, 'unreadable'],
    ['1e5', undefined, 'unreadable'],
    ['0x10', undefined, 'unreadable'],
    ['١٢٣', undefined, 'unreadable'],
    ['500 EUR', undefined, 'unreadable'],
    ['1234.', undefined, 'unreadable'],
    ['.00', undefined, 'unreadable'],
    ['', undefined, 'unreadable'],
    ['-', undefined, 'unreadable'],
  ]
  for (const [text, decimal, expected] of amounts)
    it(`${JSON.stringify(text)}${decimal === undefined ? '' : ` with ${decimal}`}`, () => {
      const read = readFrancs(text, decimal)
      const found = typeof read === 'string' ? read : read.isNegative ? -read.amount : read.amount
      assert.equal(found, expected)
    })

  it('is read back however it was written, without a franc more or less', () => {
    const grouped = (digits: string, group: string) =>
      digits.replaceAll(/\B(?=(\d{3})+$)/g, () => group)
    const written = fc.record({
      amount: fc.nat({ max: 999_999_999_999_999 }),
      style: fc.constantFrom(['', ''], [' ', ''], [' ', ',00'], ['.', ',00'], [',', '.00']),
      sign: fc.constantFrom(['', ''], ['-', ''], ['(', ')'], ['', '-'], ['', ' DR']),
    })
    fc.assert(
      fc.property(written, ({ amount, style: [group = '', cents = ''], sign: [a, b] }) => {
        const read = readFrancs(`${a}${grouped(String(amount), group)}${cents}${b}`)
        assert.deepEqual(read, { amount, isNegative: `${a}${b}` !== '' })
      }),
    )
  })
})

describe('a moment', () => {
  // format, time zone, text, moment
  const moments: [string, string, string, string | undefined][] = [
    ['dd/MM/yyyy HH:mm:ss', 'UTC', '16/11/2026 10:30:05', '2026-11-16T10:30:05.000Z'],
    ['dd/MM/yyyy HH:mm:ss', 'UTC', '16/11/2026  10:30:05', '2026-11-16T10:30:05.000Z'],
    ['dd/MM/yyyy HH:mm', 'Africa/Douala', '16/11/2026 00:30', '2026-11-15T23:30:00.000Z'],
    ['dd/MM/yyyy HH:mm', 'Africa/Abidjan', '16/11/2026 00:30', '2026-11-16T00:30:00.000Z'],
    ['dd/MM/yyyy', 'UTC', '16/11/2026', '2026-11-16T00:00:00.000Z'],
    ['MM/dd/yyyy', 'UTC', '11/16/2026', '2026-11-16T00:00:00.000Z'],
    ['d/M/yy', 'UTC', '6/1/26', '2026-01-06T00:00:00.000Z'],
    ['yyyy-MM-dd', 'UTC', '2026-11-16', '2026-11-16T00:00:00.000Z'],
    ['yyyyMMddHHmmss', 'UTC', '20261116103005', '2026-11-16T10:30:05.000Z'],
    ['dd-MMM-yyyy hh:mm a', 'UTC', '16-Nov-2026 12:05 AM', '2026-11-16T00:05:00.000Z'],
    ['dd MMM yyyy', 'UTC', '16 févr. 2026', '2026-02-16T00:00:00.000Z'],
    ['dd MMM yyyy', 'UTC', '16 août 2026', '2026-08-16T00:00:00.000Z'],
    ["dd/MM/yyyy 'à' HH:mm", 'UTC', '16/11/2026 à 10:30', '2026-11-16T10:30:00.000Z'],
    [
      'yyyy-MM-dd HH:mm:ss.SSSXXX',
      'UTC',
      '2026-11-16 10:30:00.250+0100',
      '2026-11-16T09:30:00.250Z',
    ],
    ['iso', 'Africa/Douala', '2026-11-16T10:30:00Z', '2026-11-16T10:30:00.000Z'],
    ['iso', 'UTC', '2026-11-16T10:30:00.123456+01:00', '2026-11-16T09:30:00.123Z'],
    ['iso', 'Africa/Douala', '2026-11-16 10:30', '2026-11-16T09:30:00.000Z'],
    ['excel', 'UTC', '46342.4375', '2026-11-16T10:30:00.000Z'],
    ['excel', 'UTC', '46342', '2026-11-16T00:00:00.000Z'],
    ['excel', 'Africa/Douala', '46342,4375', '2026-11-16T09:30:00.000Z'],
    // Clocks that are changed: an hour that comes twice is the second, and one is never shown.
    ['dd/MM/yyyy HH:mm', 'Europe/Paris', '25/10/2026 02:30', '2026-10-25T01:30:00.000Z'],
    ['dd/MM/yyyy HH:mm', 'Europe/Paris', '29/03/2026 02:30', undefined],
    ['dd/MM/yyyy', 'UTC', '11/16/2026', undefined],
    ['dd/MM/yyyy', 'UTC', '30/02/2026', undefined],
    ['dd/MM/yyyy', 'UTC', '6/1/2026', undefined],
    ['dd/MM/yyyy', 'UTC', '00/01/2026', undefined],
    ['dd/MM/yyyy', 'UTC', '16/11/0026', undefined],
    ['dd/MM/yyyy', 'UTC', '16/11/2026 10:30', undefined],
    ['dd/MM/yyyy HH:mm', 'UTC', '16/11/2026 24:00', undefined],
    ['hh:mm a dd/MM/yyyy', 'UTC', '13:00 PM 16/11/2026', undefined],
    ['iso', 'UTC', '2026-11-16', undefined],
    ['iso', 'UTC', '2026-12-31T24:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['iso', 'Africa/Douala', '2026-11-16T24:00:00.000', '2026-11-16T23:00:00.000Z'],
    ['iso', 'UTC', '2026-11-16T24:00:00.0001Z', undefined],
    ['iso', 'UTC', '2026-11-16T24:01:00Z', undefined],
    ['iso', 'UTC', '2026-11-16T10:30:60Z', undefined],
    ['iso', 'UTC', '2026-11-16T10:30:00.1234567890123Z', '2026-11-16T10:30:00.123Z'],
    ['iso', 'UTC', '2026-11-16T10:30:00+14:00', '2026-11-15T20:30:00.000Z'],
    ['iso', 'UTC', '2026-11-16T10:30:00-00:00', '2026-11-16T10:30:00.000Z'],
    ['iso', 'UTC', '2026-11-16T10:30:00+14:01', undefined],
    ['iso', 'UTC', '2026-11-16T10:30:00+01:60', undefined],
    ['iso', 'UTC', '2026-11-16T10:30:00+99:00', undefined],
    ['excel', 'UTC', '4634', undefined],
  ]
  for (const [format, zone, text, expected] of moments)
    it(`${text} as ${format} in ${zone}`, () => {
      assert.equal(momentReader([format], zone)(text)?.toISOString(), expected)
    })

  // Letters without a meaning, a part that is missing or comes twice, hours that may be two.
  const refused = ['dd/MM', 'DD/MM/YYYY', 'dd/MM/yyyy dd', 'dd/MM/yyyy hh:mm', 'x', '', 'MM/yyyy']
  for (const format of refused)
    it(`has no format ${format}`, () => {
      assert.equal(momentFormat(format), undefined)
    })

  it('has an example of each format that is read as such', () => {
    for (const format of ['dd/MM/yyyy HH:mm:ss', 'd-MMM-yy hh:mm a', 'iso', 'excel', 'yyyyMMdd']) {
      const read = momentReader([format], 'UTC')(exampleOf(format))
      assert.equal(read?.toISOString().slice(0, 10), '2026-11-16', format)
    }
  })
})

it('says in French all that can be wrong', () => {
  const missing = Object.values(sentences).filter((sentence) => !(sentence in french))
  assert.deepEqual(missing, [])
})
