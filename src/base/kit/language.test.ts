import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Language, readAcceptLanguage } from './language.ts'

// the header, the answer of the API
const answers: [header: string | undefined, language: Language][] = [
  [undefined, 'en'],
  ['', 'en'],
  ['fr', 'fr'],
  ['FR', 'fr'],
  ['fr-SN', 'fr'],
  ['fr-FR,fr;q=0.9,en-US;q=0.8,en;q=0.7', 'fr'],
  ['en-GB,en;q=0.9,fr;q=0.8', 'en'],
  ['fr;q=0.4, en;q=0.5', 'en'],
  ['fr;q=0.5,en;q=0.4', 'fr'],
  ['fr ; q=0.5 , en ; q=0.4', 'fr'],
  ['fr, en', 'en'],
  ['wo, fr;q=0.3', 'fr'],
  ['fr;q=0', 'en'],
  ['fr;q=', 'en'],
  ['fr;q=high', 'en'],
  ['fr;level=1;q=0.9,en;q=0.1', 'fr'],
  ['*', 'en'],
  ['de', 'en'],
  ['frr', 'en'],
  ['af-fr', 'en'],
  [',;,=,;q=1', 'en'],
  [`${'x,'.repeat(5000)}fr`, 'fr'],
]

describe('Accept-Language with English as the fallback, also for a tie', () => {
  for (const [header, language] of answers)
    it(`${JSON.stringify(header)?.slice(0, 60) ?? 'no header'} is ${language}`, () =>
      assert.equal(readAcceptLanguage(header, { fallback: 'en', tie: 'fallback' }), language))
})

// the header, the language of the payment page
const pages: [header: string | undefined, language: Language][] = [
  [undefined, 'fr'],
  ['', 'fr'],
  ['fr, en', 'fr'],
  ['en, fr', 'en'],
  ['en;q=0.5, fr, en', 'fr'],
  ['fr;q=0.5, en, fr', 'en'],
  ['en;q=0.5, fr;q=0.5', 'en'],
  ['en;q=0, fr;q=0', 'fr'],
  ['en;q=2', 'fr'],
  ['en;q=-1', 'fr'],
  ['en;q=1.000', 'en'],
  ['de', 'fr'],
]

describe('Accept-Language with French as the fallback, and the first of a tie', () => {
  for (const [header, language] of pages)
    it(`${JSON.stringify(header) ?? 'no header'} is ${language}`, () =>
      assert.equal(readAcceptLanguage(header, { fallback: 'fr', tie: 'first' }), language))
})
