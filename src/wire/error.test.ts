import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Refusal, reason } from '../catalog/refusal.ts'
import { sentence, writeError } from './error.ts'
import { french } from './french.ts'

describe('a sentence', () => {
  const range = reason(
    '{field} must be a whole number from {min} to {max}',
    { min: 2, max: 3 },
    'a',
  )
  const scenarios: [name: string, ...Parameters<typeof sentence>, string][] = [
    ['is filled in', range, 'en', 'a must be a whole number from 2 to 3'],
    ['is filled in, in French', range, 'fr', 'a doit être un nombre entier de 2 à 3'],
    ['without French stays English', reason('Nobody wrote this'), 'fr', 'Nobody wrote this'],
    ['leaves unknown places alone', reason('{what} is it'), 'en', '{what} is it'],
    ['does not fill in what was filled in', reason('{a}{b}', { a: '{b}', b: 1 }), 'en', '{b}1'],
    ['takes dollars as they are', reason('{a}', { a: '$&$1' }), 'en', '$&$1'],
  ]
  for (const [name, one, language, text] of scenarios)
    it(name, () => assert.equal(sentence(one, language), text))

  it('has the same places in both languages', () => {
    const places = (text: string) => text.match(/\{\w+\}/g)?.sort() ?? []
    for (const [english, text] of Object.entries(french))
      assert.deepEqual(places(text), places(english), english)
  })
})

describe('the general error body', () => {
  const at = (...fields: string[]) =>
    fields.map((field) => reason('{field} is required', {}, field))
  const scenarios: [name: string, Refusal, code: string, param: string | undefined][] = [
    ['of one field', new Refusal('validation_failed', ...at('otp')), 'VALIDATION_FAILED', 'otp'],
    [
      'of the amount',
      new Refusal('validation_failed', ...at('amount')),
      'INVALID_AMOUNT',
      'amount',
    ],
    ['of the number', new Refusal('validation_failed', ...at('number')), 'INVALID_PHONE', 'number'],
    [
      'of two fields',
      new Refusal('validation_failed', ...at('amount', 'number')),
      'VALIDATION_FAILED',
      undefined,
    ],
    [
      'of one field twice',
      new Refusal('validation_failed', ...at('amount', 'amount')),
      'INVALID_AMOUNT',
      'amount',
    ],
    [
      'of a field and the whole',
      new Refusal('validation_failed', ...at('amount'), 'No'),
      'VALIDATION_FAILED',
      undefined,
    ],
    [
      'of a field called like a method',
      new Refusal('validation_failed', ...at('constructor')),
      'VALIDATION_FAILED',
      'constructor',
    ],
    ['of another kind', new Refusal('conflict', ...at('amount')), 'CONFLICT', 'amount'],
    ['of no field', new Refusal('not_found', 'No transaction found'), 'NOT_FOUND', undefined],
  ]
  for (const [name, refusal, code, param] of scenarios)
    it(`${name} has the code ${code}`, () => {
      const { message, ...rest } = writeError(refusal, 'en', 'req_1')
      assert.equal(message.length, refusal.reasons.length)
      const named = param === undefined ? {} : { param }
      assert.deepEqual(rest, { success: false, code, ...named, requestId: 'req_1' })
    })
})
