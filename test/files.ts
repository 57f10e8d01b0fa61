import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'

interface TestFile {
  path: string
  text: string
}

/** The files of all tests, or of those that have a full size (test/size.ts), in order. */
export function findFiles(hasFullSize: boolean): string[] {
  return globSync('{src,lab,test,bench}/**/*.test.ts')
    .map(read)
    .filter(({ text }) => !hasFullSize || text.includes("test/size.ts'"))
    .map(({ path }) => path)
    .sort((a, b) => a.localeCompare(b))
}

// By what their tests start: about the seconds that a file takes.
const weights: [starts: RegExp, weight: number][] = [
  [/\b(startGateway|killableGateway|startEmbeddedPostgres|testBrowser)\(/, 40],
  [/test\/program\.ts'/, 10],
  [/test\/live\.ts'/, 6],
  [/test\/app\.ts'/, 3],
  [/test\/database\.ts'/, 2],
]
const lightest = 1
// So many that loading modules does not count, and that no processor is left idle at the end.
const groupWeightMax = 40

/**
 * The files that share a process: neighbours by their paths, the same ones in every run. The
 * heaviest come first, so that none is left to run alone at the end.
 */
export function groupFiles(paths: string[]): string[][] {
  const groups: { weight: number; paths: string[] }[] = []
  let last: (typeof groups)[number] | undefined
  for (const file of paths.map(read)) {
    const weight = weightOf(file)
    if (weight >= groupWeightMax) groups.push({ weight, paths: [file.path] })
    else if (last !== undefined && last.weight + weight <= groupWeightMax) {
      last.paths.push(file.path)
      last.weight += weight
    } else groups.push((last = { weight, paths: [file.path] }))
  }
  return groups.sort((a, b) => b.weight - a.weight).map((group) => group.paths)
}

function weightOf({ text }: TestFile): number {
  return weights.find(([starts]) => starts.test(text))?.[1] ?? lightest
}

function read(path: string): TestFile {
  return { path: resolve(path), text: readFileSync(path, 'utf8') }
}
