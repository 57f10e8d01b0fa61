import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  problemOfVersion,
  provenanceOf,
  unreleasedNotes,
  withImage,
  withSection,
} from './release-files.ts'

interface Order {
  /** The clone of the project that is released. */
  root: string
  version: string
  /** The folder of the artefacts; it is made. */
  out: string
  /** Commands that must succeed before anything is written, each a program and its words. */
  checks: string[][]
  /** Commands that then write files which are part of the release. */
  writers: string[][]
  now: Date
  say(line: string): void
}

/** Why there is no release. */
export class ReleaseProblem extends Error {}

/**
 * Checks the clone, writes the version and the changelog's section, commits and tags them, and
 * makes the artefacts. Nothing is pushed.
 */
export function makeRelease(order: Order): { commit: string; files: string[]; isSigned: boolean } {
  const { root, version, checks, writers, now, say } = order
  checkClone(order)
  for (const command of checks) run(order, command, 'nothing was changed')
  for (const command of writers) run(order, command, 'nothing was committed')
  writeVersion(root, version, now)
  git(root, 'commit', '--quiet', '--all', '--message', `Release ${version}`)
  const isSigned = configured(root, 'user.signingkey') !== ''
  git(root, 'tag', isSigned ? '--sign' : '--annotate', '--message', version, `v${version}`)
  const commit = git(root, 'rev-parse', 'HEAD')
  const files = makeArtefacts(order, commit)
  say(
    isSigned ? `signed tag v${version}` : `tag v${version}: not signed, user.signingkey is not set`,
  )
  return { commit, files, isSigned }
}

function run({ root, say }: Order, [program = '', ...words]: string[], state: string): void {
  const command = [program, ...words].join(' ')
  say(command)
  try {
    execFileSync(program, words, { cwd: root, stdio: 'inherit' })
  } catch {
    throw new ReleaseProblem(`${command} failed: ${state}`)
  }
}

function checkClone({ root, version, out }: Order): void {
  const current = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version
  const problems = [
    problemOfVersion(version, current),
    git(root, 'status', '--porcelain') === '' ? undefined : 'there are changes without a commit',
    git(root, 'tag', '--list', `v${version}`) === '' ? undefined : `the tag v${version} is there`,
    unreleasedNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8')) === ''
      ? 'CHANGELOG.md says nothing under Unreleased'
      : undefined,
    existsSync(out) ? `${out} is there already` : undefined,
  ].filter((one) => one !== undefined)
  if (problems.length > 0) throw new ReleaseProblem(problems.join('; '))
}

function writeVersion(root: string, version: string, now: Date): void {
  const edit = (path: string, change: (text: string) => string) => {
    const file = join(root, path)
    writeFileSync(file, change(readFileSync(file, 'utf8')))
  }
  const day = now.toISOString().slice(0, 10)
  edit('CHANGELOG.md', (text) => withSection(text, version, day))
  edit('package.json', (text) => text.replace(/("version": ")[^"]+/, `$1${version}`))
  // Its own version is in the lockfile twice, before that of any package.
  edit('package-lock.json', (text) => {
    const lock = JSON.parse(text)
    lock.version = version
    lock.packages[''].version = version
    return `${JSON.stringify(lock, null, 2)}\n`
  })
  for (const path of globSync('deploy/kubernetes/**/*.yaml', { cwd: root }))
    edit(path, (text) => withImage(text, version))
}

/** The source, its list of components, their provenance and checksums. */
function makeArtefacts({ root, version, out, now }: Order, commit: string): string[] {
  mkdirSync(out, { recursive: true })
  const name = `passerelle-${version}`
  const [source, sbom] = [`${name}.tar`, `${name}.cdx.json`]
  const archive = ['archive', `--prefix=${name}/`, '--output', join(out, source), commit]
  git(root, ...archive)
  writeFileSync(join(out, sbom), listComponents(root))
  const statement = provenanceOf({
    version,
    commit,
    lockfileSha256: sha256(join(root, 'package-lock.json')),
    node: process.versions.node,
    subjects: [source, sbom].map((file) => ({ name: file, sha256: sha256(join(out, file)) })),
    startedOn: now.toISOString(),
    finishedOn: new Date().toISOString(),
  })
  const provenance = `${name}.intoto.json`
  writeFileSync(join(out, provenance), `${JSON.stringify(statement, null, 2)}\n`)
  const files = [source, sbom, provenance]
  const sums = files.map((file) => `${sha256(join(out, file))}  ${file}\n`)
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''))
  return [...files, 'SHA256SUMS', ...signSums(root, join(out, 'SHA256SUMS'))]
}

/** What is installed with the program, as CycloneDX. */
function listComponents(root: string): string {
  const words = ['--sbom-format=cyclonedx', '--sbom-type=application', '--omit=dev']
  const text = execFileSync('npm', ['sbom', ...words, '--package-lock-only'], {
    cwd: root,
    maxBuffer: 100_000_000,
    encoding: 'utf8',
  })
  const list = JSON.parse(text)
  // npm takes the name of the folder.
  list.metadata.component.name = 'passerelle'
  return `${JSON.stringify(list, null, 2)}\n`
}

/** With an SSH key for git, the checksums are signed by it too. */
function signSums(root: string, sums: string): string[] {
  const key = configured(root, 'user.signingkey')
  if (key === '' || configured(root, 'gpg.format') !== 'ssh') return []
  execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-n', 'file', '-f', key, sums], { stdio: 'pipe' })
  return ['SHA256SUMS.sig']
}

function configured(root: string, name: string): string {
  return git(root, 'config', '--default', '', '--get', name)
}

function git(root: string, ...words: string[]): string {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8' }).trim()
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
