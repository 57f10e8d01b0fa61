import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EmbeddedPostgres } from '../src/postgres/embedded.ts'
import { startEmbeddedPostgres } from '../src/postgres/embedded.ts'
import { makeTemplate } from './database.ts'

let server: EmbeddedPostgres
let folder: string

/** Before all test files: a PostgreSQL of our own and a migrated database to clone from. */
export async function globalSetup(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'passerelle-test-'))
  server = await startEmbeddedPostgres({ dataDir: folder, durable: false })
  process.env.TEST_DATABASE_URL = server.url
  await makeTemplate(server.url)
}

export async function globalTeardown(): Promise<void> {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
}
