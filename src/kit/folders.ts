import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it, as far as they are missing. Not by mkdir's own `recursive`,
 * which tells a read-only file system as ENOENT and never ends in /proc.
 */
export async function makeFolders(path: string): Promise<void> {
  // 0711: as root, PostgreSQL runs as another account, which has to pass through.
  const make = () => mkdir(path, { mode: 0o711 })
  try {
    await make()
  } catch (problem) {
    const { code } = problem as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return
    if (code !== 'ENOENT' || dirname(path) === path) throw problem
    await makeFolders(dirname(path))
    await make().catch((again: NodeJS.ErrnoException) => {
      if (again.code !== 'EEXIST') throw again
    })
  }
}
