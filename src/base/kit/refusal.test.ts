import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillIn, Refusal, reason } from './refusal.ts'

test('the message of a refusal is its reasons with their values, joined', () => {
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

test('a placeholder is replaced once, and stays when it has no value', () => {
  assert.equal(fillIn('{a} {b} {a} {c}', { a: '{b}', b: 2 }), '{b} 2 {b} {c}')
})
