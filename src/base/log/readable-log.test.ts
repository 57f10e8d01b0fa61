import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { missing } from '#test/needs.ts'
import { runShell } from '#test/program.ts'
import { readableLine } from './readable-log.ts'

const start = { time: '2026-01-15T10:00:01.234Z', level: 'info' }

describe('a line of the log for people', () => {
  // name, line, text
  const scenarios: [string, object, string][] = [
    ['has time, level and sentence', { msg: 'hello' }, '10:00:01.234 INFO  hello\n'],
    [
      'has fields',
      { status: 201, keyId: 'a-b', msg: 'x' },
      '10:00:01.234 INFO  x status=201 keyId=a-b\n',
    ],
    [
      'quotes texts with spaces',
      { why: 'a "b"', msg: 'x' },
      '10:00:01.234 INFO  x why="a \\"b\\""\n',
    ],
    [
      'shows objects on one line',
      { at: { a: [1] }, msg: 'x' },
      '10:00:01.234 INFO  x at={ a: [ 1 ] }\n',
    ],
    ['needs no sentence', { a: null }, '10:00:01.234 INFO  a=null\n'],
    [
      'has the stack of an error below',
      {
        level: 'error',
        err: { type: 'Error', message: 'no', stack: 'Error: no\n    at here' },
        msg: 'x',
      },
      '10:00:01.234 ERROR x\n    Error: no\n        at here\n',
    ],
    [
      'lets nobody write to the terminal or forge a line',
      { name: 'a\u001b[2J\nb', msg: 'x\u009b2J\r\ny', err: { stack: 'E\u0007' } },
      '10:00:01.234 INFO  x\\u009b2J\\u000d\\u000ay name="a\\u001b[2J\\nb"\n    E\\u0007\n',
    ],
  ]
  for (const [name, line, text] of scenarios)
    it(name, () => assert.equal(readableLine(JSON.stringify({ ...start, ...line }), false), text))

  it('is coloured by its level where the terminal has colours', () => {
    const warning = JSON.stringify({ ...start, level: 'warn', msg: 'x' })
    assert.equal(readableLine(warning, true), '10:00:01.234 \u001b[33mWARN \u001b[0m x\n')
  })
})

describe('a log on a terminal', { skip: missing('script') }, () => {
  const module = new URL('./log.ts', import.meta.url).href

  /** What a program that logs prints on a pseudo-terminal, or through a pipe. */
  async function printed(options: string, isPiped: boolean): Promise<string> {
    const log = `openLog('info', ${options})`
    const line = "info({ secret: 's', a: 1 }, 'hello')"
    const program = `import { openLog } from '${module}'; ${log}.${line}`
    const command = `'${process.execPath}' --input-type=module -e "${program}"`
    const quoted = command.replaceAll('"', '\\"')
    const script = `script --quiet --return --command "${quoted}" /dev/null`
    const { code, stdout, stderr } = await runShell(isPiped ? command : script, { NO_COLOR: '1' })
    assert.equal(code, 0, stderr)
    return stdout
  }

  it('is for people only where it may be', async () => {
    const [asked, plain, piped] = await Promise.all([
      printed('{ forPeople: true }', false),
      printed('{}', false),
      printed('{ forPeople: true }', true),
    ])
    assert.match(asked, /^\d\d:\d\d:\d\d\.\d{3} INFO {2}hello secret="\[hidden\]" a=1\r\n$/)
    for (const json of [plain, piped]) {
      const { msg, secret, a } = JSON.parse(json)
      assert.deepEqual({ msg, secret, a }, { msg: 'hello', secret: '[hidden]', a: 1 })
    }
  })
})
