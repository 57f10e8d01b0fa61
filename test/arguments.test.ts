import assert from 'node:assert/strict'
import { relative } from 'node:path'
import { describe, it } from 'node:test'
import { readArguments } from './arguments.ts'

describe('the command line of the tests', () => {
  // words, the files that run
  const runs: [string, string][] = [
    ['--only src/base/kit/money.test.ts', 'src/base/kit/money.test.ts'],
    [
      '--only src/merchants/clients/logo.test.ts src/merchants/clients/logo.test.ts',
      'src/merchants/clients/logo.test.ts',
    ],
    [
      '--only src/merchants/catalog src/data/postgres/../../base/kit/money.test.ts',
      'src/base/kit/money.test.ts',
    ],
  ]
  for (const [words, last] of runs)
    it(`${words} runs ${last}`, () => {
      const wanted = readArguments(words.split(' '))
      assert.ok(wanted.kind === 'run')
      assert.equal(relative('.', wanted.files.at(-1) ?? ''), last)
      assert.equal(new Set(wanted.files).size, wanted.files.length)
    })

  it('runs all tests in a folder and below', () => {
    const wanted = readArguments(['--only', 'src/doors/api'])
    assert.ok(wanted.kind === 'run')
    const files = wanted.files.map((file) => relative('.', file))
    assert.ok(files.includes('src/doors/api/v1/sub-merchant.test.ts'))
    assert.ok(files.includes('src/doors/api/v1/transaction/merchant/lookup.test.ts'))
    assert.ok(files.every((file) => file.startsWith('src/doors/api/')))
  })

  it('leaves files named *.slow.test.ts to test:slow, beside files that have sizes', () => {
    const filesOf = (...words: string[]) => {
      const wanted = readArguments(words)
      return wanted.kind === 'run' ? wanted.files.map((file) => relative('.', file)) : []
    }
    const [usual, slow, full] = [filesOf(), filesOf('--slow'), filesOf('--full')]
    const slowAlone = slow.filter((file) => file.endsWith('.slow.test.ts'))
    assert.ok(slowAlone.length > 0)
    assert.deepEqual(
      slow.filter((file) => !usual.includes(file)),
      slowAlone,
    )
    for (const file of ['src/money/transactions/crash.test.ts', 'test/sdk.test.ts'])
      assert.ok(slow.includes(file), file)
    assert.ok(!slow.includes('src/tidy.test.ts'))
    assert.ok(usual.includes('src/tidy.test.ts'))
    assert.ok(slow.every((file) => full.includes(file)))
    // Its commands have processes of their own at the full size alone.
    assert.ok(
      full.includes('src/program/cli/mail.test.ts') &&
        !slow.includes('src/program/cli/mail.test.ts'),
    )
  })

  // words, what is wrong
  const refused: [string, string | null][] = [
    ['--help', null],
    ['-h', null],
    ['--onyl src/base/kit', '--onyl is not an option'],
    ['src/base/kit/money.test.ts', 'src/base/kit/money.test.ts is not an option'],
    ['--only', 'Which tests?'],
    ['--only src/base/kit/nothing.test.ts', 'There are no tests at src/base/kit/nothing.test.ts'],
    ['--only src/base/kit/money.ts', 'There are no tests at src/base/kit/money.ts'],
    ['--slow migrations', 'There are no tests at migrations'],
  ]
  for (const [words, problem] of refused)
    it(`${words} runs nothing and shows the usage`, () =>
      assert.deepEqual(readArguments(words.split(' ')), { kind: 'usage', problem }))
})
