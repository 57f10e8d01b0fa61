import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ourReference, readOurReference } from './our-reference.ts'

test('our reference is read back as its attempt, and any other text is not', () => {
  const attempt = { clientId: 12, id: 'b1946ac9-2d5f-4e0e-8f5d-6f1f3a1c0001' }
  assert.deepEqual(readOurReference(ourReference(attempt)), attempt)
  const others = ['', '12', attempt.id, `-1.${attempt.id}`, `12.${attempt.id}x`, null, 12, {}]
  for (const text of others) assert.equal(readOurReference(text), null)
})
