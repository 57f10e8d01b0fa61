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

/**
 * Runs the tests of some files in one process. `end` gets each result as soon as it is there; of a
 * process that breaks, one for each file that it left out. Returns what they printed.
 */
export async function runGroup(group: string[], end: (one: FileResult) => void): Promise<string> {
  const isFull = process.env.TEST_SIZE === 'full'
  const limits = { concurrency: 1, timeout: isFull ? FULL_TIMEOUT_MS : PROCESS_TIMEOUT_MS }
  const left = new Set(group.map((file) => relative('.', file)))
  const path: string[] = []
  const broken: Failure[] = []
  let printed = ''
  let result = emptyResult('')
  for await (const { type, data } of run({ files: [host], argv: group, ...limits })) {
    if (type === 'test:stdout' || type === 'test:stderr') printed += data.message
    else if (type === 'test:start') {
      path[data.nesting] = data.name
      if (data.nesting === 0) result = emptyResult(data.name)
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
      const { error } = details as { error?: Error & { failureType?: string } }
      if (!isPassed && error?.failureType !== 'subtestsFailed') {
        const where = `${relative('.', data.file ?? result.file)}:${data.line ?? 1}`
        const title = [where, ...path.slice(1, nesting), name].join(' > ')
        const colors = process.stdout.isTTY
        const failure = { title, details: inspect(error?.cause ?? error, { colors }) }
        ;(name === host ? broken : result.failures).push(failure)
      }
      if (nesting === 0 && left.delete(name)) end(result)
    }
  }
  const [first = relative('.', group.at(-1) ?? ''), ...rest] = left
  if (broken.length > 0) end({ ...emptyResult(first), failures: broken })
  for (const file of rest) end({ ...emptyResult(file), failures: broken.slice(0, 1) })
  return printed.trimEnd()
}

function emptyResult(file: string): FileResult {
  return { file, lines: [], passed: 0, skipped: [], failures: [] }
}
