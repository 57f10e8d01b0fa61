import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { openPlanting } from '../planting.ts'

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
// The experiment of upgrades takes the last release from the history.
const history = await promisify(execFile)('git', ['rev-parse', '--absolute-git-dir'], {
  cwd: patches,
})
const planting = await openPlanting('controls', minutesMax)
let caught = 0
try {
  for (const control of chosen) {
    const startedMs = performance.now()
    const isCaught = await isCaughtHere(control)
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
    if (planting.isInterrupted()) break
    if (isCaught) caught += 1
    const mark = isCaught ? 'caught' : 'NOT CAUGHT'
    console.log(`${mark}: ${control.bug} (${control.file}, by ${control.caughtBy}, ${seconds} s)`)
  }
} finally {
  await planting.close()
}
console.log(`${caught} of ${chosen.length} planted bugs caught`)
if (planting.isInterrupted()) process.exitCode = 130
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
  const applied = await planting.run('git', ['apply', '--recount', patch])
  if (applied.code !== 0) throw new Error(`${file} does not apply: ${applied.output}`)
  try {
    return await findsSomething(caughtBy)
  } finally {
    await planting.run('git', ['apply', '--recount', '-R', patch])
  }
}

/** Runs tests or experiments until one ran to its end and something is wrong; true if one did. */
async function findsSomething(caughtBy: string): Promise<boolean> {
  const [kind, ...names] = caughtBy.split(' ')
  for (const name of names) {
    const { isRed, isTooLong } = await (kind === 'test' ? planting.test(name) : experiment(name))
    if (isTooLong) console.log(`${name} did not end within ${minutesMax} minutes`)
    if (isRed) return true
  }
  return false
}

async function experiment(name: string) {
  const ended = await planting.run(process.execPath, ['chaos/run.ts', name, '--minutes', '0.3'], {
    GIT_DIR: history.stdout.trim(),
    GIT_OPTIONAL_LOCKS: '0',
  })
  const { code, output, isTooLong } = ended
  return { isTooLong, isRed: code === 1 && output.includes('BROKEN') && !isTooLong }
}
