import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isWholeDay, readTime } from './read-time.ts'

describe('a text is read as a time', () => {
  // text, the moment; undefined: it is refused
  const table: [text: string, expected: string | undefined][] = [
    ['2026-11-16', '2026-11-16T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31', '9999-12-31T00:00:00.000Z'],
    ['2026-11-16T08:30Z', '2026-11-16T08:30:00.000Z'],
    ['2026-11-16T08:30:15.123456789+01:00', '2026-11-16T07:30:15.123Z'],
    ['2026-11-16T23:30:00-05:30', '2026-11-17T05:00:00.000Z'],
    ['2026-13-01', undefined],
    ['2026-00-01', undefined],
    ['2026-12-32', undefined],
    ['2026-01-00', undefined],
    ['2026-02-29', undefined],
    ['2026-02-30T10:00:00Z', undefined],
    ['2026-13-01T10:00:00Z', undefined],
    ['2026-11-16T25:00:00Z', undefined],
    ['2026-11-16T10:60:00Z', undefined],
    ['2026-11-16T10:00:60Z', undefined],
    ['2026-11-16T10:00:00+99:00', undefined],
    ['2026-11-16T10:00:00+24:00', undefined],
    ['2026-11-16T10:00:00', undefined],
    ['2026-11-16 10:00:00Z', undefined],
    ['0000-01-01', undefined],
    ['0000-12-31T23:59:00-01:00', undefined],
    ['+002026-11-16', undefined],
    ['9999999-01-01', undefined],
    ['26-11-16', undefined],
    ['٢٠٢٦-11-16', undefined],
    ['2026-11-16\0', undefined],
    ['2026-11-16\n', undefined],
    ['', undefined],
  ]
  for (const [text, expected] of table)
    it(JSON.stringify(text), () => {
      assert.equal(readTime(text)?.toISOString(), expected)
      assert.equal(isWholeDay(text), expected !== undefined && text.length === 10)
    })
})
