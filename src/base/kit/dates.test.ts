import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatDateTime } from './dates.ts'

describe('formatDateTime', () => {
  const rows: [string, string, string][] = [
    ['2026-11-15T05:27:59.999Z', '15 novembre 2026 à 05:27 GMT', '15 November 2026 at 05:27 GMT'],
    ['2026-08-01T00:00:00Z', '1er août 2026 à 00:00 GMT', '1 August 2026 at 00:00 GMT'],
    ['2027-02-28T23:59:00Z', '28 février 2027 à 23:59 GMT', '28 February 2027 at 23:59 GMT'],
    ['2026-12-31T22:00:00-05:00', '1er janvier 2027 à 03:00 GMT', '1 January 2027 at 03:00 GMT'],
  ]
  for (const [moment, french, english] of rows)
    it(`writes ${moment} as ${french}, ${english}`, () => {
      assert.equal(formatDateTime(new Date(moment), 'fr'), french)
      assert.equal(formatDateTime(new Date(moment), 'en'), english)
    })
})
