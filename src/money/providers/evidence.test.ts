import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { evidenceOf } from './evidence.ts'
import type { Reply } from './http-client.ts'

const about = { phone: '771234567', callbackUrl: 'https://gw.example/callbacks/gsma/7/id/c0de' }
const excerptOf = (body: string) =>
  evidenceOf({ kind: 'answered', status: 200, headers: {}, body }, about).excerpt

describe('evidence', () => {
  // name, body of the answer, excerpt
  const scenarios: [string, string, string | undefined][] = [
    ['keeps status and code', '{"status":"FAILED","code":"X"}', '{"status":"FAILED","code":"X"}'],
    ['keeps amounts', '{"amount":"1000000"}', '{"amount":"1000000"}'],
    ['keeps dates', '{"at":"2026-01-15T10:00:00Z"}', '{"at":"2026-01-15T10:00:00Z"}'],
    ['masks the phone', '{"p":"771234567"}', '{"p":"••••••67"}'],
    ['masks the phone with its country code', '{"p":"+221771234567"}', '{"p":"••••••67"}'],
    ['masks the phone in groups', 'call 77 123 45 67 now', 'call ••••••67 now'],
    ['masks any other phone', 'call +2250700000001', 'call ••••••01'],
    ['masks tokens', '{"access_token":"abc.def","n":1}', '{"access_token":"***","n":1}'],
    ['masks a token whose end is cut off', `{"token":"${'x'.repeat(2000)}`, '{"token":"***"'],
    ['masks bearer tokens', 'Authorization: Bearer abc.def', 'Authorization: Bearer ***'],
    ['masks recharge codes', 'code 1234-5678-9012-3456-7890', 'code ****'],
    ['masks the callback URL', `{"u":"${about.callbackUrl}"}`, '{"u":"[callback address]"}'],
    ['drops NUL, which PostgreSQL cannot store', 'a\0b', 'ab'],
    ['has no excerpt of an empty body', '', undefined],
  ]
  for (const [name, body, kept] of scenarios)
    it(name, () => {
      assert.equal(excerptOf(body), kept)
    })

  it('never contains the phone number, nor more than 500 characters', () => {
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

  it('contains no number as long as a phone number or a recharge code', () => {
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

  it('leaves short numbers and all other text unchanged', () => {
    const short = fc.stringMatching(/^\+?\d{1,7}$/)
    const word = fc.constantFrom('a', '", "', ': ', '+', 'T')
    fc.assert(
      fc.property(fc.array(fc.tuple(short, word), { maxLength: 30 }), (pairs) => {
        const text = pairs.map(([number, behind]) => `${number}${behind}x`).join('')
        assert.equal(excerptOf(text) ?? '', text)
      }),
    )
  })

  it('masks secrets in upper and lower case', () => {
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
