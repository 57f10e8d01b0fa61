import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { it } from 'node:test'

const program = `
import { missing, missingHere } from '${new URL('needs.ts', import.meta.url).href}'
console.log(JSON.stringify([missing('curl', 'python3'), missing(), missingHere()]))`

it('without a program its tests are left out, and a run begins with its name', () => {
  const words = ['--input-type=module', '--eval', program]
  const text = execFileSync(process.execPath, words, {
    env: { PATH: '/nowhere' },
    encoding: 'utf8',
  })
  const [why, none, sentence] = JSON.parse(text)
  assert.equal(why, 'without curl and python3')
  assert.equal(none, false)
  assert.match(sentence, /^Not here, so that tests with them are skipped: curl, debootstrap \(/)
  assert.match(sentence, /, php \(php-cli and php-curl\), /)
  assert.doesNotMatch(sentence, /\n/)
})
