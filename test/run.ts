import { execFile } from 'node:child_process'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import { readArguments, usage } from './arguments.ts'
import { groupFiles } from './files.ts'
import { watchForLeftovers } from './leftovers.ts'
import { missingHere } from './needs.ts'
import { processorSeconds, readCounted } from './processor-time.ts'
import { showProgress } from './progress.ts'
import { emptyResult, type Failure, type FileResult, runGroup } from './run-group.ts'
import { startTestPostgres } from './setup.ts'
import { readTicks, stolenSince } from './stolen-time.ts'

const checks: [name: string, ...command: string[]][] = [
  // Together, which takes two thirds of what tsc and the linter take one after the other.
  ['types and lint', 'oxlint', '--type-aware', '--type-check', '--deny-warnings', '.'],
  ['format', 'biome', 'check', '--error-on-warnings', '.'],
  ['unused', 'knip', '--no-progress'],
]

// Also where there are more processors: tests of races and time limits are tuned to that.
const PROCESSES_AT_ONCE = 4
// Where the host takes away more than this part of the processor time, tests of several processes
// miss time limits that they keep anywhere else: they are tried again, alone.
const STOLEN_MAX = 0.1
const TRIES_MAX = 3
const FILES_AGAIN_MAX = 30

const wanted = readArguments(process.argv.slice(2))
if (wanted.kind === 'usage') {
  console.log([...(wanted.problem === null ? [] : [`${wanted.problem}.\n`]), usage].join('\n'))
  process.exit(wanted.problem === null ? 0 : 2)
}
const { files, mode, size } = wanted
const isOnly = mode === 'only'
const failures: Failure[] = []
const putOff: FileResult[] = []
const triedAgain = new Set<string>()
let passed = 0
const skipped = new Map<string, number>()

const folder = await makeRunFolder()
const leftovers = watchForLeftovers(folder)
for (const [signal, number] of [['SIGINT', 2] as const, ['SIGTERM', 15] as const])
  process.on(signal, () => {
    showFailures()
    console.log(`\n${signal}: stopped after ${progress.finished()} of ${files.length} files`)
    process.exit(128 + number)
  })

const progress = showProgress(files.length)
if (missingHere() !== '') progress.say(missingHere())
const queue = groupFiles(files)
const postgres = startTestPostgres(folder)
await Promise.all([
  ...Array.from({ length: PROCESSES_AT_ONCE - 1 }, () => postgres.then(workOff)),
  runChecks()
    .then(() => postgres)
    .then(workOff),
])
await tryAgain()
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
  for (let group = queue.shift(); group !== undefined; group = queue.shift()) await work(group, 1)
}

/** Runs what failed on a starved machine again, one file at a time. */
async function tryAgain(): Promise<void> {
  for (let tryNumber = 2; putOff.length > 0; tryNumber += 1) {
    const results = putOff.splice(0)
    if (results.length > FILES_AGAIN_MAX)
      for (const failure of results.flatMap((result) => result.failures)) addFailure(failure)
    else
      for (const { file } of results) {
        triedAgain.add(file)
        await work([resolve(file)], tryNumber)
      }
  }
}

async function work(group: string[], tryNumber: number): Promise<void> {
  const ticks = readTicks()
  const isStarved = () => tryNumber < TRIES_MAX && stolenSince(ticks) > STOLEN_MAX
  const ended = new Set<string>()
  let failed = 0
  const end = (result: FileResult) => {
    progress.finish(result.file)
    ended.add(resolve(result.file))
    if (isOnly) progress.say([result.file, ...result.lines].join('\n'))
    failed += result.failures.length
    if (result.failures.length > 0 && isStarved()) {
      putOffUntilLater(result, stolenSince(ticks))
      return
    }
    passed += result.passed
    for (const why of result.skipped) skipped.set(why, (skipped.get(why) ?? 0) + 1)
    for (const failure of result.failures) addFailure(failure)
  }
  const { printed, broken } = await runGroup(group, { begin: progress.begin, end })
  const missing = group.filter((file) => !ended.has(file)).map(emptyResult)
  // A file that fails while it loads may leave something open, which keeps the process alive.
  if (isStarved() && missing.length + failed > 0)
    for (const result of missing)
      putOffUntilLater({ ...result, failures: broken }, stolenSince(ticks))
  else for (const failure of broken) addFailure(failure)
  if (printed === '') return
  if (isOnly) progress.say(printed)
  else if (failed + broken.length > 0)
    addFailure({ title: `what ${group[0]} and others printed`, details: printed }, false)
}

function putOffUntilLater(result: FileResult, stolen: number): void {
  putOff.push(result)
  const titles = result.failures.map(({ title }) => `✖ ${title}`)
  const why = `the host took ${(stolen * 100).toFixed(0)} % of the processor time away`
  progress.say([...titles, `  again at the end, alone: ${why}`].join('\n'))
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
  if (triedAgain.size > 0) console.log(`\nTried again: ${[...triedAgain].join(' ')}`)
  const reasons = [...skipped].map(([why, count]) => `${count} ${why}`)
  const all = [...skipped.values()].reduce((sum, count) => sum + count, 0)
  const left = all > 0 ? `, ${all} skipped (${reasons.sort().join(', ')})` : ''
  console.log(
    `\n${passed} passed, ${failed} failed${left}, ${progress.elapsed()}, ` +
      `${total.toFixed(0)} s of processor time`,
  )
  process.exitCode = failed > 0 ? 1 : 0
}
