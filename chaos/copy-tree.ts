import { execFile } from 'node:child_process'
import { cp, mkdtemp, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../', import.meta.url))

/** Copies the files that git knows or would add, with the same modules; returns the folder. */
export async function copyTree(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `passerelle-${name}-`))
  const words = ['ls-files', '-co', '--exclude-standard']
  const { stdout } = await promisify(execFile)('git', words, { cwd: root, maxBuffer: 2 ** 26 })
  for (const path of stdout.split('\n').filter((one) => one !== ''))
    await cp(join(root, path), join(folder, path)).catch(() => {})
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}
