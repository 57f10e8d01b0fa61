import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dayOf, endOfDay, isDay, isDayAndTime, startOfDay } from './zoned-days.ts'

describe('a day', () => {
  // day, zone, when it begins, when it ends
  const table: [day: string, zone: string, from: string, to: string][] = [
    ['2026-11-16', 'Africa/Dakar', '2026-11-16T00:00:00Z', '2026-11-17T00:00:00Z'],
    ['2026-11-16', 'Africa/Douala', '2026-11-15T23:00:00Z', '2026-11-16T23:00:00Z'],
    ['2026-12-31', 'Asia/Kolkata', '2026-12-30T18:30:00Z', '2026-12-31T18:30:00Z'],
    ['2026-03-29', 'Europe/Paris', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    ['2026-10-25', 'Europe/Paris', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    ['2026-11-01', 'America/New_York', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z'],
  ]
  for (const [day, zone, from, to] of table)
    it(`${day} in ${zone} is from ${from} to ${to}`, () => {
      assert.deepEqual(startOfDay(day, zone), new Date(from))
      assert.deepEqual(endOfDay(day, zone), new Date(to))
    })

  for (const [text, isReal] of [
    ['2026-11-16', true],
    ['2024-02-29', true],
    ['2026-02-29', false],
    ['2026-13-01', false],
    ['26-11-16', false],
    ['0026-11-16', false],
    ['2026-11-16T00:00', false],
    ['', false],
  ] as const)
    it(`'${text}' ${isReal ? 'is one' : 'is none'}`, () => assert.equal(isDay(text), isReal))
})

it('the day of a moment is that of the clocks of its zone', () => {
  const moment = new Date('2026-11-15T23:30:00Z')
  assert.equal(dayOf(moment, 'Africa/Douala'), '2026-11-16')
  assert.equal(dayOf(moment, 'Africa/Dakar'), '2026-11-15')
})

it('a day and a time without a zone are told from what is none', () => {
  for (const text of ['2026-11-16T00:00', '2024-02-29T23:59'])
    assert.equal(isDayAndTime(text), true, text)
  for (const text of [
    '2026-02-29T10:00',
    '2026-13-01T10:00',
    '0026-11-16T10:00',
    '2026-11-16T24:00',
    '2026-11-16T10:60',
    '2026-11-16',
    '2026-11-16T10:00Z',
    '',
  ])
    assert.equal(isDayAndTime(text), false, text)
})
