import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { openPair, signalAll } from '../chaos/pair.ts'
import { missing } from '../test/needs.ts'
import { slowTest } from '../test/size.ts'

const folder = new URL('availability/', import.meta.url).pathname
const scripts = globSync(`${folder}*`).filter((path) => readFileSync(path, 'utf8').startsWith('#!'))

it('the scripts are shell that any Debian runs', async () => {
  assert.equal(scripts.length, 7)
  for (const path of scripts) await promisify(execFile)('sh', ['-n', path])
})

it('shellcheck finds nothing in them', { skip: missing('shellcheck') }, async () => {
  await promisify(execFile)('shellcheck', ['-x', ...scripts], { cwd: folder })
})

slowTest(
  'the scripts move the primary to the standby and back, and refuse to do harm',
  { skip: missing('pg_rewind') },
  async (t) => {
    const own = await mkdtemp(join(tmpdir(), 'passerelle-pair-'))
    await chmod(own, 0o711)
    const pair = await openPair(own)
    t.after(async () => {
      await pair.server.end('SIGKILL')
      await rm(own, { recursive: true, force: true, maxRetries: 5 })
    })
    const [a, b] = [pair.primary(), pair.standby()]
    const refuses = (script: Promise<string>, because: RegExp) => assert.rejects(script, because)

    await a.run('status')
    await b.run('status')
    await refuses(a.run('make-standby', '--replace'), /a server runs on/)
    await refuses(a.run('promote'), /a is not a standby/)
    await refuses(a.run('rejoin'), /a runs as a primary: run fence first/)
    await refuses(b.run('synchronous', 'on'), /b is not a primary/)

    // Alone by a person's wish: the standby may not be promoted until it is synchronous again.
    await a.run('synchronous', 'off')
    await refuses(a.run('status'), /no synchronous standby/)
    await refuses(b.run('promote'), /b was not synchronous: acknowledged payments may be missing/)
    assert.ok(a.pids().length > 0, 'the primary was fenced in vain')
    await a.run('synchronous', 'on')

    // The primary is lost. Whoever starts it again starts a standby.
    process.kill(a.postmaster(), 'SIGKILL')
    await b.run('promote')
    pair.exchange()
    await refuses(a.run('status'), /a is stopped, and fenced or a standby/)
    await a.run('before-start')
    await refuses(b.run('synchronous', 'on'), /a does not follow: every commit would wait/)
    await a.run('rejoin')
    await b.run('synchronous', 'on')

    // The standby is frozen: the primary goes on alone only once it is fenced.
    signalAll(a, 'SIGSTOP')
    await b.run('synchronous', 'off')
    assert.deepEqual(a.pids(), [])
    await a.run('fence')
    await a.run('make-standby', '--replace')
    await b.run('synchronous', 'on')
    await a.run('status')
  },
)
