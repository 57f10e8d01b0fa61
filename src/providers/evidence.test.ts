import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import fc from 'fast-check'
import { wholeAmount } from './answers.ts'
import { evidenceOf } from './evidence.ts'
import type { Reply } from './http.ts'
import { internationalPhone, nationalPhone } from './phone.ts'
import { ourReference, readOurReference } from './protocol.ts'

const about = { phone: '771234567', callbackUrl: 'https://gw.example/callbacks/gsma/7/id/c0de' }
const excerptOf = (body: string) =>
  evidenceOf({ kind: 'answered', status: 200, headers: {}, body }, about).excerpt

describe('evidence', () => {
  // name, what the provider wrote, what is kept
  const scenarios: [string, string, string | undefined][] = [
    ['keeps words', '{"status":"FAILED","code":"X"}', '{"status":"FAILED","code":"X"}'],
    ['keeps amounts', '{"amount":"1000000"}', '{"amount":"1000000"}'],
    ['keeps dates', '{"at":"2026-01-15T10:00:00Z"}', '{"at":"2026-01-15T10:00:00Z"}'],
    ['masks the phone', '{"p":"771234567"}', '{"p":"77*****67"}'],
    ['masks it abroad', '{"p":"+221771234567"}', '{"p":"+77*****67"}'],
    ['masks it in groups', 'call 77 123 45 67 now', 'call 77*****67 now'],
    ['masks any other phone', 'call +2250700000001', 'call +2*****01'],
    ['masks tokens', '{"access_token":"abc.def","n":1}', '{"access_token":"***","n":1}'],
    ['masks a token that is cut', `{"token":"${'x'.repeat(2000)}`, '{"token":"***"'],
    ['masks bearers', 'Authorization: Bearer abc.def', 'Authorization: Bearer ***'],
    ['masks recharge codes', 'code 1234-5678-9012-3456-7890', 'code ****'],
    ['masks our own address', `{"u":"${about.callbackUrl}"}`, '{"u":"[callback address]"}'],
    ['drops what a database cannot keep', 'a\0b', 'ab'],
    ['has nothing to keep', '', undefined],
  ]
  for (const [name, body, kept] of scenarios)
    it(name, () => {
      assert.equal(excerptOf(body), kept)
    })

  it('never holds the phone, nor more than 500 characters', () => {
    const noise = fc.string({ maxLength: 1200 })
    fc.assert(
      fc.property(noise, noise, (before, behind) => {
        const excerpt = excerptOf(`${before}${about.phone}${behind}`) ?? ''
        assert.ok(!excerpt.includes(about.phone))
        assert.ok(excerpt.length <= 500)
      }),
    )
  })

  const digit = fc.nat({ max: 9 }).map(String)
  const pieces = fc.oneof(digit, digit, fc.constantFrom(' ', '-', '.', '+', 'a', '"'))

  it('leaves no number that could be a phone or a code, wherever it stands', () => {
    const texts = fc.array(pieces, { maxLength: 80 }).map((list) => list.join(''))
    fc.assert(
      fc.property(texts, (text) => {
        const excerpt = excerptOf(text) ?? ''
        assert.doesNotMatch(excerpt, /\d{8}/)
        assert.doesNotMatch(excerpt, /\d(?:[ -]?\d){15}/)
      }),
      { numRuns: 500 },
    )
  })

  it('leaves short numbers and all other words as they are', () => {
    const short = fc.stringMatching(/^\+?\d{1,7}$/)
    const word = fc.constantFrom('a', '", "', ': ', '+', 'T')
    fc.assert(
      fc.property(fc.array(fc.tuple(short, word), { maxLength: 30 }), (pairs) => {
        const text = pairs.map(([number, behind]) => `${number}${behind}x`).join('')
        assert.equal(excerptOf(text) ?? '', text)
      }),
    )
  })

  it('masks secrets however they are written', () => {
    for (const name of ['Token', 'SECRET', 'passWord', 'authorisation', 'apiKey', 'api_key', 'PIN'])
      assert.equal(excerptOf(`{"my${name}s": "hidden"}`), `{"my${name}s":"***"}`)
    for (const scheme of ['bearer', 'BASIC'])
      assert.equal(excerptOf(`say ${scheme} hidden`), `say ${scheme} ***`)
  })

  it('is empty without an answer', () => {
    const lost: Reply = { kind: 'lost', reason: 'reset' }
    assert.deepEqual(evidenceOf(lost, about), {})
  })
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

test('numbers are dialled with their country, and in Côte d’Ivoire with their 0', () => {
  assert.equal(internationalPhone('SN', '771234567'), '221771234567')
  assert.equal(internationalPhone('ML', '701234567'), '223701234567')
  assert.equal(internationalPhone('CM', '671234567'), '237671234567')
  assert.equal(internationalPhone('CI', '701234567'), '2250701234567')
  assert.equal(nationalPhone('CI', '701234567'), '0701234567')
})

test('our reference comes back as it went, and nothing else is one', () => {
  const attempt = { clientId: 12, id: 'b1946ac9-2d5f-4e0e-8f5d-6f1f3a1c0001' }
  assert.deepEqual(readOurReference(ourReference(attempt)), attempt)
  const others = ['', '12', attempt.id, `-1.${attempt.id}`, `12.${attempt.id}x`, null, 12, {}]
  for (const text of others) assert.equal(readOurReference(text), null)
})
