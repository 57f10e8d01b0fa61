import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillIn, Refusal, reason } from './refusal.ts'

test('a refusal joins its reasons, filled in', () => {
  const refusal = new Refusal(
    'validation_failed',
    'No',
    reason('{code} costs {fee}', { code: 'A', fee: 0 }, 'code'),
  )
  assert.equal(refusal.message, 'No; A costs 0')
  assert.equal(refusal.kind, 'validation_failed')
  assert.deepEqual(refusal.reasons, [
    { text: 'No', values: {} },
    { text: '{code} costs {fee}', values: { code: 'A', fee: 0 }, field: 'code' },
  ])
})

test('places are filled once, and only those that have a value', () => {
  assert.equal(fillIn('{a} {b} {a} {c}', { a: '{b}', b: 2 }), '{b} 2 {b} {c}')
})
