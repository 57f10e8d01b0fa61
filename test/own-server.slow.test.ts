import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { it } from 'node:test'
import { promisify } from 'node:util'

it('a test file runs by itself, with a server of its own that it leaves nothing of', async () => {
  // Short: the path of a socket has 107 bytes at most.
  const TMPDIR = await mkdtemp('/tmp/alone-')
  try {
    const { PATH, HOME } = process.env
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--test', '--test-reporter=tap', 'src/money/ledger/anchor.test.ts'],
      { env: { PATH, HOME, TMPDIR } },
    )
    assert.match(stdout, /^# pass [1-9]/m)
    assert.match(stdout, /^# fail 0$/m)
    assert.deepEqual(await readdir(TMPDIR), [])
  } finally {
    await rm(TMPDIR, { recursive: true, force: true, maxRetries: 5 })
  }
})
