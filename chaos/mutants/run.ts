import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { startTestPostgres } from '#test/setup.ts'
import { seededRandom } from '../../lab/seeded-random.ts'
import { copyTree } from '../copy-tree.ts'
import { type Mutant, mutantsOf } from './mutate.ts'
import { type Room, rooms } from './rooms.ts'

// `npm run chaos mutants -- [TEXT…] [--minutes M] [--seed N]`: changes one thing after the other in
// the sources that decide about money (those whose path contains a text, if given), in a copy of
// the working tree, and runs their tests until one is red. Prints each change that no test noticed.
// They come in an order by the seed: a run that is cut short has tried a fair sample.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
  },
})
// An interrupted run stops what it started, and tells what it has tried.
const interruption = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => interruption.abort())
const endMs = performance.now() + Number(values.minutes) * 60_000
const slackMs = 15_000
const isChosen = (source: string) =>
  positionals.length === 0 || positionals.some((text) => source.includes(text))

interface Failure {
  stdout?: string
  stderr?: string
  killed?: boolean
}

interface Change extends Mutant {
  room: Room
  source: string
}

const folder = await mkdtemp(join(tmpdir(), 'passerelle-mutants-'))
await chmod(folder, 0o711)
process.env.TMPDIR = folder
const copy = await copyTree('mutated')
const postgres = await startTestPostgres(folder)
const originals = new Map<string, string>()
const usualMs = new Map<string, number>()
const counts = { killed: 0, survived: 0 }
const bySource: Record<string, typeof counts> = {}
// Of those killed: on a busy machine a test may take too long for another reason than the change.
const outOfTime: string[] = []
let untried = 0
try {
  const changes = await readChanges()
  const tests = new Set(changes.flatMap(({ room }) => room.tests))
  for (const test of tests) await measure(test)
  for (const change of changes)
    if (performance.now() > endMs || interruption.signal.aborted) untried += 1
    else await tryOne(change)
} finally {
  await postgres.stop()
  for (const one of [copy, folder]) await rm(one, { recursive: true, force: true, maxRetries: 5 })
}
for (const [source, { killed, survived }] of Object.entries(bySource))
  console.log(`${source}: ${killed} noticed, ${survived} not`)
for (const name of outOfTime) console.log(`NOTICED ONLY BY A TIME LIMIT: ${name}`)
console.log(`${counts.killed} noticed, ${counts.survived} not, ${untried} not tried`)

async function readChanges(): Promise<Change[]> {
  const changes: Change[] = []
  for (const room of rooms)
    for (const source of room.sources.filter(isChosen)) {
      const text = await readFile(join(copy, source), 'utf8')
      originals.set(source, text)
      for (const mutant of mutantsOf(text)) changes.push({ ...mutant, room, source })
    }
  const seed = Number(values.seed)
  return changes
    .map((change, at) => ({ change, key: seededRandom(seed, at, 0) }))
    .toSorted((one, other) => one.key - other.key)
    .map(({ change }) => change)
}

/** Runs a test on sources as they are: it must be green, and its time is the measure of others. */
async function measure(test: string): Promise<void> {
  const startedMs = performance.now()
  const { isGreen, output } = await run(test, 600_000)
  if (!isGreen) throw new Error(`${test} is red without a change:\n${output.slice(-3000)}`)
  usualMs.set(test, Math.ceil(performance.now() - startedMs))
  console.log(`${test}: ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
}

async function tryOne({ room, source, line, what, text }: Change): Promise<void> {
  await writeFile(join(copy, source), text)
  const name = `${source}:${line} ${what}`
  const isNoticed = await isRed(room.tests, name)
  await writeFile(join(copy, source), originals.get(source) ?? '')
  if (interruption.signal.aborted) return void (untried += 1)
  const own = (bySource[source] ??= { killed: 0, survived: 0 })
  own[isNoticed ? 'killed' : 'survived'] += 1
  counts[isNoticed ? 'killed' : 'survived'] += 1
  if (!isNoticed) console.log(`NOT NOTICED: ${name}`)
}

async function isRed(tests: string[], name: string): Promise<boolean> {
  for (const test of tests) {
    const { isGreen, isOutOfTime } = await run(test, 4 * (usualMs.get(test) ?? 0) + slackMs)
    if (isOutOfTime) outOfTime.push(name)
    if (!isGreen) return true
  }
  return false
}

/** A test that does not end in time is red, too. */
async function run(test: string, timeout: number) {
  const { signal } = interruption
  const options = { cwd: copy, timeout, maxBuffer: 2 ** 26, killSignal: 'SIGKILL', signal } as const
  const words = ['--test', '--test-isolation=none', '--test-force-exit', test]
  return promisify(execFile)(process.execPath, words, options).then(
    () => ({ isGreen: true, isOutOfTime: false, output: '' }),
    ({ stdout = '', stderr = '', killed = false }: Failure) => ({
      isGreen: false,
      isOutOfTime: killed && !signal.aborted,
      output: stdout + stderr,
    }),
  )
}
