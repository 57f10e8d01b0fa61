import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { run } from 'node:test'
import { inspect, promisify, stripVTControlCharacters } from 'node:util'
import { watchForLeftovers } from './leftovers.ts'
import { showProgress } from './progress.ts'
import { startTestPostgres } from './setup.ts'

/*
 * npm test                       every check and every test
 * npm run test:slow [-- FILES]   the tests that have a full size (test/size.ts), at that size
 * npm run test:only -- FILES     only the tests of these files, each shown with its result
 */
const checks: [name: string, ...command: string[]][] = [
  ['types', 'tsc'],
  ['lint', 'oxlint', '--type-aware', '--deny-warnings', '.'],
  ['format', 'biome', 'check', '--error-on-warnings', '.'],
  ['unused', 'knip', '--no-progress'],
]

// Two, also where there are more processors: tests of races and time limits are tuned to that.
const FILES_AT_ONCE = 2
// A file takes seconds. One that hangs fails, and does not hang the run.
const FILE_TIMEOUT_MS = 1_500_000

interface Failure {
  title: string
  details: string
}

const [mode, ...chosen] = process.argv.slice(2)
const isOnly = mode === '--only'
const isSlow = mode === '--slow'
const files = findFiles()
const failures: Failure[] = []
const durations: [file: string, seconds: number][] = []
const counts = { passed: 0, skipped: 0, failed: 0 }

const folder = await makeRunFolder()
const leftovers = watchForLeftovers(folder)
for (const [signal, number] of [['SIGINT', 2] as const, ['SIGTERM', 15] as const])
  process.on(signal, () => {
    console.log(`\n${signal}: stopped after ${durations.length} of ${files.length} files`)
    process.exit(128 + number)
  })

const progress = showProgress(files.length)
const queue = [...files]
const postgres = startTestPostgres(folder)
await Promise.all([
  ...Array.from({ length: FILES_AT_ONCE - 1 }, () => postgres.then(workOff)),
  runChecks()
    .then(() => postgres)
    .then(workOff),
])
progress.end()
await (await postgres).stop()
await leftovers.finish()
report()

function findFiles(): string[] {
  if (chosen.length > 0) return chosen.map((file) => resolve(file))
  return globSync('{src,lab,test,bench}/**/*.test.ts')
    .map((file) => ({ path: resolve(file), text: readFileSync(file, 'utf8') }))
    .filter(({ text }) => !isSlow || text.includes("test/size.ts'"))
    .sort((a, b) => weightOf(b.text) - weightOf(a.text) || a.path.localeCompare(b.path))
    .map(({ path }) => path)
}

/** The longest files first, so that none is left to run alone: by what their tests start. */
function weightOf(text: string): number {
  const heaviest = ['browser.ts', 'program.ts', 'live.ts', 'app.ts', 'database.ts']
  const place = heaviest.findIndex((name) => text.includes(`test/${name}'`))
  return place === -1 ? 0 : heaviest.length - place
}

/**
 * All that tests write goes here, and by this name their processes are known. Others may pass
 * through: PostgreSQL runs as another account when tests run as root.
 */
async function makeRunFolder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'passerelle-test-'))
  await chmod(made, 0o755)
  process.env.TMPDIR = made
  if (isSlow) process.env.TEST_SIZE = 'full'
  // Every file starts a process: compiled code halves the time that it takes to load its modules.
  process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/passerelle')
  return made
}

async function runChecks(): Promise<void> {
  if (mode !== undefined) return
  for (const [name, program = '', ...words] of checks)
    try {
      await promisify(execFile)(resolve('node_modules/.bin', program), words)
      progress.say(`✔ ${name}`)
    } catch (problem) {
      const { stdout, stderr } = problem as { stdout: string; stderr: string }
      addFailure({ title: name, details: `${stdout}${stderr}` })
    }
}

/** Runs files from the queue, one after the other, until it is empty. */
async function workOff(): Promise<void> {
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const name = relative('.', file)
    const startedMs = performance.now()
    progress.begin(name)
    const lines = await runFile(file, name)
    durations.push([name, (performance.now() - startedMs) / 1000])
    if (isOnly) progress.say([name, ...lines].join('\n'))
    progress.finish(name)
  }
}

/** Runs the tests of a file in a process of its own; answers with a line for each of them. */
async function runFile(file: string, name: string): Promise<string[]> {
  const lines: string[] = []
  const path: string[] = []
  let output = ''
  let failed = 0
  const events = run({ files: [file], concurrency: 1, timeout: FILE_TIMEOUT_MS })
  for await (const { type, data } of events) {
    if (type === 'test:stdout' || type === 'test:stderr') output += data.message
    else if (type === 'test:start') path[data.nesting] = data.name
    else if (type === 'test:pass' || type === 'test:fail') {
      const isPassed = type === 'test:pass'
      const mark = data.skip !== undefined ? '﹣' : isPassed ? '✔' : '✖'
      const ms = data.details.duration_ms.toFixed(0)
      lines.push(`${'  '.repeat(data.nesting + 1)}${mark} ${data.name} (${ms} ms)`)
      if (data.details.type !== 'suite')
        counts[data.skip !== undefined ? 'skipped' : isPassed ? 'passed' : 'failed'] += 1
      if (isPassed || isOnlyOfSubtests(data.details)) continue
      failed += 1
      const titles = path.slice(0, data.nesting).concat(data.name)
      const where = `${relative('.', data.file ?? file)}:${data.line ?? 1}`
      addFailure({ title: `${where} ${titles.join(' > ')}`, details: describe(data.details) })
    }
  }
  const printed = output.trimEnd()
  if (printed !== '' && isOnly) lines.push(printed)
  else if (printed !== '' && failed > 0)
    addFailure({ title: `${name}: what it printed`, details: printed }, false)
  return lines
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

/** Failures with their details, the longest files and the counts. */
function report(): void {
  for (const { title, details } of failures) {
    const text = process.stdout.isTTY ? details : stripVTControlCharacters(details)
    console.log(`\n✖ ${title}\n${text.replaceAll(/^(?=.)/gm, '    ')}`)
  }
  if (!isOnly) {
    const longest = durations.sort(([, a], [, b]) => b - a).slice(0, 10)
    console.log('\nThe longest files:')
    for (const [file, seconds] of longest)
      console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`)
  }
  const failed = progress.failures()
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
  console.log(`\n${counts.passed} passed, ${failed} failed${skipped}, ${progress.elapsed()}`)
  process.exitCode = failed > 0 ? 1 : 0
}
