import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openXmlTextReader } from './read-xml.ts'
import { TableProblem } from './table.ts'

const malformed = (why: string) => new TableProblem('It cannot be read: {why}', { why })

/** What an XML text is refused for; undefined: it is read. */
function refusalOf(text: string, tagsMax?: number): string | undefined {
  const reader = openXmlTextReader({ open: () => {} }, malformed, tagsMax)
  try {
    for (let at = 0; at < text.length; at += 100) reader.take(text.slice(at, at + 100))
    reader.finish()
    return undefined
  } catch (problem) {
    assert.ok(problem instanceof TableProblem)
    return String(problem.values.why)
  }
}

describe('an XML text', () => {
  const tags = (count: number) => `<a>${'<b/>'.repeat(count - 1)}</a>`

  it('is read up to so many tags, whatever they tell', () => {
    assert.equal(refusalOf(tags(1000), 1000), undefined)
    assert.equal(refusalOf(tags(1001), 1000), 'it has over 1000 tags')
    assert.equal(refusalOf(tags(5000)), undefined)
  })
})
