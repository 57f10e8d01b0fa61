import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { batchSteps } from '#backoffice/batches/transitions.ts'
import { caseTransitions } from '#backoffice/recon/cases/move-case.ts'
import { Refusal, reason } from '#base/kit/refusal.ts'
import { sentence, writeError } from './error.ts'
import { french } from './french.ts'

describe('the sentence of a reason', () => {
  const range = reason(
    '{field} must be a whole number from {min} to {max}',
    { min: 2, max: 3 },
    'a',
  )
  const scenarios: [name: string, ...Parameters<typeof sentence>, string][] = [
    ['gets its values filled in', range, 'en', 'a must be a whole number from 2 to 3'],
    ['gets its values filled in, in French', range, 'fr', 'a doit être un nombre entier de 2 à 3'],
    [
      'stays English where no French is known',
      reason('Nobody wrote this'),
      'fr',
      'Nobody wrote this',
    ],
    ['keeps a placeholder that has no value', reason('{what} is it'), 'en', '{what} is it'],
    [
      'does not replace placeholders inside values',
      reason('{a}{b}', { a: '{b}', b: 1 }),
      'en',
      '{b}1',
    ],
    ['takes dollar signs in values literally', reason('{a}', { a: '$&$1' }), 'en', '$&$1'],
  ]
  for (const [name, one, language, text] of scenarios)
    it(name, () => assert.equal(sentence(one, language), text))

  const states = [
    ...batchSteps.states,
    ...caseTransitions.flatMap(([from, , to]) => [from, to]),
    'approved',
    'refused',
    'expired',
  ]
  for (const state of new Set(states))
    it(`says in French that something is ${state}`, () => {
      const text = 'The batch is {state}: this is possible only while it is {states}'
      const said = sentence(reason(text, { state, states: `${state}, draft` }), 'fr')
      assert.doesNotMatch(said, new RegExp(`\\b${state}\\b|draft`))
    })

  it('every French sentence has the placeholders of its English one', () => {
    const placeholders = (text: string) => text.match(/\{\w+\}/g)?.sort() ?? []
    for (const [english, text] of Object.entries(french))
      assert.deepEqual(placeholders(text), placeholders(english), english)
  })
})

describe('the general error body', () => {
  const at = (...fields: string[]) =>
    fields.map((field) => reason('{field} is required', {}, field))
  const scenarios: [name: string, Refusal, code: string, param: string | undefined][] = [
    [
      'an error in one field',
      new Refusal('validation_failed', ...at('otp')),
      'VALIDATION_FAILED',
      'otp',
    ],
    [
      'an error in the amount',
      new Refusal('validation_failed', ...at('amount')),
      'INVALID_AMOUNT',
      'amount',
    ],
    [
      'an error in the number',
      new Refusal('validation_failed', ...at('number')),
      'INVALID_PHONE',
      'number',
    ],
    [
      'errors in two fields',
      new Refusal('validation_failed', ...at('amount', 'number')),
      'VALIDATION_FAILED',
      undefined,
    ],
    [
      'two errors in one field',
      new Refusal('validation_failed', ...at('amount', 'amount')),
      'INVALID_AMOUNT',
      'amount',
    ],
    [
      'an error in a field and one in the whole body',
      new Refusal('validation_failed', ...at('amount'), 'No'),
      'VALIDATION_FAILED',
      undefined,
    ],
    [
      'an error in a field called like a method',
      new Refusal('validation_failed', ...at('constructor')),
      'VALIDATION_FAILED',
      'constructor',
    ],
    [
      'a refusal that is no validation error',
      new Refusal('conflict', ...at('amount')),
      'CONFLICT',
      'amount',
    ],
    [
      'a refusal without a field',
      new Refusal('not_found', 'No transaction found'),
      'NOT_FOUND',
      undefined,
    ],
  ]
  for (const [name, refusal, code, param] of scenarios)
    it(`${name} has the code ${code}`, () => {
      const { message, params, ...rest } = writeError(refusal, 'en', 'req_1')
      assert.equal(message.length, refusal.reasons.length)
      const fields = refusal.reasons.map(({ field }) => field ?? '')
      assert.deepEqual(params, refusal.kind === 'validation_failed' ? fields : undefined)
      const named = param === undefined ? {} : { param }
      assert.deepEqual(rest, { success: false, code, ...named, requestId: 'req_1' })
    })
})
