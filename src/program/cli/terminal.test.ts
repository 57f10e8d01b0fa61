import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it, test } from 'node:test'
import { printable } from './terminal.ts'

const isRoot = process.getuid?.() === 0

test('an account without a name is told by its number', {
  skip: isRoot ? false : 'not root',
}, () => {
  const terminal = new URL('terminal.ts', import.meta.url).href
  const script = `import { actor } from '${terminal}'; process.stdout.write(actor())`
  const words = ['--input-type=module', '--eval', script]
  const account = { uid: 54_321, gid: 54_321, cwd: '/', encoding: 'utf8' } as const
  assert.equal(execFileSync(process.execPath, words, account), 'cli:54321')
})

describe('a text that others have written', () => {
  // what is written, what is shown
  const rows: [name: string, text: string, shown: string][] = [
    ['of several lines and columns', 'a\tb\nc', 'a\tb\nc'],
    ['that erases the line before it', 'ok\u001b[1A\u001b[2K', 'ok\\u001b[1A\\u001b[2K'],
    ['that hides what follows', '\u001b[8mhidden', '\\u001b[8mhidden'],
    ['that begins the line anew', 'refused\rpaid', 'refused\\u000dpaid'],
    ['that sets the title of the window', '\u001b]0;x\u0007', '\\u001b]0;x\\u0007'],
    ['with a control character of one byte', '\u009b2J', '\\u009b2J'],
    ['that turns the direction round', 'a\u202eb', 'a\\u202eb'],
    ['in bold and in a colour of ours', '\u001b[1ma\u001b[22m\u001b[32mb\u001b[39m', ''],
    ['in any language', 'Épicerie «\u00a0Thiès\u00a0» 漢字 😀', ''],
  ]
  for (const [name, text, shown] of rows)
    it(`${name} cannot steer the terminal`, () => assert.equal(printable(text), shown || text))

  it('stays the same JSON', () => {
    const value = { name: 'a\u009b2J\u202e\u001b[2K' }
    const written = printable(JSON.stringify(value, null, 2))
    assert.doesNotMatch(written.replaceAll('\n', ''), /[\p{Cc}\u202e]/u)
    assert.deepEqual(JSON.parse(written), value)
  })
})
