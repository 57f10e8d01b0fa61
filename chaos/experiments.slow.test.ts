import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startProgram } from '#test/program.ts'
import { failover } from './experiments/failover.ts'
import { upgrade } from './experiments/upgrade.ts'

const program = fileURLToPath(new URL('run.ts', import.meta.url))

async function holds(words: string[]): Promise<void> {
  const TMPDIR = await mkdtemp(join(tmpdir(), 'passerelle-short-'))
  try {
    const { code, stdout } = await startProgram(
      words,
      { TMPDIR, PATH: process.env.PATH ?? '' },
      600_000,
      program,
    ).ended
    assert.equal(code, 0, stdout)
    assert.match(stdout, /^Everything holds\.$/m)
  } finally {
    await rm(TMPDIR, { recursive: true, force: true, maxRetries: 5 })
  }
}

it(
  'processes of the last release and of this one serve side by side',
  {
    skip: (await upgrade.isImpossible?.()) ?? false,
  },
  () => holds(['upgrade']),
)

// One of eight events: each takes a minute.
it(
  'a primary that is killed is replaced by itself, and comes back',
  {
    skip: (await failover.isImpossible?.()) ?? false,
  },
  () => holds(['failover', '--only', 'killed']),
)
