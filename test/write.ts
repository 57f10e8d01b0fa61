import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDb } from '#data/db/db.ts'
import { withRuns as withBenchRuns } from '../bench/runs-text.ts'
import { withFailovers, withRuns } from '../chaos/runs-text.ts'
import { envExample, withTable } from '../deploy/settings-text.ts'
import { type Description, generateTypes } from '../sdk/typescript/generate-types.ts'
import { inDatabase, template } from './administer.ts'
import { describeApi } from './describe-api.ts'
import { withHouse } from './house.ts'
import { dumpSchema } from './schema-dump.ts'
import { startTestPostgres } from './setup.ts'

// npm run write [NAME…]: writes the files that are made from others anew, all or those named.
// Tests tell when one is old.
const writers: Record<string, () => Promise<void> | void> = {
  schema,
  settings,
  types,
  lockfile,
  house,
  runs,
}
const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(writers)
for (const name of names) {
  const write = writers[name]
  if (write === undefined) {
    console.error(`npm run write [${Object.keys(writers).join(' | ')}]: there is no ${name}`)
    process.exit(2)
  }
  await write()
}

/** `schema.sql`: what the migrations make of a new database. */
async function schema(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'passerelle-schema-'))
  const server = await startTestPostgres(folder)
  const db = openDb({ url: inDatabase(server.url, template), name: 'schema' })
  put('schema.sql', await dumpSchema(db))
  await db.close()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}

/** `deploy/.env.example` and the table of `docs/configuration.md`. */
function settings(): void {
  put('docs/configuration.md', withTable(read('docs/configuration.md')))
  put('deploy/.env.example', envExample())
}

/** The picture of the wings. */
function house(): void {
  put('ARCHITECTURE.md', withHouse(read('ARCHITECTURE.md')))
}

/** The tables of runs that were kept: `chaos/runs.json`, `bench/runs.json`. */
function runs(): void {
  put('docs/reliability.md', withRuns(read('docs/reliability.md')))
  put('docs/availability.md', withFailovers(read('docs/availability.md')))
  put('docs/performance.md', withBenchRuns(read('docs/performance.md')))
}

/** The types of the TypeScript client. */
async function types(): Promise<void> {
  const description = (await describeApi()) as unknown as Description
  put('sdk/typescript/src/interface.ts', generateTypes(description))
}

/**
 * Takes the Node versions that dependencies ask for out of the lockfile. They are checked when a
 * dependency is added, under the Node that runs it. npm ci would compare them with the Node of the
 * machine, which only starts our own, and print a page of warnings.
 */
function lockfile(): void {
  const lock = JSON.parse(read('package-lock.json'))
  for (const [path, entry] of Object.entries<{ engines?: object }>(lock.packages))
    if (path !== '') delete entry.engines
  put('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
}

function read(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
}

function put(path: string, text: string): void {
  writeFileSync(new URL(`../${path}`, import.meta.url), text)
}
