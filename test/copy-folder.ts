import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/**
 * Copies a folder with owners and modes. Hundreds of small files: the program is ten times faster
 * than cp() of node:fs.
 */
export async function copyFolder(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to])
}
