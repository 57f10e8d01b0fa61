import { relative, resolve } from 'node:path'
import { run } from 'node:test'
import { inspect } from 'node:util'

// A process takes seconds. One that hangs fails, and does not hang the run.
const PROCESS_TIMEOUT_MS = 1_500_000
const FULL_TIMEOUT_MS = 12 * 3_600_000
const host = resolve('test/share-process.ts')

export interface Failure {
  title: string
  details: string
}

/** What came of the tests of a file. */
export interface FileResult {
  file: string
  /** A line for each test. */
  lines: string[]
  passed: number
  /** Why each one was left out; a suite counts as one. */
  skipped: string[]
  failures: Failure[]
}

interface Watcher {
  begin(file: string): void
  end(result: FileResult): void
}

/**
 * Runs the tests of some files in one process. `printed` is what they wrote, and `broken` says why
 * the process itself failed.
 */
export async function runGroup(
  group: string[],
  watcher: Watcher,
): Promise<{ printed: string; broken: Failure[] }> {
  const isFull = process.env.TEST_SIZE === 'full'
  const limits = { concurrency: 1, timeout: isFull ? FULL_TIMEOUT_MS : PROCESS_TIMEOUT_MS }
  const events = run({ files: [host], argv: group, ...limits })
  const path: string[] = []
  const broken: Failure[] = []
  let printed = ''
  let result = emptyResult('')
  for await (const { type, data } of events) {
    if (type === 'test:stdout' || type === 'test:stderr') printed += data.message
    else if (type === 'test:start') {
      path[data.nesting] = data.name
      if (data.nesting > 0) continue
      result = emptyResult(data.name)
      if (data.name !== host) watcher.begin(data.name)
    } else if (type === 'test:pass' || type === 'test:fail') {
      const { details, nesting, name, skip } = data
      const isPassed = type === 'test:pass'
      // A file is a test of the first level, and its tests are of the second.
      if (nesting > 0) {
        const mark = skip !== undefined ? '﹣' : isPassed ? '✔' : '✖'
        const took = `${details.duration_ms.toFixed(0)} ms`
        result.lines.push(`${'  '.repeat(nesting)}${mark} ${name} (${took})`)
        if (skip !== undefined) result.skipped.push(String(skip))
        else if (isPassed && details.type !== 'suite') result.passed += 1
      }
      if (!isPassed && !isOnlyOfSubtests(details)) {
        const titles = path.slice(1, nesting).concat(name)
        const where = `${relative('.', data.file ?? result.file)}:${data.line ?? 1}`
        const failure = { title: `${where} ${titles.join(' > ')}`, details: describe(details) }
        if (name === host) broken.push(failure)
        else result.failures.push(failure)
      }
      if (nesting === 0 && name !== host) watcher.end(result)
    }
  }
  return { printed: printed.trimEnd(), broken }
}

export function emptyResult(file: string): FileResult {
  return { file, lines: [], passed: 0, skipped: [], failures: [] }
}

function isOnlyOfSubtests(details: object): boolean {
  const { error } = details as { error?: { failureType?: string } }
  return error?.failureType === 'subtestsFailed'
}

function describe(details: object): string {
  const { error } = details as { error?: Error }
  return inspect(error?.cause ?? error, { colors: process.stdout.isTTY })
}
