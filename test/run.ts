import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { resolve } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

/*
 * npm test                     every check and every test
 * npm run test:only -- FILES   only the tests of these files
 */
const checks: [name: string, ...command: string[]][] = [
  ['format', 'biome', 'check', '--error-on-warnings', '.'],
  ['lint', 'oxlint', '--type-aware', '--deny-warnings', '.'],
  ['types', 'tsc'],
  ['unused', 'knip', '--no-progress'],
]

const [only, ...chosen] = process.argv.slice(2)
const failedChecks =
  only === '--only' ? [] : checks.filter(([name, ...command]) => !passes(name, command))
const files = (chosen.length > 0 ? chosen : globSync('{src,lab,test,bench}/**/*.test.ts')).map(
  (file) => resolve(file),
)
const { passed, failed } = await runTests(files)
if (failedChecks.length > 0)
  console.log(`Checks that failed: ${failedChecks.map(([name]) => name).join(', ')}`)
console.log(`\n${passed} passed, ${failed + failedChecks.length} failed`)
process.exitCode = failed + failedChecks.length > 0 ? 1 : 0

function passes(name: string, [program = '', ...words]: string[]): boolean {
  const { status } = spawnSync(resolve('node_modules/.bin', program), words, { stdio: 'inherit' })
  console.log(`${status === 0 ? '✔' : '✖'} ${name}`)
  return status === 0
}

function runTests(testFiles: string[]): Promise<{ passed: number; failed: number }> {
  return new Promise((done, fail) => {
    const counts = { passed: 0, failed: 0 }
    // The type of the options does not know globalSetupPath yet.
    const options = { globalSetupPath: resolve('test/setup.ts') }
    const stream = run({ files: testFiles, concurrency: 2, ...options })
    stream.on('test:summary', (summary) => {
      // One for each file, then one for all, which names no file.
      if (summary.file !== undefined) return
      counts.passed = summary.counts.passed
      counts.failed = summary.counts.tests - summary.counts.passed - summary.counts.skipped
      if (!summary.success && counts.failed === 0) counts.failed = 1
    })
    stream
      .compose(new spec())
      .on('end', () => done(counts))
      .on('error', fail)
      .pipe(process.stdout, { end: false })
  })
}
