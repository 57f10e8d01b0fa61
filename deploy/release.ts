import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { makeRelease, ReleaseProblem } from './make-release.ts'

// npm run release -- VERSION [--dry-run]: docs/upgrading.md, "A release". With --dry-run everything
// happens in a clone that is thrown away, without the tests; its artefacts stay in release/.
// npm run release -- --check: only what has changed in the interface since the last release.
const words = process.argv.slice(2)
const isDry = words.includes('--dry-run')
const [version, ...more] = words.filter((word) => word !== '--dry-run')
const openInterface = [process.execPath, 'test/openapi-release.ts']
if (version === '--check') {
  await import('#test/openapi-release.ts')
  process.exit()
}
if (version === undefined || more.length > 0) {
  console.error('npm run release -- VERSION [--dry-run], or --check')
  process.exit(2)
}
const compatibility = [...openInterface, '--check']
const clone = isDry ? mkdtempSync(join(tmpdir(), 'passerelle-release-')) : null
try {
  if (clone !== null) execFileSync('git', ['clone', '--quiet', resolve('.'), clone])
  const { commit, files } = makeRelease({
    root: clone ?? resolve('.'),
    version,
    out: resolve('release', isDry ? `${version}-dry-run` : version),
    checks: isDry ? [] : [['npm', 'ci'], ['npm', 'test'], compatibility],
    writers: isDry ? [] : [openInterface],
    now: new Date(),
    say: (line) => console.log(line),
  })
  console.log(`release/${isDry ? `${version}-dry-run` : version}: ${files.join(', ')}`)
  if (!isDry) console.log(`Look at ${commit.slice(0, 12)}, then: git push --follow-tags`)
} catch (problem) {
  if (!(problem instanceof ReleaseProblem)) throw problem
  console.error(`no release: ${problem.message}`)
  process.exitCode = 1
} finally {
  if (clone !== null) rmSync(clone, { recursive: true })
}
