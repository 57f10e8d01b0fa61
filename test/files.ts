import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Size } from './size.ts'

interface TestFile {
  path: string
  text: string
}

// `assertScreens` (test/browser.ts) looks at more screens; `commandLine` (test/program.ts) starts
// more processes at the full size alone.
const hasSizes = {
  slow: /\/size\.ts'|\bassertScreens\(/,
  full: /\/size\.ts'|\bassertScreens\(|\bcommandLine\(/,
}

/** The files of the tests that run at a size (test/size.ts), in order. */
export function findFiles(size: Size): string[] {
  return globSync('{src,lab,test,bench,chaos,deploy}/**/*.test.ts')
    .map(read)
    .filter(({ path, text }) => {
      const isSlow = path.endsWith('.slow.test.ts')
      return size === 'usual' ? !isSlow : isSlow || hasSizes[size].test(text)
    })
    .map(({ path }) => path)
    .sort((a, b) => a.localeCompare(b))
}

// By what their tests start: about the seconds of processor time that a file takes. Each process
// has files of one kind, so that it loads and shares what that kind needs.
const kinds: [starts: RegExp, weight: number][] = [
  [/\btestBrowser\(/, 8],
  [/\b(startGateway|killableGateway|startEmbeddedPostgres|openWorld)\(|test\/program\.ts'/, 8],
  [/test\/live\.ts'/, 3],
  [/test\/(app|database)\.ts'/, 1.5],
]
const lightest = 0.5
// So many that loading modules does not count, and that no processor is left idle at the end.
const groupWeightMax = 60

/**
 * The files that share a process: neighbours by their paths, the same ones in every run. The
 * heaviest come first, so that none is left to run alone at the end.
 */
export function groupFiles(paths: string[]): string[][] {
  const groups: { kind: number; weight: number; paths: string[] }[] = []
  for (const file of paths.map(read)) {
    const kind = kinds.findIndex(([starts]) => starts.test(file.text))
    const weight = kinds[kind]?.[1] ?? lightest
    const last = groups.findLast((group) => group.kind === kind)
    if (last !== undefined && last.weight + weight <= groupWeightMax) {
      last.paths.push(file.path)
      last.weight += weight
    } else groups.push({ kind, weight, paths: [file.path] })
  }
  return groups.sort((a, b) => b.weight - a.weight).map((group) => group.paths)
}

function read(path: string): TestFile {
  return { path: resolve(path), text: readFileSync(path, 'utf8') }
}
