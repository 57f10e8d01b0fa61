import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const host = fileURLToPath(new URL('share-process.ts', import.meta.url))

// What each file prints, in the order in which a process of its own would.
const first = `
import { setTimeout as sleep } from 'node:timers/promises'
import { after, describe, it, mock } from 'node:test'
const say = (text) => process.stderr.write(text + '\\n')
await sleep(5)
after(() => say('first: after'))
mock.method(performance, 'now', () => -1)
it('one', () => say('first: one'))
describe('suite', async () => {
  await sleep(50)
  say('first: set up')
  it('two', () => say('first: two'))
})`
const second = `
import { it } from 'node:test'
process.stderr.write(performance.now() < 0 ? 'second: mocked\\n' : 'second: loaded\\n')
it('fails', () => { throw new Error('as it should') })
it('rejects', async () => {
  void Promise.reject(new Error('nobody waits for it'))
  await new Promise((resolve) => setTimeout(resolve, 5))
})
it('throws', async () => {
  setTimeout(() => { throw new Error('nobody catches it') }, 1)
  await new Promise((resolve) => setTimeout(resolve, 50))
})`

const leaking = `
import { createServer } from 'node:http'
import { it } from 'node:test'
it('passes', () => void createServer().listen(0))`

it('files that share a process run as in a process of their own', async (t) => {
  const { stdout, stderr } = await runTogether(t, [first, second])
  const expected = ['set up', 'one', 'two', 'after'].map((text) => `first: ${text}`)
  assert.deepEqual(stderr.trim().split('\n'), [...expected, 'second: loaded'])
  assert.match(stdout, /# pass 2\n# fail 3\n/)
  assert.match(stdout, /not ok 2 - rejects\n[^]*unhandledRejection[^]*not ok 3 - throws\n/)
})

it('a process that something keeps alive after its last test ends, and says what', async (t) => {
  const { code, stderr } = await runTogether(t, [leaking], { TEST_LINGER_MS: '100' })
  assert.match(stderr, /^After its last test this process was kept alive by: .*TCPServerWrap/m)
  assert.equal(code, 1)
})

async function runTogether(t: TestContext, texts: string[], more: NodeJS.ProcessEnv = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'share-process-'))
  t.after(() => rm(folder, { recursive: true }))
  const paths = texts.map((_, index) => join(folder, `${index}.mjs`))
  await Promise.all(texts.map((text, index) => writeFile(paths[index] ?? '', text)))
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const words = ['--test-reporter=tap', host, ...paths]
  const run = promisify(execFile)(process.execPath, words, { env: { ...env, ...more } })
  return run.catch((problem) => problem)
}
