import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

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
