import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { maskPhone } from './log.ts'

const logModule = new URL('./log.ts', import.meta.url).href

/** What a program that logs at `level` prints; it is a child process, whose output is the log. */
async function printed(level: string, statements: string): Promise<string> {
  const program = `
    import { openLog } from '${logModule}'
    const log = openLog('${level}')
    ${statements}`
  const run = promisify(execFile)
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program])
  return stdout
}

describe('a log', () => {
  it('hides secret fields at each of three depths, and no others', async () => {
    const names = [
      'authorization',
      'password',
      'secret',
      'secretKey',
      'apiKey',
      'otp',
      'token',
      'databaseUrl',
      'redisUrl',
      'smtpUrl',
    ]
    const secrets = Object.fromEntries(names.map((name) => [name, `hush ${name}`]))
    const fields = { ...secrets, request: { ...secrets, headers: { ...secrets, host: 'h' } } }
    const line = await printed('info', `log.info(${JSON.stringify(fields)}, 'hello')`)
    assert.doesNotMatch(line, /hush/)
    const hidden = Object.fromEntries(names.map((name) => [name, '[hidden]']))
    const { time, ...rest } = JSON.parse(line)
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.deepEqual(rest, {
      level: 'info',
      ...hidden,
      request: { ...hidden, headers: { ...hidden, host: 'h' } },
      msg: 'hello',
    })
  })

  it('writes an error with its stack', async () => {
    const line = await printed('info', `log.error({ err: new Error('broken') }, 'no')`)
    assert.match(JSON.parse(line).err.stack, /^Error: broken\n/)
  })

  it('writes nothing below its level', async () => {
    assert.equal(await printed('warn', `log.info('quiet')`), '')
    assert.equal(await printed('silent', `log.fatal('quiet')`), '')
  })
})

describe('maskPhone', () => {
  const scenarios: [string, string][] = [
    ['771234567', '77*****67'],
    ['221771234567', '22*****67'],
    ['1234', '****'],
    ['', '****'],
  ]
  for (const [phone, masked] of scenarios)
    it(`shows "${phone}" as ${masked}`, () => {
      assert.equal(maskPhone(phone), masked)
    })
})
