import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isUuid, isUuidInAnyCase, newId, newIdVersion4, randomText } from './ids.ts'

const now = new Date('2026-01-15T10:00:00.000Z')

test('an id is a UUID of version 7', () => {
  for (let times = 0; times < 1000; times += 1)
    assert.match(
      newId(now),
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
})

test('an id of version 4 has the form of a UUID of version 4', () => {
  for (let times = 0; times < 1000; times += 1)
    assert.match(
      newIdVersion4(now),
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    )
})

test('an id of either version begins with its time in milliseconds', () => {
  for (const id of [newId(now), newIdVersion4(now)]) {
    const milliseconds = Number.parseInt(id.replace('-', '').slice(0, 12), 16)
    assert.equal(milliseconds, now.getTime())
  }
})

test('later ids sort after earlier ones', () => {
  const moment = fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(moment, moment, (one, other) => {
      fc.pre(one < other)
      assert.ok(newId(one) < newId(other))
    }),
  )
})

test('100,000 ids or random texts are all different', () => {
  const count = 100_000
  assert.equal(new Set(Array.from({ length: count }, () => newId(now))).size, count)
  assert.equal(new Set(Array.from({ length: count }, () => newIdVersion4(now))).size, count)
  assert.equal(new Set(Array.from({ length: count }, () => randomText(16))).size, count)
})

test('a random text decodes to as many bytes as asked for, and needs no escaping', () => {
  for (const bytes of [1, 16, 24, 32]) {
    const text = randomText(bytes)
    assert.equal(Buffer.from(text, 'base64url').length, bytes)
    assert.match(text, /^[\w-]+$/)
  }
})

test('a UUID is recognised in lower case, and in any case where that is asked for', () => {
  // text, in lower case, in any case
  const rows: [string, boolean, boolean][] = [
    [newId(now), true, true],
    [newId(now).toUpperCase(), false, true],
    ['00000000-0000-0000-0000-000000000000', true, true],
    ['', false, false],
    ['0000000-0000-0000-0000-000000000000', false, false],
    ['00000000-0000-0000-0000-0000000000000', false, false],
    ['00000000-0000-0000-0000-00000000000g', false, false],
    ['00000000000000000000000000000000', false, false],
    [`${newId(now)}\n`, false, false],
    [`{${newId(now)}}`, false, false],
  ]
  for (const [text, isLower, isAny] of rows)
    assert.deepEqual([isUuid(text), isUuidInAnyCase(text)], [isLower, isAny], text)
})
