import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Creates a folder and its missing parents. Does not use mkdir's `recursive`, which reports a
 * read-only file system as ENOENT and never ends in /proc.
 */
export async function makeFolders(path: string): Promise<void> {
  // 0711: when we run as root, PostgreSQL runs as another account and must traverse the folder.
  const make = () => mkdir(path, { mode: 0o711 })
  try {
    await make()
  } catch (problem) {
    const { code } = problem as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (code !== 'ENOENT' || dirname(path) === path) throw problem
    await makeFolders(dirname(path))
    await make().catch((second: NodeJS.ErrnoException) => {
      // Another process may have created it meanwhile.
      if (second.code !== 'EEXIST') throw second
    })
  }
}
