import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { errorCodes } from '#edge/wire/error-codes.ts'
import { errorTable } from './error-guide.ts'
import { statusOf } from './errors.ts'

describe('the list of error codes', () => {
  it('has every code there is, and no other', () => {
    const codes = Object.keys(statusOf).map((kind) => kind.toUpperCase())
    assert.deepEqual(Object.keys(errorCodes).sort(), [...codes, 'INTERNAL_ERROR'].sort())
  })

  for (const language of ['en', 'fr'] as const)
    it(`is a table with cause and cure of each (${language})`, () => {
      const rows = errorTable(language).split('\n').slice(2)
      for (const [code, texts] of Object.entries(errorCodes)) {
        const row = rows.find((one) => one.startsWith(`| \`${code}\` |`)) ?? ''
        const cells = row.split('|').map((cell) => cell.trim())
        assert.deepEqual(cells.slice(3, 5), texts[language])
        assert.match(cells[2] ?? '', /^[45]\d\d$/)
        assert.ok(texts[language].every((text) => text.length > 2))
      }
    })
})
