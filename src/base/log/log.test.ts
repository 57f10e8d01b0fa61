import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'

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

describe('a log that cannot be written', { skip: process.platform !== 'linux' }, () => {
  // 2 MiB, then another line; on standard error how many lines were dropped.
  const program = `
    import { droppedLogLines, openLog } from '${logModule}'
    const log = openLog('info')
    for (let line = 0; line < 2048; line += 1) {
      log.error({ text: 'x'.repeat(1000) }, 'long')
      if (line % 100 === 0) await new Promise(setImmediate)
    }
    console.error(droppedLogLines())`

  /** How many lines the program drops; it must end by itself. */
  async function dropped(stdout: number | 'pipe', isClosed = false): Promise<number> {
    const args = ['--input-type=module', '-e', program]
    const child = spawn(process.execPath, args, { stdio: ['ignore', stdout, 'pipe'] })
    if (isClosed) child.stdout?.destroy()
    let text = ''
    child.stderr?.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    assert.deepEqual(await once(child, 'close'), [0, null], text)
    return Number(text)
  }

  it('because the disk is full is dropped', async () => {
    const full = openSync('/dev/full', 'w')
    assert.equal(await dropped(full), 2048)
    closeSync(full)
  })

  it('because nobody reads the pipe is dropped once 1 MiB waits', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'log-'))
    const path = join(folder, 'pipe')
    await promisify(execFile)('mkfifo', [path])
    const pipe = openSync(path, 'r+')
    const count = await dropped(pipe)
    assert.ok(count > 500 && count < 1200, String(count))
    closeSync(pipe)
    await rm(folder, { recursive: true })
  })

  it('because nobody reads the socket is dropped once 1 MiB waits', async () => {
    const count = await dropped('pipe')
    assert.ok(count > 100 && count < 1200, String(count))
  })

  it('because the reader is gone is dropped', async () => {
    assert.ok((await dropped('pipe', true)) > 0)
  })

  it('does not take the lines after it along, nor join them to half a line', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'log-'))
    const path = join(folder, 'file')
    // A file may not grow beyond 8 KiB, which cuts a line; then it is made empty again.
    const code = `
      import { truncateSync } from 'node:fs'
      import { openLog } from '${logModule}'
      const log = openLog('info')
      for (let line = 0; line < 20; line += 1) log.error({ text: 'x'.repeat(1000) }, 'long')
      truncateSync('${path}', 100)
      log.error('short')`
    const node = `exec '${process.execPath}' --input-type=module -e "$0"`
    const script = `ulimit -f 16; trap '' XFSZ; ${node} >> ${path}`
    await promisify(execFile)('/bin/sh', ['-c', script, code])
    const lines = (await readFile(path, 'utf8')).split('\n')
    assert.equal(JSON.parse(lines.at(-2) ?? '').msg, 'short')
    await rm(folder, { recursive: true })
  })
})
