import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { missing } from '#test/needs.ts'
import { startProgram } from '#test/program.ts'
import { slowTest } from '#test/size.ts'
import { eventually } from '#test/wait.ts'
import { experiments } from './experiments/all.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = fileURLToPath(new URL('controls/', import.meta.url))
const patches = (await readdir(folder)).filter((file) => file.endsWith('.patch'))

describe('planted bugs', () => {
  it('still apply to the code as it is', { skip: missing('git') }, async () => {
    assert.ok(patches.length >= 22)
    const files = patches.map((file) => join(folder, file))
    for (const file of files)
      await promisify(execFile)('git', ['apply', '--check', '--recount', file], { cwd: root })
  })

  it('name a test or an experiment that there is', async () => {
    const known = new Set(experiments.map(({ name }) => name))
    for (const file of patches) {
      const text = await readFile(join(folder, file), 'utf8')
      const [, kind, names = ''] = /^Bug: .+\nCaught by: (test|experiment) (.+)\n/.exec(text) ?? []
      const isThere = (name: string) =>
        kind === 'test' ? existsSync(join(root, name)) : known.has(name)
      assert.ok(kind && names.split(' ').every(isThere), file)
    }
  })
})

slowTest('an experiment that is interrupted leaves no process and no file', async () => {
  const TMPDIR = await mkdtemp(join(tmpdir(), 'passerelle-interrupted-'))
  try {
    const run = startProgram(['refunds'], { TMPDIR }, 300_000, join(root, 'chaos/run.ts'))
    const hasLoad = async () =>
      (await readdir(TMPDIR, { recursive: true })).some((path) => path.endsWith('client-1.ndjson'))
    await eventually('the load has begun', hasLoad)
    run.kill('SIGTERM')
    assert.equal((await run.ended).code, 130)
    assert.deepEqual(await readdir(TMPDIR), [])
  } finally {
    await rm(TMPDIR, { recursive: true, force: true, maxRetries: 5 })
  }
})
