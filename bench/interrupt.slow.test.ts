import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isGone, postmasterOf } from '#test/program.ts'
import { eventually } from '#test/wait.ts'

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  it(`a benchmark that is ended by ${signal} leaves no process and no file`, async () => {
    // The path of a socket has a limit of some hundred characters.
    const folder = await mkdtemp(join(tmpdir(), 'b-'))
    after(() => rm(folder, { recursive: true, force: true }))
    const program = fileURLToPath(new URL('run.ts', import.meta.url))
    const args = [program, '--scenario', 'balance', '--seconds', '1', '--rounds', '60']
    const child = spawn(process.execPath, args, {
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
    await eventually('a round is over', () => /balance 1\/60: .*ratio/.test(printed))
    const [own = ''] = await readdir(folder)
    const postmaster = await postmasterOf(join(folder, own, 'balance'))
    assert.ok(postmaster !== null)
    const exited = once(child, 'exit')
    child.kill(signal)
    const [code] = await exited
    assert.equal(code, 1, printed)
    assert.ok(await isGone(postmaster), 'its PostgreSQL runs on')
    assert.deepEqual(await readdir(folder), [])
  })
