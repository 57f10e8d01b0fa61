import { execFile } from 'node:child_process'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { readArguments, usage } from './arguments.ts'
import { groupFiles } from './files.ts'
import { watchForLeftovers } from './leftovers.ts'
import { missingHere } from './needs.ts'
import { type Failure, type FileResult, runGroup } from './run-group.ts'
import { startTestPostgres } from './setup.ts'
import { stolenPart } from './stolen-time.ts'

const checks: [name: string, ...command: string[]][] = [
  // Together, which takes two thirds of what tsc and the linter take one after the other.
  ['types and lint', 'oxlint', '--type-aware', '--type-check', '--deny-warnings', '.'],
  ['format', 'biome', 'check', '--error-on-warnings', '.'],
  ['unused', 'knip', '--no-progress'],
]
const PROCESSES_AT_ONCE = 4
// Where the host takes more of the processor time away, what fails is tried once more, alone.
const STOLEN_MAX = 0.1
const FILES_AGAIN_MAX = 30

const wanted = readArguments(process.argv.slice(2))
if (wanted.kind === 'usage') {
  console.log([...(wanted.problem === null ? [] : [`${wanted.problem}.\n`]), usage].join('\n'))
  process.exit(wanted.problem === null ? 0 : 2)
}
const { files, mode, size } = wanted
const total = files.length + (mode === 'all' ? checks.length : 0)
const results = new Map<string, FileResult>()
const startedMs = performance.now()
if (missingHere() !== '') console.log(missingHere())

// All that tests write goes here, and by this name their processes are known. Others may pass
// through: PostgreSQL runs as another account when tests run as root.
const folder = await mkdtemp(join(tmpdir(), 'passerelle-test-'))
await chmod(folder, 0o755)
process.env.TMPDIR = folder
process.env.TEST_SIZE = size
// Every process compiles the gateway's modules: that halves the time that it takes to load them.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/passerelle')
const leftovers = watchForLeftovers(folder)
for (const [signal, number] of [['SIGINT', 2] as const, ['SIGTERM', 15] as const])
  process.on(signal, () => {
    report()
    process.exit(128 + number)
  })

const stolen = stolenPart()
const queue = groupFiles(files)
const postgres = startTestPostgres(folder)
await Promise.all([
  ...Array.from({ length: PROCESSES_AT_ONCE - 1 }, () => postgres.then(workOff)),
  runChecks()
    .then(() => postgres)
    .then(workOff),
])
const failed = [...results.values()].filter(({ failures }) => failures.length > 0)
if (stolen() > STOLEN_MAX && failed.length <= FILES_AGAIN_MAX)
  for (const { file } of failed) if (file.endsWith('.ts')) await work([resolve(file)])
await (await postgres).stop()
await leftovers.finish()
process.exitCode = report() > 0 ? 1 : 0

async function runChecks(): Promise<void> {
  if (mode !== 'all') return
  for (const [name, program = '', ...words] of checks) {
    const failures: Failure[] = []
    await promisify(execFile)(resolve('node_modules/.bin', program), words).catch((problem) =>
      failures.push({ title: name, details: `${problem.stdout}${problem.stderr}` }),
    )
    end({ file: name, lines: [], passed: 0, skipped: [], failures })
  }
}

/** Runs groups of files from the queue, one after the other, until it is empty. */
async function workOff(): Promise<void> {
  for (let group = queue.shift(); group !== undefined; group = queue.shift()) await work(group)
}

async function work(group: string[]): Promise<void> {
  let hasFailed = false
  const printed = await runGroup(group, (result) => {
    hasFailed ||= result.failures.length > 0
    end(result)
  })
  if (printed !== '' && (hasFailed || mode === 'only')) console.log(printed)
}

function end(result: FileResult): void {
  results.set(result.file, result)
  const { file, failures, lines } = result
  const shown = mode === 'only' ? lines : failures.map(({ title }) => `  ${title}`)
  console.log(
    [`${failures.length > 0 ? '✖' : '✔'} ${results.size}/${total} ${file}`, ...shown].join('\n'),
  )
}

/** Shows the failures with their details, and the counts; returns how many failed. */
function report(): number {
  const all = [...results.values()]
  const failures = all.flatMap((one) => one.failures)
  for (const { title, details } of failures) {
    const text = process.stdout.isTTY ? details : stripVTControlCharacters(details)
    console.log(`\n✖ ${title}\n${text.replaceAll(/^(?=.)/gm, '    ')}`)
  }
  const passed = all.reduce((sum, one) => sum + one.passed, 0)
  const reasons = Map.groupBy(
    all.flatMap(({ skipped }) => skipped),
    (why) => why,
  )
  const left = [...reasons].map(([why, { length }]) => `, ${length} skipped (${why})`).sort()
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  console.log(
    `\n${results.size} of ${total}: ${passed} passed, ${failures.length} failed` +
      `${left.join('')}, ${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`,
  )
  return failures.length
}
