import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Language } from '#base/kit/language.ts'
import { chooseLanguage } from './language.ts'

describe('the language of a page', () => {
  // ?lang= of the address, language of the link, Accept-Language of the browser, result
  const rows: [unknown, Language | null, string | undefined, Language][] = [
    [undefined, null, undefined, 'fr'],
    ['en', 'fr', 'fr', 'en'],
    ['fr', 'en', 'en', 'fr'],
    ['de', 'en', 'fr', 'en'],
    [['en', 'fr'], null, undefined, 'fr'],
    ['EN', null, undefined, 'fr'],
    [undefined, 'en', 'fr', 'en'],
    [undefined, 'fr', 'en', 'fr'],
    [undefined, null, 'en', 'en'],
    [undefined, null, 'en-US,en;q=0.9', 'en'],
    [undefined, null, 'fr-SN,fr;q=0.9,en;q=0.8', 'fr'],
    [undefined, null, 'en-GB,en;q=0.9,fr;q=0.8', 'en'],
    [undefined, null, 'fr;q=0.8,en;q=0.9', 'en'],
    [undefined, null, 'fr,en', 'fr'],
    [undefined, null, 'en,fr', 'en'],
    [undefined, null, 'en;q=0', 'fr'],
    [undefined, null, 'en;q=2', 'fr'],
    [undefined, null, 'en;q=x', 'fr'],
    [undefined, null, 'wo', 'fr'],
    [undefined, null, 'ar,pt;q=0.9', 'fr'],
    [undefined, null, '*', 'fr'],
    [undefined, null, ',;,;;q=,', 'fr'],
    [undefined, null, `${'x,'.repeat(10_000)}en`, 'fr'],
  ]
  for (const [asked, ofLink, accepted, language] of rows)
    it(`?lang=${String(asked)}, link ${ofLink}, ${accepted?.slice(0, 40)}: ${language}`, () =>
      assert.equal(chooseLanguage(asked, ofLink, accepted), language))
})
