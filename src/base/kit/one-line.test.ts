import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { breaksLine, oneLine } from './one-line.ts'

describe('oneLine', () => {
  // name, text, longest, line
  const rows: [string, string, number, string][] = [
    ['leaves plain text alone', 'Sac en cuir, 2 pièces', 50, 'Sac en cuir, 2 pièces'],
    ['turns line ends into spaces', 'a\r\nb\nc\u2028d\u2029e\u0085f', 50, 'a b c d e f'],
    ['turns control characters into spaces', 'a\0b\u001b[31mc\u007f', 50, 'a b [31mc'],
    ['removes marks that change the direction', 'photo\u202egpj.exe\u2066', 50, 'photo gpj.exe'],
    ['trims', ' \t a \n', 50, 'a'],
    ['replaces half a surrogate pair', 'a\ud800b', 50, 'a\ufffdb'],
    ['keeps a text of exactly the longest length', 'abcdef', 6, 'abcdef'],
    ['ends a longer text in an ellipsis', 'abcdefg', 6, 'abcde…'],
    ['leaves no space before the ellipsis', 'abcd efg', 6, 'abcd…'],
    ['cuts between code points', '👍👍👍👍', 3, '👍👍…'],
  ]
  for (const [name, text, longest, line] of rows)
    it(name, () => assert.equal(oneLine(text, longest), line))

  it('makes one well-formed line of any text', () => {
    const text = fc.string({ unit: 'binary', maxLength: 80 })
    fc.assert(
      fc.property(text, (one) => {
        const line = oneLine(one, 40)
        assert.doesNotMatch(line, /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u)
        assert.ok(!breaksLine(line))
        assert.ok(Array.from(line).length <= 40 && line.isWellFormed())
      }),
    )
  })
})
