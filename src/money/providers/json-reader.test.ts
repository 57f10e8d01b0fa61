import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Type } from 'typebox'
import { jsonReader, wholeAmount } from './json-reader.ts'

test('readers return what JSON.parse returns, whichever texts were read before', () => {
  const readAny = jsonReader(Type.Unknown())
  const readObject = jsonReader(Type.Object({}))
  const isObject = (value: unknown) => typeof value === 'object' && value !== null
  const bodies = fc.array(fc.json({ stringUnit: 'grapheme' }), { maxLength: 5 })
  fc.assert(
    fc.property(bodies, (list) => {
      for (const body of [...list, ...list.toReversed()]) {
        const value: unknown = JSON.parse(body)
        assert.deepEqual(readAny(body), value)
        const isPlain = isObject(value) && !Array.isArray(value)
        assert.deepEqual(readObject(body), isPlain ? value : undefined)
      }
    }),
  )
})

test('a text with NUL or a lone surrogate is not read, a surrogate pair is', () => {
  const read = jsonReader(Type.String())
  for (const body of ['"\\u0000"', '"a\\ud83c"', '"\\ude00\\ud83d"', '"\\\\\\u0000"'])
    assert.equal(read(body), undefined, body)
  assert.equal(read('"\\ud83d\\ude00"'), '😀')
  assert.equal(read('"\\\\u0000"'), '\\u0000')
})

test('amounts are whole francs or nothing', () => {
  const good: [unknown, number][] = [
    [200, 200],
    ['200', 200],
    ['200.00', 200],
    ['200.0', 200],
    [0, 0],
    ['1000000', 1_000_000],
  ]
  for (const [value, amount] of good) assert.equal(wholeAmount(value), amount)
  const bad = [200.5, '200.5', '200.50', '-200', -200, '2e3', '0x10', ' 200', '', null, undefined]
  for (const value of [...bad, true, [], {}, Number.NaN, 1e21, '٢٠٠', '9'.repeat(16)])
    assert.equal(wholeAmount(value), undefined, JSON.stringify(value))
})
