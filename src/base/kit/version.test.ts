import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'node:test'
import { readVersion } from './version.ts'

const folder = await mkdtemp(join(tmpdir(), 'passerelle-version-'))
after(() => rm(folder, { recursive: true }))
const commit = 'a1'.repeat(20)
const other = 'b2'.repeat(20)

describe('the version', () => {
  // files of .git, the commit
  const scenarios: [name: string, files: Record<string, string>, commit: string | undefined][] = [
    ['without history', {}, undefined],
    ['at a commit', { HEAD: `${commit}\n` }, commit],
    ['at a branch', { HEAD: 'ref: refs/heads/main\n', 'refs/heads/main': `${commit}\n` }, commit],
    [
      'at a packed branch',
      {
        HEAD: 'ref: refs/heads/main\n',
        'packed-refs': `# pack-refs\n${other} refs/heads/old\n${commit} refs/heads/main\n`,
      },
      commit,
    ],
    ['at a branch without a commit', { HEAD: 'ref: refs/heads/main\n' }, undefined],
    ['with broken files', { HEAD: 'what?' }, undefined],
  ]
  scenarios.forEach(([name, files, wanted], index) => {
    it(`is read ${name}`, async () => {
      const root = join(folder, String(index))
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(root, '.git', path)), { recursive: true })
        await writeFile(join(root, '.git', path), text)
      }
      await mkdir(root, { recursive: true })
      await writeFile(join(root, 'package.json'), '{"version":"1.2.3"}')
      assert.deepEqual(readVersion(root), {
        version: '1.2.3',
        ...(wanted === undefined ? {} : { commit: wanted }),
      })
    })
  })
})
