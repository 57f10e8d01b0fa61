import { globSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { findFiles } from './files.ts'
import type { Size } from './size.ts'

export const usage = `npm test                       every check, and every test at its usual size
npm run test:slow [-- PATHS]   what is too slow for npm test (test/size.ts), in minutes
npm test -- --full [PATHS]     the same at the full size, in hours
npm run test:only -- PATHS     only these tests, each shown with its result

A path is a test file, or a folder with test files in it.`

export type Wanted =
  | { kind: 'run'; mode: 'all' | 'only' | 'slow' | 'full'; size: Size; files: string[] }
  | { kind: 'usage'; problem: string | null }

/** What a command line asks for; anything that is not understood gets the usage. */
export function readArguments(words: string[]): Wanted {
  const [first, ...paths] = words
  if (first === undefined)
    return { kind: 'run', mode: 'all', size: 'usual', files: findFiles('usual') }
  if (first === '--help' || first === '-h') return { kind: 'usage', problem: null }
  const problem = (text: string): Wanted => ({ kind: 'usage', problem: text })
  const mode = (['only', 'slow', 'full'] as const).find((one) => first === `--${one}`)
  if (mode === undefined) return problem(`${first} is not an option`)
  const size = mode === 'only' ? 'usual' : mode
  if (mode !== 'only' && paths.length === 0)
    return { kind: 'run', mode, size, files: findFiles(size) }
  if (paths.length === 0) return problem('Which tests?')
  const files = new Set<string>()
  for (const path of paths) {
    const found = testsAt(path)
    if (found.length === 0) return problem(`There are no tests at ${path}`)
    for (const file of found) files.add(file)
  }
  return { kind: 'run', mode, size, files: [...files] }
}

function testsAt(path: string): string[] {
  const entry = statSync(path, { throwIfNoEntry: false })
  if (entry?.isDirectory() === true)
    return globSync('**/*.test.ts', { cwd: path, exclude: ['**/node_modules/**'] })
      .map((file) => resolve(join(path, file)))
      .sort((a, b) => a.localeCompare(b))
  return entry?.isFile() === true && path.endsWith('.test.ts') ? [resolve(path)] : []
}
