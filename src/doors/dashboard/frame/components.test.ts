import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countText, dayText, instant, phone } from './components.ts'

const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')

describe('words for figures', () => {
  // how many, at most counted, in French, in English
  const counts: [number, number, string, string][] = [
    [0, 20, '0', '0'],
    [19, 20, '19', '19'],
    [20, 20, '20 et plus', '20 and more'],
    [1000, 1000, '1 000 et plus', '1 000 and more'],
  ]
  for (const [count, max, french, english] of counts)
    it(`says of ${count}, of which ${max} are counted, ${french}`, () => {
      assert.equal(plain(countText('fr', count, max)), french)
      assert.equal(plain(countText('en', count, max)), english)
    })

  it('writes days as people do', () => {
    assert.equal(dayText('fr', '2026-10-01'), '1er octobre 2026')
    assert.equal(dayText('en', '2026-10-31'), '31 October 2026')
  })

  it('writes instants to the second', () => {
    const visit = { zone: 'Africa/Douala', language: 'fr' } as const
    assert.match(String(instant(visit, new Date('2026-11-18T17:03:09Z'))), /18:03:09/)
  })

  // number, service, as it is written for those who may read it
  const numbers: [string, string, string][] = [
    ['771234567', 'WALLETA_SN_CASHOUT', '77 123 45 67'],
    ['712345678', 'WALLETA_CI_CASHIN', '07 12 34 56 78'],
    ['123456789', 'WATER_SN_BILL', '123456789'],
    ['anon-abcdefghijklmnop', 'WALLETA_SN_CASHOUT', 'anon-abcdefghijklmnop'],
  ]
  for (const [number, serviceCode, written] of numbers)
    it(`writes ${number} of ${serviceCode} as ${written}`, () =>
      assert.equal(plain(phone({ may: () => true }, number, serviceCode)), written))

  it('hides numbers from who may not read them', () =>
    assert.equal(phone({ may: () => false }, '771234567', 'WALLETA_SN_CASHOUT'), '••••••67'))
})
