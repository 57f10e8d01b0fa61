import { readFileSync, writeFileSync } from 'node:fs'

// npm run lockfile: takes the Node versions that dependencies ask for out of the lockfile. They are
// checked when a dependency is added, under the Node that runs it. npm ci would compare them with
// the Node of the machine, which only starts our own, and print a page of warnings.
const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8'))
for (const [path, entry] of Object.entries<{ engines?: object }>(lock.packages))
  if (path !== '') delete entry.engines
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
