import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { maskPhone } from '#base/sealing/mask-phone.ts'
import { maskSecrets } from './masking.ts'

const phone = '771234567'

/** The plain version: every pattern over the whole text, without looking first. */
function maskPlainly(text: string): string {
  const names = 'token|secret|password|authori[sz]ation|api_?key|pin'
  const field = `"([^"]*(?:${names})[^"]*)"\\s*:\\s*"(?:[^"\\\\]|\\\\.)*("|$)`
  return text
    .replaceAll(new RegExp(field, 'gi'), '"$1":"***"')
    .replaceAll(/\b(Bearer|Basic)\s+[^\s"]+/gi, '$1 ***')
    .replaceAll(/\d(?:[ -]?\d){15,}/g, '****')
    .replaceAll(/\+?\d(?:[ .-]?\d){8,}/g, (grouped) =>
      grouped.replaceAll(/\D/g, '').includes(phone) ? maskPhone(phone) : grouped,
    )
    .replaceAll(/\+?\d{8,15}/g, maskPhone)
}

const digit = fc.nat({ max: 9 }).map(String)
const separator = fc.constantFrom(' ', '-', '.', '+', 'a', '"', ',', '\n')
const word = fc.constantFrom(
  phone,
  '77 123 45 67',
  '+221771234567',
  '2026-01-15T10:00:00.000Z',
  '1234-5678-9012-3456-7890',
  '"access_token":"abc',
  '"Secret" : "a\\"b"',
  'Bearer abc.def ',
  'basic x',
  'pin',
)

test('masks exactly what the plain version masks', () => {
  const pieces = fc.oneof({ weight: 4, arbitrary: digit }, separator, word)
  const texts = fc.array(pieces, { maxLength: 80 }).map((list) => list.join(''))
  fc.assert(
    fc.property(texts, (text) => {
      assert.equal(maskSecrets(text, phone), maskPlainly(text))
    }),
    { numRuns: 2000 },
  )
})
