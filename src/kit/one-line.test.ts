import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { oneLine } from './one-line.ts'

describe('somebody else’s text on one line', () => {
  // name, text, longest, line
  const rows: [string, string, number, string][] = [
    ['is left alone', 'Sac en cuir, 2 pièces', 50, 'Sac en cuir, 2 pièces'],
    ['has no line ends', 'a\r\nb\nc\u2028d\u2029e\u0085f', 50, 'a b c d e f'],
    ['has no control characters', 'a\0b\u001b[31mc\u007f', 50, 'a b [31mc'],
    ['runs in one direction', 'photo\u202egpj.exe\u2066', 50, 'photo gpj.exe'],
    ['has no blanks around it', ' \t a \n', 50, 'a'],
    ['has no half characters', 'a\ud800b', 50, 'a\ufffdb'],
    ['may just fit', 'abcdef', 6, 'abcdef'],
    ['ends in an ellipsis when it is too long', 'abcdefg', 6, 'abcde…'],
    ['does not end in a blank before it', 'abcd efg', 6, 'abcd…'],
    ['is cut between characters', '👍👍👍👍', 3, '👍👍…'],
  ]
  for (const [name, text, longest, line] of rows)
    it(name, () => assert.equal(oneLine(text, longest), line))

  it('is one line, whatever it was', () => {
    const text = fc.string({ unit: 'binary', maxLength: 80 })
    fc.assert(
      fc.property(text, (one) => {
        const line = oneLine(one, 40)
        assert.doesNotMatch(line, /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u)
        assert.ok(Array.from(line).length <= 40 && line.isWellFormed())
      }),
    )
  })
})
