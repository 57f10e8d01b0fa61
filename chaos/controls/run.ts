import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { copyTree } from '../copy-tree.ts'

// `npm run controls -- [NUMBER…] [--clean]`: plants each bug of this folder into a copy of the
// working tree, and runs what must catch it: a test, or an experiment. With --clean it also runs
// the same without the bug, which must find nothing. Ends with 1 unless every bug is caught.

// With a bug planted a test may wait for ever. Each takes a minute at most without one.
const minutesMax = 6
const patches = fileURLToPath(new URL('.', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { clean: { type: 'boolean', default: false } },
})

// An interrupted run leaves nothing behind: what runs is ended, and the copy removed.
const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => interruption.abort())

interface Control {
  file: string
  bug: string
  /** `test FILE…` or `experiment NAME`. */
  caughtBy: string
}

const all = await readControls()
const chosen = all.filter(
  ({ file }) => positionals.length === 0 || positionals.some((one) => file.startsWith(one)),
)
// What experiments with a bug leave to look at is removed, too.
const leftovers = await mkdtemp(join(tmpdir(), 'passerelle-controls-'))
await chmod(leftovers, 0o711)
const history = (await run('git', ['rev-parse', '--absolute-git-dir'], patches)).output.trim()
const copy = await copyTree('controls')
let caught = 0
try {
  for (const control of chosen) {
    const startedMs = performance.now()
    const isCaught = await isCaughtHere(control)
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
    if (interruption.signal.aborted) break
    if (isCaught) caught += 1
    const mark = isCaught ? 'caught' : 'NOT CAUGHT'
    console.log(`${mark}: ${control.bug} (${control.file}, by ${control.caughtBy}, ${seconds} s)`)
  }
} finally {
  for (const folder of [copy, leftovers])
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}
console.log(`${caught} of ${chosen.length} planted bugs caught`)
if (interruption.signal.aborted) process.exitCode = 130
else if (caught < chosen.length) process.exitCode = 1

async function readControls(): Promise<Control[]> {
  const files = (await readdir(patches)).filter((file) => file.endsWith('.patch')).toSorted()
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(patches, file), 'utf8')
      const [, bug = '', caughtBy = ''] = /^Bug: (.*)\nCaught by: (.*)\n/.exec(text) ?? []
      if (bug === '' || caughtBy === '') throw new Error(`${file} does not say what catches it`)
      return { file, bug, caughtBy }
    }),
  )
}

async function isCaughtHere({ file, caughtBy }: Control): Promise<boolean> {
  if (values.clean && (await findsSomething(caughtBy))) {
    console.log(`${file}: ${caughtBy} is red without the bug, too`)
    return false
  }
  const patch = join(patches, file)
  const applied = await run('git', ['apply', '--recount', patch], copy)
  if (applied.code !== 0) throw new Error(`${file} does not apply: ${applied.output}`)
  try {
    return await findsSomething(caughtBy)
  } finally {
    await run('git', ['apply', '--recount', '-R', patch], copy)
  }
}

/** Runs tests or experiments until one ran to its end and something is wrong; true if one did. */
async function findsSomething(caughtBy: string): Promise<boolean> {
  const [kind, ...names] = caughtBy.split(' ')
  for (const name of names) {
    const isTest = kind === 'test'
    const args = isTest
      ? ['test/run.ts', '--only', name]
      : ['chaos/run.ts', name, '--minutes', '0.3']
    // The experiment of upgrades takes the last release from the history.
    const env = isTest ? {} : { GIT_DIR: history, GIT_OPTIONAL_LOCKS: '0' }
    const { code, output, isTooLong } = await run(process.execPath, args, copy, env)
    if (isTooLong) console.log(`${name} did not end within ${minutesMax} minutes`)
    const isSeen = isTest ? /, [1-9]\d* failed/.test(output) : output.includes('BROKEN')
    if (code === 1 && isSeen && !isTooLong) return true
  }
  return false
}

async function run(file: string, args: string[], cwd: string, more: NodeJS.ProcessEnv = {}) {
  // Outside of any repository, so that git applies patches to the copy and not to this one.
  const outside = { GIT_CEILING_DIRECTORIES: tmpdir(), TMPDIR: leftovers }
  const env = { ...process.env, ...outside, ...more }
  const timeout = minutesMax * 60_000
  const startedMs = performance.now()
  const options = { cwd, env, maxBuffer: 2 ** 28, timeout, signal: interruption.signal }
  return promisify(execFile)(file, args, options).then(
    ({ stdout }) => ({ code: 0, output: stdout, isTooLong: false }),
    (problem: { code?: number; stdout?: string; stderr?: string }) => ({
      code: problem.code ?? -1,
      isTooLong: performance.now() - startedMs >= timeout,
      output: `${problem.stdout ?? ''}${problem.stderr ?? ''}`,
    }),
  )
}
