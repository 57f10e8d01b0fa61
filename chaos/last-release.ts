import { execFile } from 'node:child_process'
import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { missing } from '#test/needs.ts'
import { run } from './command.ts'
import { ownProgram } from './gateway-process.ts'

// What only a release writes: the heading of its version.
const written = ['-G^## [0-9]', '--', 'CHANGELOG.md']
const git = (...words: string[]) => run('git', '-C', ownProgram, ...words)

/** Why the last release cannot be had here; undefined: it can. */
export async function whyNoRelease(): Promise<string | undefined> {
  return missing('git') || ((await commitOfRelease()) === '' ? 'without its history' : undefined)
}

/** Puts the program of the last release into a folder, with the modules of its lock file. */
export async function unpackRelease(folder: string): Promise<void> {
  const commit = await commitOfRelease()
  const archive = join(folder, 'release.tar')
  await git('archive', `--output=${archive}`, commit)
  await run('tar', '-xf', archive, '-C', folder)
  const lock = 'package-lock.json'
  const [theirs, ours] = await Promise.all(
    [folder, ownProgram].map((one) => readFile(join(one, lock), 'utf8')),
  )
  if (theirs === ours) await symlink(join(ownProgram, 'node_modules'), join(folder, 'node_modules'))
  else await promisify(execFile)('npm', ['ci', '--omit=dev'], { cwd: folder })
}

function commitOfRelease(): Promise<string> {
  const words = ['log', '-1', '--format=%H', ...written]
  return git(...words).then(
    (text) => text.trim(),
    () => '',
  )
}
