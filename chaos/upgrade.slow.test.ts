import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startProgram } from '#test/program.ts'
import { upgrade } from './experiments/upgrade.ts'

const program = fileURLToPath(new URL('run.ts', import.meta.url))

it('processes of the last release and of this one serve side by side', {
  skip: (await upgrade.isImpossible?.()) ?? false,
}, async () => {
  const TMPDIR = await mkdtemp(join(tmpdir(), 'passerelle-upgrade-'))
  try {
    const { code, stdout } = await startProgram(
      ['upgrade'],
      { TMPDIR, PATH: process.env.PATH ?? '' },
      600_000,
      program,
    ).ended
    assert.equal(code, 0, stdout)
    assert.match(stdout, /^Everything holds\.$/m)
  } finally {
    await rm(TMPDIR, { recursive: true, force: true, maxRetries: 5 })
  }
})
