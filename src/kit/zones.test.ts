import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addDays, dayOf, isDay, startOfDay } from './zones.ts'

describe('a day in a zone', () => {
  for (const [day, zone, begins] of [
    ['2026-11-16', 'Africa/Dakar', '2026-11-16T00:00:00.000Z'],
    ['2026-11-16', 'Africa/Douala', '2026-11-15T23:00:00.000Z'],
    // Days on which clocks change, elsewhere.
    ['2026-03-29', 'Europe/Paris', '2026-03-28T23:00:00.000Z'],
    ['2026-03-30', 'Europe/Paris', '2026-03-29T22:00:00.000Z'],
    ['2026-10-25', 'Europe/Paris', '2026-10-24T22:00:00.000Z'],
    ['2026-11-01', 'America/New_York', '2026-11-01T04:00:00.000Z'],
  ] as const)
    it(`${day} begins in ${zone} at ${begins}`, () => {
      assert.equal(startOfDay(day, zone).toISOString(), begins)
      assert.equal(dayOf(startOfDay(day, zone), zone), day)
    })

  it('is that of the wall clock', () => {
    assert.equal(dayOf(new Date('2026-11-15T23:30:00Z'), 'Africa/Douala'), '2026-11-16')
    assert.equal(dayOf(new Date('2026-11-15T23:30:00Z'), 'Africa/Dakar'), '2026-11-15')
  })

  it('can be counted from', () => {
    assert.equal(addDays('2026-02-28', 1), '2026-03-01')
    assert.equal(addDays('2026-01-01', -1), '2025-12-31')
  })

  for (const [text, expected] of [
    ['2026-02-28', true],
    ['2026-02-30', false],
    ['2026-13-01', false],
    ['16/11/2026', false],
    ['', false],
  ] as const)
    it(`${text || 'nothing'} is ${expected ? '' : 'no '}day`, () =>
      assert.equal(isDay(text), expected))
})
