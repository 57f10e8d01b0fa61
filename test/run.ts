import { execFile } from 'node:child_process'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { run } from 'node:test'
import { inspect, promisify, stripVTControlCharacters } from 'node:util'
import { readArguments, usage } from './arguments.ts'
import { groupFiles } from './files.ts'
import { watchForLeftovers } from './leftovers.ts'
import { processorSeconds, readCounted } from './processor-time.ts'
import { showProgress } from './progress.ts'
import { startTestPostgres } from './setup.ts'

const checks: [name: string, ...command: string[]][] = [
  // Together, which takes two thirds of what tsc and the linter take one after the other.
  ['types and lint', 'oxlint', '--type-aware', '--type-check', '--deny-warnings', '.'],
  ['format', 'biome', 'check', '--error-on-warnings', '.'],
  ['unused', 'knip', '--no-progress'],
]

// Three, also where there are more processors: tests of races and time limits are tuned to that.
const PROCESSES_AT_ONCE = 3
// A process takes seconds. One that hangs fails, and does not hang the run.
const PROCESS_TIMEOUT_MS = 1_500_000
const host = resolve('test/share-process.ts')

interface Failure {
  title: string
  details: string
}

const wanted = readArguments(process.argv.slice(2))
if (wanted.kind === 'usage') {
  console.log([...(wanted.problem === null ? [] : [`${wanted.problem}.\n`]), usage].join('\n'))
  process.exit(wanted.problem === null ? 0 : 2)
}
const { files, mode, size } = wanted
const isOnly = mode === 'only'
const failures: Failure[] = []
let filesDone = 0
const counts = { passed: 0, skipped: 0, failed: 0 }

const folder = await makeRunFolder()
const leftovers = watchForLeftovers(folder)
for (const [signal, number] of [['SIGINT', 2] as const, ['SIGTERM', 15] as const])
  process.on(signal, () => {
    showFailures()
    console.log(`\n${signal}: stopped after ${filesDone} of ${files.length} files`)
    process.exit(128 + number)
  })

const progress = showProgress(files.length)
const queue = groupFiles(files)
const postgres = startTestPostgres(folder)
await Promise.all([
  ...Array.from({ length: PROCESSES_AT_ONCE - 1 }, () => postgres.then(workOff)),
  runChecks()
    .then(() => postgres)
    .then(workOff),
])
progress.end()
await (await postgres).stop()
const dearest = readCounted().slice(0, 10)
const total = processorSeconds()
await leftovers.finish()
report()

/**
 * All that tests write goes here, and by this name their processes are known. Others may pass
 * through: PostgreSQL runs as another account when tests run as root.
 */
async function makeRunFolder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'passerelle-test-'))
  await chmod(made, 0o755)
  process.env.TMPDIR = made
  process.env.TEST_SIZE = size
  // Every file starts a process: compiled code halves the time that it takes to load its modules.
  process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/passerelle')
  return made
}

async function runChecks(): Promise<void> {
  if (mode !== 'all') return
  for (const [name, program = '', ...words] of checks)
    try {
      await promisify(execFile)(resolve('node_modules/.bin', program), words)
      progress.say(`✔ ${name}`)
    } catch (problem) {
      const { stdout, stderr } = problem as { stdout: string; stderr: string }
      addFailure({ title: name, details: `${stdout}${stderr}` })
    }
}

/** Runs groups of files from the queue, one after the other, until it is empty. */
async function workOff(): Promise<void> {
  for (let group = queue.shift(); group !== undefined; group = queue.shift()) await runGroup(group)
}

/** Runs the tests of some files in one process. */
async function runGroup(group: string[]): Promise<void> {
  const [room = ''] = group.map((file) => relative('.', file))
  const limits = { concurrency: 1, timeout: PROCESS_TIMEOUT_MS }
  const events = run({ files: [host], argv: group, ...limits })
  let lines: string[] = []
  const path: string[] = []
  let output = ''
  let failed = 0
  for await (const { type, data } of events) {
    if (type === 'test:stdout' || type === 'test:stderr') output += data.message
    else if (type === 'test:start') {
      path[data.nesting] = data.name
      if (data.nesting === 0) progress.begin(data.name)
    } else if (type === 'test:pass' || type === 'test:fail') {
      const { details, nesting, name } = data
      const isPassed = type === 'test:pass'
      const mark = data.skip !== undefined ? '﹣' : isPassed ? '✔' : '✖'
      const line = `${'  '.repeat(nesting)}${mark} ${name} (${details.duration_ms.toFixed(0)} ms)`
      if (nesting > 0) lines.push(line)
      if (nesting > 0 && details.type !== 'suite')
        counts[data.skip !== undefined ? 'skipped' : isPassed ? 'passed' : 'failed'] += 1
      // A file is a test of the first level, and its tests are of the second.
      if (nesting === 0) {
        progress.finish(name)
        filesDone += 1
        if (isOnly) progress.say([name, ...lines].join('\n'))
        lines = []
      }
      if (isPassed || isOnlyOfSubtests(details)) continue
      failed += 1
      const titles = path.slice(1, nesting).concat(name)
      const where = `${relative('.', data.file ?? room)}:${data.line ?? 1}`
      addFailure({ title: `${where} ${titles.join(' > ')}`, details: describe(details) })
    }
  }
  const printed = output.trimEnd()
  if (printed !== '' && isOnly) progress.say(printed)
  else if (printed !== '' && failed > 0)
    addFailure({ title: `${room} and others: what it printed`, details: printed }, false)
}

function isOnlyOfSubtests(details: object): boolean {
  const { error } = details as { error?: { failureType?: string } }
  return error?.failureType === 'subtestsFailed'
}

function describe(details: object): string {
  const { error } = details as { error?: Error }
  return inspect(error?.cause ?? error, { colors: process.stdout.isTTY })
}

function addFailure(failure: Failure, isCounted = true): void {
  failures.push(failure)
  if (!isCounted) return
  progress.fail()
  progress.say(`✖ ${failure.title}`)
}

function showFailures(): void {
  for (const { title, details } of failures) {
    const text = process.stdout.isTTY ? details : stripVTControlCharacters(details)
    console.log(`\n✖ ${title}\n${text.replaceAll(/^(?=.)/gm, '    ')}`)
  }
}

/** Failures with their details, the most expensive files and the counts. */
function report(): void {
  showFailures()
  if (!isOnly) {
    console.log('\nThe files that take the most processor time, without that of PostgreSQL:')
    for (const [file, seconds] of dearest)
      console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`)
  }
  const failed = progress.failures()
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
  console.log(
    `\n${counts.passed} passed, ${failed} failed${skipped}, ${progress.elapsed()}, ` +
      `${total.toFixed(0)} s of processor time`,
  )
  process.exitCode = failed > 0 ? 1 : 0
}
