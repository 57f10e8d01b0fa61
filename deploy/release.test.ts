import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, describe, it } from 'node:test'
import { missing } from '#test/needs.ts'
import { slowTest } from '#test/size.ts'
import { makeRelease, ReleaseProblem } from './make-release.ts'
import { problemOfVersion, unreleasedNotes, withSection } from './release-files.ts'

describe('the parts of a release', () => {
  it('need a version above the current one', () => {
    const wrong = ['1.2', 'v1.2.4', '1.2.4-rc1', '1.2.3', '1.1.9', '0.9.9', '']
    for (const version of wrong) assert.ok(problemOfVersion(version, '1.2.3'), version)
    for (const version of ['1.2.4', '1.3.0', '2.0.0', '1.2.10'])
      assert.equal(problemOfVersion(version, '1.2.3'), undefined, version)
  })

  it('move the notes of the changelog under the version', () => {
    const before =
      '# Changelog\n\n## Unreleased\n\n- One.\n- Two.\n\n## 0.1.0 (2026-01-01)\n\n- Old.\n'
    const changelog = withSection(before, '0.2.0', '2026-11-17')
    assert.equal(unreleasedNotes(before), '- One.\n- Two.')
    assert.equal(unreleasedNotes(changelog), '')
    assert.match(
      changelog,
      /## Unreleased\n\n## 0\.2\.0 \(2026-11-17\)\n\n- One\.\n- Two\.\n\n## 0\.1/,
    )
    assert.equal(unreleasedNotes('# Changelog\n\n## Unreleased\n\n- Last.\n'), '- Last.')
  })
})

const noHistory = !existsSync('.git') && 'this folder has no history'
const skip = noHistory || missing('git', 'ssh-keygen')

slowTest('a release of a clone', { skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'passerelle-release-'))
  after(() => rmSync(folder, { recursive: true }))
  const root = join(folder, 'clone')
  const git = (...words: string[]) => execFileSync('git', words, { cwd: root, encoding: 'utf8' })
  execFileSync('git', ['clone', '--quiet', resolve('.'), root])
  const key = join(folder, 'key')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  writeFileSync(`${key}.allowed`, `test ${readFileSync(`${key}.pub`, 'utf8')}`)
  for (const [name = '', value = ''] of [
    ['user.name', 'Test'],
    ['user.email', 'test@example.com'],
    ['gpg.format', 'ssh'],
    ['user.signingkey', key],
    ['gpg.ssh.allowedSignersFile', `${key}.allowed`],
  ])
    git('config', name, value)
  // Right after a release there is nothing to release yet.
  const changelog = join(root, 'CHANGELOG.md')
  const notes = readFileSync(changelog, 'utf8').replace('## Unreleased\n', '$&\n- One more.\n')
  writeFileSync(changelog, notes)
  git('commit', '--quiet', '--all', '--no-gpg-sign', '--message', 'Note a change')
  const before = git('rev-parse', 'HEAD').trim()
  const order = {
    root,
    version: '99.0.0',
    out: join(folder, 'out'),
    checks: [] as string[][],
    writers: [] as string[][],
  }
  const release = (change: object = {}) =>
    makeRelease({ ...order, now: new Date(), say: () => {}, ...change })
  const refused = (change: object, sentence: RegExp) => {
    assert.throws(
      () => release(change),
      (problem: Error) => {
        assert.ok(problem instanceof ReleaseProblem)
        assert.match(problem.message, sentence)
        return true
      },
    )
    assert.equal(git('rev-parse', 'HEAD').trim(), before)
  }

  refused({ version: '0.0.1' }, /is not above/)
  refused({ checks: [['false']] }, /false failed: nothing was changed/)
  refused({ writers: [['false']] }, /false failed: nothing was committed/)
  writeFileSync(join(root, 'LICENSE'), 'changed')
  refused({}, /changes without a commit/)
  git('checkout', '--quiet', 'LICENSE')

  // What is compared with the next release is part of this one.
  const writers = [['sh', '-c', 'echo >> openapi/released.json']]
  const { commit, files, isSigned } = release({ writers })
  assert.deepEqual([isSigned, files.length], [true, 5])
  assert.equal(git('tag', '--points-at', commit).trim(), 'v99.0.0')
  execFileSync('git', ['tag', '--verify', 'v99.0.0'], { cwd: root, stdio: 'pipe' })
  const changed = git('diff', '--name-only', before, commit).trim().split('\n')
  assert.deepEqual(
    changed.filter((path) => !path.startsWith('deploy/kubernetes/')),
    ['CHANGELOG.md', 'openapi/released.json', 'package-lock.json', 'package.json'],
  )
  assert.equal(changed.length, 11)
  const text = (file: string) => readFileSync(join(order.out, file), 'utf8')
  const sum = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')
  const { subject, predicate } = JSON.parse(text('passerelle-99.0.0.intoto.json'))
  for (const { name, digest } of subject) assert.equal(digest.sha256, sum(join(order.out, name)))
  const [source, lock] = predicate.buildDefinition.resolvedDependencies
  assert.equal(source.digest.gitCommit, commit)
  assert.equal(lock.digest.sha256, sum(join(root, 'package-lock.json')))
  const { components, metadata } = JSON.parse(text('passerelle-99.0.0.cdx.json'))
  const { name, version, type } = metadata.component
  assert.deepEqual([name, version, type], ['passerelle', '99.0.0', 'application'])
  const names = new Set(components.map((one: { name: string }) => one.name))
  assert.ok(names.has('fastify') && !names.has('typescript'))
  const listed = execFileSync('tar', ['-tf', join(order.out, 'passerelle-99.0.0.tar')])
  assert.match(String(listed), /^passerelle-99\.0\.0\/src\/cli\.ts$/m)
  execFileSync('sha256sum', ['--check', '--quiet', 'SHA256SUMS'], { cwd: order.out })
  t.diagnostic('and not a second time')
  assert.throws(() => release({ version: '99.0.0' }), /not above|is there/)
})
