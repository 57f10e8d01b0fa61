import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { testDatabase } from '#test/database.ts'
import { isStorable, toStorable } from './storable-text.ts'

const { db } = await testDatabase()

describe('a storable text', () => {
  const rows: [text: string, isGood: boolean, stored: string][] = [
    ['', true, ''],
    ['été 😀', true, 'été 😀'],
    ['\u0001\u001f\u007f\u2028', true, '\u0001\u001f\u007f\u2028'],
    ['a\0b\0', false, 'ab'],
    ['\ud83d', false, '\ufffd'],
    ['a\ude00b', false, 'a\ufffdb'],
  ]
  for (const [text, isGood, stored] of rows)
    it(`${JSON.stringify(text)} is ${isGood ? '' : 'not '}one`, () => {
      assert.equal(isStorable(text), isGood)
      assert.equal(toStorable(text), stored)
      assert.ok(isStorable(stored))
    })

  it('comes back from PostgreSQL unchanged, whatever it was made from', async () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))
    await fc.assert(
      fc.asyncProperty(fc.string({ unit }), async (text) => {
        const [row] = await db<{ text: string }>`select ${toStorable(text)}::text as text`
        assert.equal(row?.text, toStorable(text))
      }),
    )
  })
})
